import type { Database } from "better-sqlite3"
import { type DatabaseConnection, type Dialect, SqliteDialect, SqliteDriver } from "kysely"

/**
 * Kysely's SQLite dialect, for a database whose disk may fill up: SQLite then ends the transaction by itself, and a
 * rollback on top of that would fail and hide the reason.
 */
export function createSqliteDialect(database: Database): Dialect {
  const dialect = new SqliteDialect({ database })
  const driver = new (class extends SqliteDriver {
    override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
      if (database.inTransaction) await super.rollbackTransaction(connection)
    }
  })({ database })
  return {
    createAdapter: () => dialect.createAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  }
}
