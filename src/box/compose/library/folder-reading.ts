import { generatedIn } from "../../core/files/generated-files.ts"
import type { FolderReading } from "../../features/chat/folder-tools/ports.ts"
import type { Library } from "./library.ts"

/** Reads folders for chat's folder tools. Each call checks the user's access and then reads with the owner's rights. */
export const composeFolderReading = ({
  access,
  files,
  tables,
}: Pick<Library, "access" | "files" | "tables">): FolderReading => ({
  async reached({ userId, folderIds, generated }, granted) {
    const { allowed } = await access.accessible(userId, folderIds)
    const named = await access.named(folderIds)
    return named
      .filter(({ id }) => allowed.includes(id) || granted.includes(id))
      .map((folder) => ({ ...folder, generated: generatedIn(folder, generated) }))
  },
  files: ({ ownerId, id, generated }, query) => files.list(ownerId, id, { ...query, generated }),
  getFolder: files.getFolder,
  file: ({ ownerId, id, generated }, fileId) => files.read(ownerId, id, fileId, generated),
  text: ({ ownerId, id, generated }, fileId) => files.text(ownerId, id, fileId, generated),
  tables: {
    list: ({ ownerId, id, generated }, signal) => tables.list(ownerId, id, { signal, generated }),
    query: ({ ownerId, id, generated }, sql, { signal }) =>
      tables.query(ownerId, id, sql, { signal, generated }),
  },
})
