import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { SpawnChild } from "../../core/children/child.ts"
import { keepProcesses } from "../../core/children/kept-processes.ts"
import { createSemaphore } from "../../core/waiting/semaphore.ts"
import { ParserConnection } from "./parser-connection.ts"
import type { ProcessLimits } from "./parser-connection.ts"

export interface KeptLimits extends ProcessLimits {
  /** A parser process that has had nothing to do for so long ends, in ms. */
  idleMs: number
}

/** Documents that may wait for a process. */
const maxWaiting = 1000

export interface ParserPlace extends Disposable {
  /** The process for one's document, which starts when there is none. */
  connect(): ParserConnection
}

export interface ParserProcesses extends AsyncDisposable {
  /** A place of one's own until the answer is disposed of. Throws the signal's reason. */
  acquire(signal: AbortSignal): Promise<ParserPlace>
}

/** Room for so many parser processes, each with one document at a time. */
export function createParserProcesses(
  spawn: SpawnChild,
  limits: KeptLimits,
  places: number,
): ParserProcesses {
  const semaphore = createSemaphore<null>({
    places: () => places,
    maxWaiting,
    tooMany: () => new AppError("unavailable", sentence("files.too_many_waiting")),
  })
  const kept = keepProcesses({
    start: () => new ParserConnection(spawn, limits),
    most: places,
    idleMs: limits.idleMs,
  })
  return {
    async acquire(signal) {
      const place = await semaphore.acquire(signal, null)
      let connection: ParserConnection | undefined
      return {
        connect: () => (connection ??= kept.take()),
        [Symbol.dispose]() {
          if (connection) kept.giveBack(connection)
          place[Symbol.dispose]()
        },
      }
    },
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  }
}
