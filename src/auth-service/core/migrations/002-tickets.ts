import type { Kysely } from "kysely"
import type { MigrationFor } from "../database.ts"

/** Tickets, their large parts, and each user's number of tickets per day. */
export const tickets: MigrationFor = () => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable("tickets")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("userId", "text", (column) => column.notNull().references("user.id"))
      .addColumn("cloudKeyId", "text")
      .addColumn("sourceApp", "text", (column) => column.notNull())
      .addColumn("type", "text", (column) => column.notNull())
      .addColumn("status", "text", (column) => column.notNull())
      .addColumn("title", "text", (column) => column.notNull())
      .addColumn("description", "text", (column) => column.notNull())
      .addColumn("brand", "text")
      .addColumn("attachmentName", "text")
      .addColumn("attachmentMime", "text")
      .addColumn("hasScreenshot", "integer", (column) => column.notNull())
      .addColumn("searchText", "text", (column) => column.notNull())
      .addColumn("createdAt", "text", (column) => column.notNull())
      .addColumn("updatedAt", "text", (column) => column.notNull())
      .execute()
    await db.schema.createIndex("tickets_userId").on("tickets").columns(["userId", "id"]).execute()
    await db.schema.createIndex("tickets_status").on("tickets").columns(["status", "id"]).execute()
    await db.schema.createIndex("tickets_sourceApp").on("tickets").columns(["sourceApp", "id"]).execute()

    await db.schema
      .createTable("ticketParts")
      .addColumn("ticketId", "text", (column) =>
        column.notNull().references("tickets.id").onDelete("cascade"),
      )
      .addColumn("part", "text", (column) => column.notNull())
      .addColumn("position", "integer", (column) => column.notNull())
      .addColumn("text", "text", (column) => column.notNull())
      .addPrimaryKeyConstraint("ticketParts_primary", ["ticketId", "part", "position"])
      .execute()

    await db.schema
      .createTable("dailyTickets")
      .addColumn("userId", "text", (column) => column.notNull().references("user.id").onDelete("cascade"))
      .addColumn("day", "text", (column) => column.notNull())
      .addColumn("used", "integer", (column) => column.notNull())
      .addPrimaryKeyConstraint("dailyTickets_primary", ["userId", "day"])
      .execute()
  },
})
