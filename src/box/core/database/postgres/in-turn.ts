import { Kysely, type KyselyConfig, type TransactionBuilder } from "kysely"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { withTimeout } from "../../waiting/time-limit.ts"
import { countWait } from "../count-wait.ts"
import { DatabaseBusy } from "../database.ts"
import type { DatabaseSchema } from "../database-schema.ts"

/**
 * Rows whose transactions come one after the other within this process, as they do between several: so those that wait for their turn
 * take no connection from those who only read. Transactions of a named isolation level only read and don't wait. A wait of more than
 * `timeoutMs` throws `DatabaseBusy`.
 */
export class InTurn extends Kysely<DatabaseSchema> {
  readonly #timeoutMs: () => number
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(config: KyselyConfig, timeoutMs: () => number) {
    super(config)
    this.#timeoutMs = timeoutMs
  }

  /** How many wait for their turn. */
  get waiting(): number {
    return this.#waiting
  }

  override transaction(): TransactionBuilder<DatabaseSchema> {
    const builder = super.transaction()
    const execute = builder.execute.bind(builder)
    builder.execute = (callback) => this.#inTurn(() => execute(callback))
    return builder
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last
    // The one before waits for the server, for the way to it or for another program.
    const tooLate = () =>
      new DatabaseBusy(new Error("Others had the turn all the time."), sentence("core.database_slow"))
    this.#waiting++
    const mine = countWait(withTimeout(this.#timeoutMs(), before, tooLate))
      .finally(() => this.#waiting--)
      .then(work)
    this.#last = Promise.allSettled([before, mine])
    return mine
  }
}
