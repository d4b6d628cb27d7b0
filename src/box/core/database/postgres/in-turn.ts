import { Kysely, type KyselyConfig, type TransactionBuilder } from "kysely"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { withTimeout } from "../../waiting/time-limit.ts"
import { countWait } from "../count-wait.ts"
import { DatabaseBusy } from "../database.ts"
import type { DatabaseSchema } from "../database-schema.ts"

/**
 * Runs transactions one after another within this process, as the lock does between processes. Waiting transactions therefore don't take
 * connections from readers. Transactions with a named isolation level only read and don't wait. A wait of more than `timeoutMs` throws
 * `DatabaseBusy`.
 */
export class SerialKysely extends Kysely<DatabaseSchema> {
  readonly #timeoutMs: () => number
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(config: KyselyConfig, timeoutMs: () => number) {
    super(config)
    this.#timeoutMs = timeoutMs
  }

  /** Number of waiting transactions. */
  get waiting(): number {
    return this.#waiting
  }

  override transaction(): TransactionBuilder<DatabaseSchema> {
    const builder = super.transaction()
    const execute = builder.execute.bind(builder)
    builder.execute = (callback) => this.#enqueue(() => execute(callback))
    return builder
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last
    // The previous transaction waits for the server, the network or another program.
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
