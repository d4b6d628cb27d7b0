import type { Kysely, Transaction } from "kysely"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { processCounts } from "../process-counts.ts"
import type { DatabaseSchema } from "./database-schema.ts"
import type { DatabaseState } from "./remembered.ts"
import type { TableOwner, TablesOf } from "./table-owners.ts"

/** All of it: for what opens it and puts the box together. Features take their own tables, `DbOf<"files">`. */
export type Database = Kysely<DatabaseSchema>
/** The tables of one owner: another's don't compile. */
export type DbOf<Owner extends TableOwner> = Kysely<TablesOf<Owner>>
export type TransactionOf<Owner extends TableOwner> = Transaction<TablesOf<Owner>>
/** A transaction that somebody else began: one's own tables in it are `ownTables<"files">(transaction)`. */
export type BegunTransaction = Pick<Database, "isTransaction">
/** What is written in somebody else's transaction, or isn't if that isn't. */
export type AlsoWrite = (transaction: BegunTransaction) => Promise<void>

export const ownTables = <Owner extends TableOwner>(transaction: BegunTransaction): DbOf<Owner> =>
  transaction as DbOf<Owner>

/** What the box asks of its rows, wherever they are kept. */
export interface OpenDatabase extends AsyncDisposable {
  readonly db: Database
  /** Changes whenever another process has written, such as the command line revoking a key. */
  dataVersion(): number
  /** Another text after each row that was written, by whomever. */
  readonly state: DatabaseState
  /** How many wait at this moment for others to be done with it. */
  waiting(): number
  /** From now on a write waits no longer than a second for another program that holds the lock: the box is stopping. */
  hurry(): void
  /** Writes a consistent copy to a new file of SQLite's, beside the box's other work. Throws when `signal` aborts. */
  copyTo(path: string, signal?: AbortSignal): Promise<void>
}

/** A database that can't be used; the message says what to do about it. */
export class DatabaseUnusable extends Error {
  override readonly name = "DatabaseUnusable"
}

/** Another program holds the lock that a write needs, or no connection is to be had: nothing was done, and it may be asked again. */
export class DatabaseBusy extends AppError {
  constructor(cause: unknown, said = sentence("core.database_busy")) {
    super("unavailable", said, { cause })
    processCounts.databaseRefusals++
  }
}
