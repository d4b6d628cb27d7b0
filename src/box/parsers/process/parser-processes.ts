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
  /** A place for a document of this person until it is disposed. Throws the signal's reason. */
  acquire(signal: AbortSignal, person?: string): Promise<ParserPlace>
}

/**
 * Up to `places` parser processes, each with one document at a time; people take turns.
 *
 * @param spare additional processes, each for a person none of whose documents is being read
 */
export function createParserProcesses(
  spawn: SpawnChild,
  limits: KeptLimits,
  places: number,
  spare = 0,
): ParserProcesses {
  const semaphore = createSemaphore({
    places: () => places,
    spare,
    maxWaiting,
    next: leastActive,
    tooMany: () => new AppError("unavailable", sentence("files.too_many_waiting")),
  })
  const kept = keepProcesses({
    start: () => new ParserConnection(spawn, limits),
    most: places + spare,
    idleMs: limits.idleMs,
  })
  return {
    async acquire(signal, person = "") {
      const place = await semaphore.acquire(signal, person)
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

/** Index of the first waiting caller among those with the fewest places. */
function leastActive(waiting: readonly { caller: string }[], active: readonly string[]): number {
  const amounts = waiting.map(({ caller }) => active.filter((other) => other === caller).length)
  return amounts.indexOf(Math.min(...amounts))
}
