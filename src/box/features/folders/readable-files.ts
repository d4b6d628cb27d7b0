import type { DbOf } from "../../core/database/database.ts"
import type { ReadableFile } from "../../tools/code-interpreter/input-files.ts"
import type { FolderAccess } from "./access.ts"

export interface ReadableFilesDeps {
  db: DbOf<"folders">
  access: Pick<FolderAccess, "accessible">
  files: {
    readable(
      userId: string,
      folderId: string,
      most: number,
    ): Promise<Pick<ReadableFile, "path" | "size" | "read">[]>
  }
}

/** Files of those of the folders that a user may search, folder by folder, at most so many. */
export function createReadableFiles({ db, access, files }: ReadableFilesDeps) {
  return async (userId: string, folderIds: readonly string[], most: number): Promise<ReadableFile[]> => {
    const { allowed } = await access.accessible(userId, folderIds)
    if (allowed.length === 0) return []
    const folders = await db
      .selectFrom("folders")
      .select(["id", "name"])
      .where("id", "in", allowed)
      .orderBy("id")
      .execute()
    const found: ReadableFile[] = []
    for (const { id, name } of folders) {
      if (found.length >= most) break
      const some = await files.readable(userId, id, most - found.length)
      found.push(...some.map((file) => ({ ...file, folderId: id, folder: name })))
    }
    return found
  }
}
