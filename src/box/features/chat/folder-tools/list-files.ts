import { z } from "zod"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import { defineTool, type Tool } from "../../../tools/tool.ts"
import {
  fitRows,
  folderToolBase,
  noRoomError,
  reachedFolders,
  type FolderSession,
  type ReachedFolder,
} from "./session.ts"

const maxFiles = 100

interface Row {
  folder: ReachedFolder
  file: FileEntry
}

export const createListFiles = (session: () => FolderSession): Tool =>
  defineTool({
    ...folderToolBase,
    key: "listFiles",
    description: "Lists them with their ids.",
    args: z.object({
      name: z.string().max(200).optional(),
    }),
    async run({ name }, context) {
      const { engine, reading, room } = session()
      const folders = await reachedFolders(session(), context, undefined)
      const rows: Row[] = []
      let total = 0
      for (const folder of folders) {
        // When nothing more can be shown, a folder's files are only counted.
        const limit = Math.max(1, maxFiles - rows.length)
        const listed = await reading.files(folder, { limit, offset: 0, search: name })
        total += listed.total
        rows.push(...listed.files.slice(0, maxFiles - rows.length).map((file) => ({ folder, file })))
      }
      const toResult = (shown: readonly Row[]) => ({
        total,
        notShown: total - shown.length,
        folders: folders.map(({ id, name }) => ({
          folderId: id,
          name,
          files: shown.filter(({ folder }) => folder.id === id).map(({ file }) => toFile(file)),
        })),
      })
      const shown = await fitRows(engine, room(), rows, toResult)
      if (shown.length === 0 && rows.length > 0) throw noRoomError()
      return { content: toResult(shown) }
    },
  })

const toFile = ({ id, name, folder, status }: FileEntry) => ({
  fileId: id,
  name: folder === "" ? name : `${folder}/${name}`,
  ...(status !== "completed" && { status }),
})
