import { getMigrations } from "better-auth/db/migration"
import type { Kysely } from "kysely"
import { accountOptions } from "../account-options.ts"
import type { MigrationFor } from "../database.ts"

/** Better Auth's tables, as its installed version describes them, and the service's own tables for users and keys. */
export const accounts: MigrationFor = (type) => ({
  async up(db: Kysely<unknown>) {
    const library = await getMigrations({
      ...accountOptions,
      database: { db: db as Kysely<Record<string, never>>, type },
    })
    await library.runMigrations()

    await db.schema
      .createTable("members")
      .addColumn("userId", "text", (column) => column.primaryKey().references("user.id").onDelete("cascade"))
      .addColumn("company", "text")
      .addColumn("staff", "integer", (column) => column.notNull().defaultTo(0))
      .addColumn("blocked", "integer", (column) => column.notNull().defaultTo(0))
      .addColumn("ticketsPerDay", "integer")
      .addColumn("requestsPerMinute", "integer")
      .execute()

    await db.schema
      .createTable("cloudKeys")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("userId", "text", (column) => column.notNull().references("user.id").onDelete("cascade"))
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("hash", "text", (column) => column.notNull().unique())
      .addColumn("hint", "text", (column) => column.notNull())
      .addColumn("permissions", "text")
      .addColumn("enabled", "integer", (column) => column.notNull())
      .addColumn("revision", "integer", (column) => column.notNull())
      .addColumn("uses", "integer", (column) => column.notNull())
      .addColumn("createdAt", "text", (column) => column.notNull())
      .addColumn("lastUsedAt", "text")
      .addColumn("expiresAt", "text", (column) => column.notNull())
      .execute()
    await db.schema.createIndex("cloudKeys_userId").on("cloudKeys").column("userId").execute()

    await db.schema
      .createTable("rateWindows")
      .addColumn("subject", "text", (column) => column.primaryKey())
      .addColumn("startedAt", "bigint", (column) => column.notNull())
      .addColumn("used", "integer", (column) => column.notNull())
      .execute()
  },
})
