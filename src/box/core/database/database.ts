import type { Kysely, Transaction } from "kysely"
import { AppError } from "../../../shared/contract/errors.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { processCounts } from "../process-counts.ts"
import type { DatabaseSchema } from "./database-schema.ts"
import type { TableOwner, TablesOf } from "./table-owners.ts"

/** The whole database, for code that opens it and wires the box together. Features use only their own tables, `DbOf<"files">`. */
export type Database = Kysely<DatabaseSchema>
/** The tables of one feature: using another feature's tables doesn't compile. */
export type DbOf<Owner extends TableOwner> = Kysely<TablesOf<Owner>>
export type TransactionOf<Owner extends TableOwner> = Transaction<TablesOf<Owner>>
/** A transaction that other code started. Get your own tables in it with `ownTables<"files">(transaction)`. */
export type AnyTransaction = Pick<Database, "isTransaction">
/** Additional changes in the caller's transaction, which are committed or rolled back with it. */
export type AlsoWrite = (transaction: AnyTransaction) => Promise<void>

export const ownTables = <Owner extends TableOwner>(transaction: AnyTransaction): DbOf<Owner> =>
  transaction as DbOf<Owner>

/** Interface to the rows, independent of where they are stored. */
export interface OpenDatabase extends AsyncDisposable {
  readonly db: Database
  /** Changes whenever another process has written, for example when a command revokes a key. */
  dataVersion(): number
  /** Changes after each written row, regardless of which program wrote it. */
  readonly state: DatabaseState
  /** Number of callers that currently wait for others to finish with the database. */
  waiting(): number
  /** From now on, a write waits at most one second for another program that holds the lock, because the box is stopping. */
  shortenBusyTimeout(): void
  /** Throws if the database is known to accept no changes now; null for a file, whose disk the box watches itself. */
  readonly requireChangesAccepted: (() => Promise<void>) | null
  /** Writes a consistent copy to a new SQLite file while the box keeps working. Throws when `signal` aborts. */
  copyTo(path: string, signal?: AbortSignal): Promise<void>
}

/** A database that can't be used; the message describes what to do. */
export class DatabaseUnusable extends Error {
  override readonly name = "DatabaseUnusable"
}

/** Another program holds the lock that a write needs, or no connection is available. Nothing was changed, and the caller may retry. */
export class DatabaseBusy extends AppError {
  constructor(cause: unknown, said = sentence("core.database_busy")) {
    super("unavailable", said, { cause })
    processCounts.databaseRefusals++
  }
}

/** The database server can't be reached, or accepts no changes now. */
export class DatabaseAway extends AppError {
  /** Whether nothing was changed, so that the caller may retry. Otherwise the outcome is unknown. */
  readonly isUnchanged: boolean

  constructor(cause: unknown, said: Sentence, isUnchanged: boolean) {
    super("unavailable", said, { cause })
    this.isUnchanged = isUnchanged
  }
}

/** Identifies the state of a database: it changes with each row that anyone writes. Null: the state is unknown now. */
export type DatabaseState = () => string | null

/** Returns the remembered value of a key, or reads it. */
export type Remembered<T> = <Read extends T | null>(
  key: string,
  read: () => Promise<Read>,
) => Promise<T | Read>

/**
 * Remembers the value that was read for a key until anything is written, by this process or another, so that its answers are always the
 * database's current ones. Keeps at most `max` keys. Null isn't remembered, so that callers can't fill the memory with missing keys.
 */
export function createRemembered<T>(state: DatabaseState, max: number): Remembered<T> {
  const known = new Map<string, T>()
  let knownAt: string | null = null
  return async <Read extends T | null>(key: string, read: () => Promise<Read>): Promise<T | Read> => {
    const now = state()
    if (now === null) return read()
    if (now !== knownAt) known.clear()
    knownAt = now
    const before = known.get(key)
    if (before !== undefined) return before
    const value = await read()
    // The value may lack a change that was written in the meantime.
    if (value === null || knownAt !== now) return value
    if (known.size >= max) known.clear()
    known.set(key, value)
    return value
  }
}
