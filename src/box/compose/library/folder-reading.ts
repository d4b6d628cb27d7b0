import type { FolderReading } from "../../features/chat/folder-tools/ports.ts"
import type { Library } from "./library.ts"

/** What chat's tools of folders read them by. Who may is asked at each call; then it is read as its owner would. */
export const composeFolderReading = ({
  access,
  files,
  tables,
}: Pick<Library, "access" | "files" | "tables">): FolderReading => ({
  async reached(userId, granted, folderIds) {
    const { allowed } = await access.accessible(userId, folderIds)
    const named = await access.named(folderIds)
    return named.filter(({ id }) => allowed.includes(id) || granted.includes(id))
  },
  files: files.list,
  folderOf: files.folderOf,
  file: files.read,
  text: files.text,
  tables,
})
