import type { Migration } from "kysely/migration"

/** A schema migration in a database's dialect. */
export type MigrationFor = (type: "sqlite" | "postgres") => Migration
