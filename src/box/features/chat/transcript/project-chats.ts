import { sql } from "kysely"
import { ownTables, type AnyTransaction, type DbOf } from "../../../core/database/database.ts"

/** Chats in projects. They stay when their project is deleted, and return to it when it is restored, unless they were moved. */
export function createProjectChats(db: DbOf<"chat">) {
  return {
    /** Returns the project of a chat, or undefined if there is no such chat. */
    async getProject(ownerId: string, chatId: string): Promise<{ projectId: string | null } | undefined> {
      return db
        .selectFrom("conversations")
        .select("projectId")
        .where("ownerId", "=", ownerId)
        .where("id", "=", chatId)
        .where("removed", "=", 0)
        .executeTakeFirst()
    },

    async takeOut(transaction: AnyTransaction, projectId: string): Promise<void> {
      await ownTables<"chat">(transaction)
        .updateTable("conversations")
        .set({ projectId: null, removedProjectId: projectId })
        .where("projectId", "=", projectId)
        .execute()
    },

    async bringBack(transaction: AnyTransaction, projectId: string): Promise<void> {
      await ownTables<"chat">(transaction)
        .updateTable("conversations")
        .set({ projectId: sql<string>`"removedProjectId"`, removedProjectId: null })
        .where("removedProjectId", "=", projectId)
        .execute()
    },

    /** Called when the project was permanently deleted. */
    async forget(projectId: string): Promise<void> {
      await db
        .updateTable("conversations")
        .set({ removedProjectId: null })
        .where("removedProjectId", "=", projectId)
        .execute()
    },
  }
}
