import type { FileStatus } from "../../shared/contract/files.ts"
import { AppError } from "../../shared/contract/errors.ts"
import type { EventBus } from "../core/event-bus.ts"
import { isPicture, type ChatPictures, type PictureLocation } from "../features/chat/turn/turn-pictures.ts"
import type { Files } from "../features/files/service.ts"
import { requirePictureSize, type PicturePreparer } from "../parsers/vision/picture-preparer.ts"

/** Images that are attached to chats. */
export function createChatPictures(
  preparer: Pick<PicturePreparer, "prepare">,
  files: Pick<Files, "bytes" | "read" | "text">,
  bus: EventBus,
): ChatPictures {
  return {
    async show({ userId, folderId, fileId }, signal) {
      const found = await files.read(userId, folderId, fileId).catch(gone)
      if (!found) return null
      requirePictureSize(found.size)
      const file = await files.bytes(userId, folderId, fileId).catch(gone)
      return file && preparer.prepare(file, signal)
    },

    async read(location, signal) {
      const { userId, folderId, fileId } = location
      const status = await settled(location, files, bus, signal).catch(gone)
      if (status !== "completed") return ""
      let text = ""
      for await (const blocks of await files.text(userId, folderId, fileId))
        text += blocks.map((block) => `${block.text}\n`).join("")
      return text
    },
  }
}

/** Returns images of a folder that models could see and that aren't read yet, from the first of its files. */
export async function pendingPictures(
  files: Pick<Files, "list">,
  userId: string,
  folderId: string,
): Promise<number> {
  const lists = await Promise.all(
    (["queued", "processing"] as const).map((status) =>
      files.list(userId, folderId, { status, limit: 200, offset: 0 }),
    ),
  )
  return lists.flatMap((list) => list.files).filter(isPicture).length
}

/** Returns the state of a file when it has been read, or when no one waits for it any more. */
async function settled(
  { userId, folderId, fileId }: PictureLocation,
  files: Pick<Files, "read">,
  bus: EventBus,
  signal: AbortSignal,
): Promise<FileStatus> {
  for (;;) {
    const changed = Promise.withResolvers<void>()
    const stopWaiting = () => changed.resolve()
    const stop = bus.subscribe("files.changed", stopWaiting)
    signal.addEventListener("abort", stopWaiting)
    try {
      const { status } = await files.read(userId, folderId, fileId)
      if (signal.aborted || (status !== "queued" && status !== "processing")) return status
      await changed.promise
    } finally {
      stop()
      signal.removeEventListener("abort", stopWaiting)
    }
  }
}

function gone(error: unknown): null {
  if (error instanceof AppError && error.code === "not_found") return null
  throw error
}
