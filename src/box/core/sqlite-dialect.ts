import type { Database, Statement } from "better-sqlite3"
import {
  type DatabaseConnection,
  type Dialect,
  SqliteDialect,
  type SqliteDatabase,
  SqliteDriver,
} from "kysely"

/** Statements kept ready; preparing one anew costs more than running most of them. */
const keptStatements = 300

/**
 * Kysely's SQLite dialect, for a database whose disk may fill up: SQLite then ends the transaction by itself, and a
 * rollback on top of that would fail and hide the reason.
 */
export function createSqliteDialect(database: Database): Dialect {
  const prepared = withKeptStatements(database)
  const dialect = new SqliteDialect({ database: prepared })
  const driver = new (class extends SqliteDriver {
    override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
      if (database.inTransaction) await super.rollbackTransaction(connection)
    }
  })({ database: prepared })
  return {
    createAdapter: () => dialect.createAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  }
}

/** Kysely runs one query at a time on the connection, so a kept statement is never busy. */
function withKeptStatements(database: Database): SqliteDatabase {
  const kept = new Map<string, Statement>()
  return {
    close: () => void database.close(),
    prepare(sql) {
      const known = kept.get(sql)
      if (known) return known
      const statement = database.prepare(sql)
      if (kept.size >= keptStatements) kept.clear()
      kept.set(sql, statement)
      return statement
    },
  }
}
