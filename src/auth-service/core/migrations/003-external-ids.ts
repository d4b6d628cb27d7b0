import type { Kysely } from "kysely"
import type { MigrationFor } from "../database.ts"

/** Senders' own names for their tickets, so that they can find them again. */
export const externalIds: MigrationFor = () => ({
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable("tickets").addColumn("externalId", "text").execute()
    await db.schema
      .createIndex("tickets_externalId")
      .on("tickets")
      .columns(["userId", "externalId"])
      .execute()
  },
})
