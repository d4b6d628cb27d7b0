import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { SpawnChild } from "../../core/children/child.ts"
import { createProcessPool } from "../../core/children/kept-processes.ts"
import { createSemaphore } from "../../core/waiting/locks.ts"
import { ParserConnection } from "./parser-connection.ts"
import type { ProcessLimits } from "./parser-connection.ts"

export interface PoolLimits extends ProcessLimits {
  /** Time after which an idle parser process ends, in ms. */
  idleMs: number
}

/** Maximum documents that wait for a process. */
const maxWaiting = 1000

export interface ParserSlot extends Disposable {
  /** Returns the process for the caller's document. Starts one if there is none. */
  connect(): ParserConnection
}

export interface ParserProcesses extends AsyncDisposable {
  /** Returns a slot for a document of this user, until it is disposed of. Throws the signal's reason. */
  acquire(signal: AbortSignal, person?: string): Promise<ParserSlot>
}

/**
 * Runs up to `places` parser processes, each with one document at a time. Users take turns.
 *
 * @param spare additional processes, each for a user none of whose documents is being read
 */
export function createParserProcesses(
  spawn: SpawnChild,
  limits: PoolLimits,
  places: number,
  spare = 0,
): ParserProcesses {
  const semaphore = createSemaphore({
    places: () => places,
    spare,
    maxWaiting,
    next: findLeastActive,
    tooMany: () => new AppError("unavailable", sentence("files.too_many_waiting")),
  })
  const kept = createProcessPool({
    start: () => new ParserConnection(spawn, limits),
    most: places + spare,
    idleMs: limits.idleMs,
  })
  return {
    async acquire(signal, person = "") {
      const slot = await semaphore.acquire(signal, person)
      let connection: ParserConnection | undefined
      return {
        connect: () => (connection ??= kept.take()),
        [Symbol.dispose]() {
          if (connection) kept.release(connection)
          slot[Symbol.dispose]()
        },
      }
    },
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  }
}

/** Returns the index of the first waiting caller among those with the fewest slots. */
function findLeastActive(waiting: readonly { caller: string }[], active: readonly string[]): number {
  const amounts = waiting.map(({ caller }) => active.filter((other) => other === caller).length)
  return amounts.indexOf(Math.min(...amounts))
}
