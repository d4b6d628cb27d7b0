import type { Kysely } from "kysely"
import type { MigrationFor } from "../migration.ts"

/** What senders call their tickets, so that they find again what they sent. */
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
