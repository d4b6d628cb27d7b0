import { Sender } from "../../../shared/contract/notifications.ts"
import type { DbOf } from "../../core/database/database.ts"
import { readStored } from "../../core/database/sql-helpers.ts"

const rowsPerRead = 1_000

/** Removes the URLs of senders' images in a restored backup, because an image is fetched as soon as someone opens the list. */
export async function removePictures(db: DbOf<"notifications">): Promise<void> {
  for (let after = ""; ;) {
    const rows = await db
      .selectFrom("notifications")
      .select(["id", "sender"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(rowsPerRead)
      .execute()
    for (const { id, sender } of rows) {
      const { imageUrl, ...without } = readStored(Sender, sender) ?? {}
      if (imageUrl === undefined) continue
      await db
        .updateTable("notifications")
        .set({ sender: JSON.stringify(without) })
        .where("id", "=", id)
        .execute()
    }
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.id
  }
}
