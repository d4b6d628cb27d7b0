import type { Kysely } from "kysely"
import { Migrator } from "kysely/migration"
import type { DatabaseSchema } from "./database-schema.ts"
import type { MigrationFor } from "./migration.ts"
import { accounts } from "./migrations/001-accounts.ts"
import { tickets } from "./migrations/002-tickets.ts"
import { externalIds } from "./migrations/003-external-ids.ts"

/** Migrations in the order of their names. Never change a released one. */
const migrations: Record<string, MigrationFor> = {
  "001-accounts": accounts,
  "002-tickets": tickets,
  "003-external-ids": externalIds,
}

/** The database was written by a newer version, or a migration failed. The message describes what to do. */
export class DatabaseUnusable extends Error {
  override readonly name = "DatabaseUnusable"
}

function createMigrator(db: Kysely<DatabaseSchema>, type: "sqlite" | "postgres"): Migrator {
  const entries = Object.entries(migrations).map(([name, of]) => [name, of(type)] as const)
  return new Migrator({ db, provider: { getMigrations: async () => Object.fromEntries(entries) } })
}

/** Number of migrations that a database lacks. */
export async function pendingMigrations(
  db: Kysely<DatabaseSchema>,
  type: "sqlite" | "postgres",
): Promise<number> {
  const known = await createMigrator(db, type).getMigrations()
  return known.filter(({ executedAt }) => executedAt === undefined).length
}

/** Migrates a database to the newest schema: all steps or none. @throws DatabaseUnusable */
export async function migrate(db: Kysely<DatabaseSchema>, type: "sqlite" | "postgres"): Promise<void> {
  const { error } = await createMigrator(db, type).migrateToLatest()
  if (error === undefined) return
  const reason = error instanceof Error ? error.message : JSON.stringify(error)
  throw new DatabaseUnusable(
    `The database's schema can't be brought up to date (${reason}). If a newer version of the auth service wrote it, update this one; nothing was changed.`,
    { cause: error },
  )
}
