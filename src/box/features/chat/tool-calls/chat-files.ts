import { createHash } from "node:crypto"
import { open, readdir, rm, writeFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import type { Selectable } from "kysely"
import type { ChatEvent, MessagePart } from "../../../../shared/contract/chat.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { DbOf } from "../../../core/database/database.ts"
import type { TablesOf } from "../../../core/database/table-owners.ts"
import { chatFilesPath } from "../../../core/data-layout.ts"
import { syncDirectory } from "../../../core/files/durable-file.ts"
import { makeTemporaryDirectory, removeTemporaryDirectory } from "../../../core/files/temporary-files.ts"
import type { ObjectFiles } from "../../../core/objects/object-files.ts"
import { newId, timestamp } from "../../../core/ids.ts"
import { makeDirectoryInside, openInside, storedName } from "../../../core/files/path-jail.ts"
import type { Caller } from "../../../http/caller.ts"
import type { SentFile } from "../../../http/answers/send-file.ts"
import type { MadeFile } from "../../../tools/tool.ts"
import { createPartRedactor } from "../../../tools/withheld.ts"
import type { CopiedFile } from "../transcript/fork-store.ts"
import { isOfShownChat } from "../transcript/chat-removal.ts"
import type { FileEvent } from "./call-tools.ts"

/** Files that tools made in a chat. They are deleted with it. */
export interface ChatFiles {
  /** Stores a file durably. Throws `file_too_large`. */
  keep(ownerId: string, chatId: string, toolCallId: string, file: MadeFile): Promise<FileEvent>
  /** Throws `not_found` if there is no such file or it belongs to another user. */
  open(ownerId: string, chatId: string, fileId: string): Promise<SentFile>
  /** Copies those of the files that exist to another chat. The caller must store their rows with that chat. */
  copy(ownerId: string, from: string, to: string, fileIds: readonly string[]): Promise<CopiedFile[]>
  /** Deletes the directory of a deleted chat. */
  removeDirectory(ownerId: string, chatId: string): Promise<void>
  /** Deletes files left over when the box was killed between deleting a chat and its files. */
  removeAbandoned(): Promise<void>
}

export const fileNotFound = () => new AppError("not_found", sentence("chat.no_file"))

/**
 * Returns whether a credential may see a file through an answer's parts or events. A credential can't open a file that it may not see.
 *
 * @param hasReadFolders whether the answer's chat has read any folder
 */
export function showsFile(
  caller: Pick<Caller, "scopes">,
  parts: readonly (MessagePart | ChatEvent)[],
  fileId: string,
  hasReadFolders: boolean,
): boolean {
  const shown = createPartRedactor(caller, hasReadFolders)
  return parts
    .flatMap((part) => shown(part) ?? [])
    .some((part) => part.type === "file" && part.fileId === fileId)
}

type ChatFileRow = Selectable<TablesOf<"chat">["chatFiles"]>

const largest = 64 << 20
const mediaTypes = /^[\w.+-]{1,60}\/[\w.+-]{1,100}$/

/** @param objects object storage for the files, used instead of the data directory */
export function createChatFiles(
  db: DbOf<"chat">,
  dataDir: string,
  objects: ObjectFiles | null = null,
): ChatFiles {
  const root = chatFilesPath(dataDir)
  const getDirectory = (ownerId: string, chatId: string) => join(root, directoryName(ownerId, chatId))

  /** Writes the bytes to a temporary file, which is deleted when they are stored. */
  async function putObject(name: string, bytes: Uint8Array, { put }: ObjectFiles): Promise<string> {
    const directory = makeTemporaryDirectory("chat-file-")
    try {
      await writeFile(join(directory, name), bytes, { mode: 0o600 })
      return (await put(join(directory, name))).key
    } finally {
      removeTemporaryDirectory(directory)
    }
  }

  async function openBytes(row: Pick<ChatFileRow, "id" | "ownerId" | "chatId" | "object" | "size">) {
    if (row.object === null || objects === null) return openInside(root, namesOfChatFile(row))
    using held = await objects.hold(row.object, row.size)
    return await openInside(dirname(held.path), [basename(held.path)]) // opened while the object is held in the cache
  }

  return {
    async keep(ownerId, chatId, toolCallId, { name: wanted, mediaType: claimed, bytes }) {
      const size = bytes.byteLength
      if (size > largest)
        throw new AppError("file_too_large", sentence("chat.file_too_large", { count: largest >> 20 }))
      const fileId = newId()
      const name = storedName(wanted)
      const mediaType = mediaTypes.test(claimed) ? claimed : "application/octet-stream"
      const object = objects === null ? null : await putObject(fileId, bytes, objects)
      // The row is written first: a directory without a row is treated as abandoned.
      const row = { id: fileId, ownerId, chatId, name, mediaType, size, createdAt: timestamp(), object }
      await db.insertInto("chatFiles").values(row).execute()
      if (object !== null) return { type: "file", toolCallId, fileId, name, mediaType, size }
      try {
        await write(getDirectory(ownerId, chatId), fileId, bytes)
      } catch (error) {
        await db.deleteFrom("chatFiles").where("id", "=", fileId).execute()
        throw error
      }
      return { type: "file", toolCallId, fileId, name, mediaType, size }
    },

    async open(ownerId, chatId, fileId) {
      const row = await db
        .selectFrom("chatFiles")
        .select(["id", "ownerId", "chatId", "name", "mediaType", "object", "size"])
        .where("id", "=", fileId)
        .where("ownerId", "=", ownerId)
        .where("chatId", "=", chatId)
        .where(isOfShownChat("chatFiles"))
        .executeTakeFirst()
      if (!row) throw fileNotFound()
      const handle = await openBytes(row).catch((error: unknown) => {
        throw error instanceof AppError && error.code === "not_found" ? fileNotFound() : error
      })
      return { handle, name: row.name, mimeType: row.mediaType }
    },

    async copy(ownerId, from, to, fileIds) {
      const rows = await db
        .selectFrom("chatFiles")
        .selectAll()
        .where("ownerId", "=", ownerId)
        .where("chatId", "=", from)
        .where("id", "in", fileIds)
        .execute()
      const copied: CopiedFile[] = []
      for (const row of rows) {
        const id = newId()
        if (row.object === null) {
          await using handle = await openBytes(row)
          await write(getDirectory(ownerId, to), id, await handle.readFile())
        }
        copied.push({ of: row.id, row: { ...row, id, chatId: to } })
      }
      return copied
    },

    removeDirectory: (ownerId, chatId) => rm(getDirectory(ownerId, chatId), { recursive: true, force: true }),

    async removeAbandoned() {
      const found = await readdir(root).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return []
        throw error
      })
      const kept = await db.selectFrom("chatFiles").select(["ownerId", "chatId"]).distinct().execute()
      const names = new Set(kept.map(({ ownerId, chatId }) => directoryName(ownerId, chatId)))
      for (const name of found)
        if (!names.has(name)) await rm(join(root, name), { recursive: true, force: true })
    },
  }
}

/** Callers choose chat IDs, which may contain anything. */
const directoryName = (ownerId: string, chatId: string) =>
  createHash("sha256")
    .update(JSON.stringify([ownerId, chatId]))
    .digest("hex")
    .slice(0, 40)

/** Returns the path segments of a file inside the chat files directory. */
export const namesOfChatFile = ({ ownerId, chatId, id }: Pick<ChatFileRow, "ownerId" | "chatId" | "id">) => [
  directoryName(ownerId, chatId),
  id,
]

/** Creates the directory of a file's chat and returns the file's path. */
export async function makeChatDirectory(
  dataDir: string,
  row: Pick<ChatFileRow, "ownerId" | "chatId" | "id">,
): Promise<string> {
  const [directory = "", name = ""] = namesOfChatFile(row)
  return join(await makeDirectoryInside(dataDir, [basename(chatFilesPath(dataDir)), directory]), name)
}

async function write(directory: string, name: string, bytes: Uint8Array): Promise<void> {
  const root = dirname(directory)
  await makeDirectoryInside(dirname(root), [basename(root), basename(directory)])
  await using handle = await open(join(directory, name), "wx", 0o600)
  await handle.writeFile(bytes)
  await handle.sync()
  await syncDirectory(directory)
}
