import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { SpawnChild } from "../../core/children/child.ts"
import { createPool } from "../../core/waiting/semaphore.ts"
import { ParserConnection } from "./parser-connection.ts"
import type { ProcessLimits } from "./parser-connection.ts"

export interface SlotLimits extends ProcessLimits {
  /** Documents after which a parser process is replaced. */
  documentsPerProcess: number
  /** A parser process that has had nothing to do for so long ends, in ms. */
  idleMs: number
}

/** Room for one parser process, which starts when it is needed, is replaced now and then, and ends when idle. */
class ParserSlot implements AsyncDisposable {
  readonly #spawn: SpawnChild
  readonly #limits: SlotLimits
  #connection: ParserConnection | undefined
  #documents = 0
  #idle: NodeJS.Timeout | undefined

  constructor(spawn: SpawnChild, limits: SlotLimits) {
    this.#spawn = spawn
    this.#limits = limits
  }

  /** The process for the next document. */
  connect(): ParserConnection {
    clearTimeout(this.#idle)
    const isUsedUp = this.#documents >= this.#limits.documentsPerProcess
    if (isUsedUp || this.#connection?.canBorrow === false) this.#connection?.kill()
    if (!this.#connection?.isAlive) {
      this.#connection = new ParserConnection(this.#spawn, this.#limits)
      this.#documents = 0
    }
    this.#documents++
    return this.#connection
  }

  /** No document for now. */
  rest(): void {
    this.#idle = setTimeout(() => this.#connection?.kill(), this.#limits.idleMs)
    this.#idle.unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#idle)
    await this.#connection?.[Symbol.asyncDispose]()
  }
}

/** Documents that may wait for a process. */
const maxWaiting = 1000

export interface ParserSlots extends AsyncDisposable {
  /** A slot of one's own until the answer is disposed of. Throws the signal's reason. */
  acquire(signal: AbortSignal): Promise<Disposable & { slot: ParserSlot }>
}

/** Room for so many parser processes, each with one document at a time. */
export function createParserSlots(spawn: SpawnChild, limits: SlotLimits, count: number): ParserSlots {
  const slots = Array.from({ length: count }, () => new ParserSlot(spawn, limits))
  const tooMany = () => new AppError("unavailable", sentence("files.too_many_waiting"))
  const pool = createPool(slots, { maxWaiting, tooMany })
  return {
    async acquire(signal) {
      const lent = await pool.acquire(signal)
      return {
        slot: lent.member,
        [Symbol.dispose]() {
          lent.member.rest()
          lent[Symbol.dispose]()
        },
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(slots.map((slot) => slot[Symbol.asyncDispose]()))
    },
  }
}
