import type { SpawnChild } from "../../core/children/child.ts"
import { ParserConnection } from "./parser-connection.ts"
import type { ProcessLimits } from "./parser-connection.ts"

export interface SlotLimits extends ProcessLimits {
  /** Documents after which a parser process is replaced. */
  documentsPerProcess: number
  /** A parser process that has had nothing to do for so long ends, in ms. */
  idleMs: number
}

/** Room for one parser process, which starts when it is needed, is replaced now and then, and ends when idle. */
export class ParserSlot implements AsyncDisposable {
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
