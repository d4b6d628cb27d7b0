import { open } from "node:fs/promises"
import { AppError } from "../../shared/contract/errors.ts"
import type { Receive } from "../../serve/serve.ts"
import type { ForkDeps } from "../features/chat/conversations/fork.ts"
import type { UploadFields } from "../features/files/disk/uploads.ts"
import type { Files } from "../features/files/service.ts"
import type { Folder } from "../../shared/contract/folders.ts"
import type { Folders } from "../features/folders/service.ts"
import type { SentFile } from "../http/answers/send-file.ts"

/** Copies the attachments of a chat's messages as if they were sent again: each chat's files are removed with it. */
export const composeCopyAttached =
  (
    files: Pick<Files, "open" | "upload">,
    folders: Pick<Folders, "getFolderOfChat" | "findChatFolder">,
  ): ForkDeps["copyAttached"] =>
  async (ownerId, from, to, fileIds) => {
    const source = await folders.findChatFolder(ownerId, from)
    const copies = new Map<string, string>()
    if (!source) return copies
    const { vector } = await folders.getFolderOfChat(ownerId, to, { from, settings: getSettings(source) })
    copies.set(source.id, vector.id)
    for (const fileId of fileIds) {
      const file = await files.open(ownerId, source.id, fileId).catch((error: unknown) => {
        if (error instanceof AppError && error.code === "not_found") return null // it has been removed
        throw error
      })
      if (!file) continue
      const [copy] = (await files.upload(ownerId, vector.id, getCopy(file))).files
      if (copy) copies.set(fileId, copy.id)
    }
    return copies
  }

/** Returns how a folder is searched, and by which models. */
const getSettings = ({
  topK,
  filter,
  strategy,
  remote,
  includeGenerated,
  hiddenParts,
  images,
  pipeline,
}: Folder) => ({
  topK,
  filter,
  strategy,
  remote,
  includeGenerated,
  hiddenParts,
  images,
  pipeline,
})

const pieceBytes = 2 ** 20

const getCopy =
  ({ handle, name }: SentFile): Receive<UploadFields> =>
  async ({ path, headBytes }) => {
    await using source = handle
    await using copy = await open(path, "wx")
    const piece = Buffer.alloc(pieceBytes)
    let head = Buffer.alloc(0)
    let size = 0
    for (;;) {
      const { bytesRead } = await source.read(piece, 0, pieceBytes, size)
      if (bytesRead === 0) break
      if (size === 0) head = Buffer.from(piece.subarray(0, Math.min(headBytes, bytesRead)))
      await copy.writeFile(piece.subarray(0, bytesRead))
      size += bytesRead
    }
    await copy.sync()
    return { fileName: name, size, head, fields: {} }
  }
