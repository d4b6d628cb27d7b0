import type { Updateable } from "kysely"
import { ownTables, type AnyTransaction, type DbOf } from "../../core/database/database.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"

type Columns = Updateable<TablesOf<"folders">["folders"]>

interface BeforeHiding {
  paused: number
  chatId: string | null
}

/** Folders whose deletion can still be undone. No one can see them. */
export function createHiddenFolders(db: DbOf<"folders">) {
  async function set(id: string, change: Columns, writer: DbOf<"folders">): Promise<void> {
    await writer.updateTable("folders").set(change).where("id", "=", id).execute()
  }

  const takeFromChat = (ownersFolderId: string, chatId: string, writer: DbOf<"folders">) =>
    writer
      .updateTable("folders")
      .set({ chatId: null })
      .where("chatId", "=", chatId)
      .where("ownerId", "=", writer.selectFrom("folders").select("ownerId").where("id", "=", ownersFolderId))
      .returning("id")
      .executeTakeFirst()

  return {
    /** Hides the folder: no one can see it and nothing processes it from then on. */
    hide: (id: string, transaction: AnyTransaction): Promise<void> =>
      set(id, { removed: 1, paused: 1, chatId: null }, ownTables<"folders">(transaction)),

    /**
     * Restores the folder to its previous state and to its chat. If the chat got another folder in the meantime, that one becomes an
     * ordinary folder of its owner, and its ID is returned.
     */
    async show(
      id: string,
      { paused, chatId }: BeforeHiding,
      transaction: AnyTransaction,
    ): Promise<string | null> {
      const writer = ownTables<"folders">(transaction)
      const replaced = chatId === null ? undefined : await takeFromChat(id, chatId, writer)
      await set(id, { removed: 0, paused, chatId }, writer)
      return replaced?.id ?? null
    },

    async isHidden(id: string): Promise<boolean> {
      const hidden = db.selectFrom("folders").select("id").where("id", "=", id).where("removed", "=", 1)
      return (await hidden.executeTakeFirst()) !== undefined
    },
  }
}
