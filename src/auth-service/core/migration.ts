import type { Migration } from "kysely/migration"

/** A step of the schema in the dialect of a database. */
export type MigrationFor = (type: "sqlite" | "postgres") => Migration
