import { rm } from "node:fs/promises"
import { chatFilesPath } from "../../../core/data-layout.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { linkOrCopy } from "../../../core/files/durable-file.ts"
import type { ObjectFiles, PutCompared } from "../../../core/objects/object-files.ts"
import { makeChatDirectory, namesOfChatFile } from "./chat-files.ts"

/**
 * Moves files that tools made to object storage and returns how many. Missing files are skipped: they can't be read from either location.
 */
export async function chatFilesToObjects(
  put: PutCompared,
  db: DbOf<"chat">,
  dataDir: string,
): Promise<number> {
  let moved = 0
  for (const row of await getRows(db, "is")) {
    const object = await put(chatFilesPath(dataDir), namesOfChatFile(row)).catch((error: unknown) => {
      if ((error as { code?: unknown }).code === "not_found") return null
      throw error
    })
    if (object === null) continue
    await db
      .updateTable("chatFiles")
      .set({ object: object.key, size: object.size })
      .where("id", "=", row.id)
      .execute()
    moved++
  }
  return moved
}

/** Moves the files back into directories. */
export async function chatFilesToDirectories(
  { hold }: Pick<ObjectFiles, "hold">,
  db: DbOf<"chat">,
  dataDir: string,
): Promise<number> {
  const rows = await getRows(db, "is not")
  for (const row of rows) {
    if (row.object === null) continue
    using held = await hold(row.object, row.size)
    const path = await makeChatDirectory(dataDir, row)
    await rm(path, { force: true }) // left over from an interrupted move
    await linkOrCopy(held.path, path)
    await db.updateTable("chatFiles").set({ object: null }).where("id", "=", row.id).execute()
  }
  return rows.length
}

const getRows = (db: DbOf<"chat">, hasObject: "is" | "is not") =>
  db
    .selectFrom("chatFiles")
    .select(["id", "ownerId", "chatId", "object", "size"])
    .where("object", hasObject, null)
    .execute()
