import { z } from "zod"
import { Attachment } from "../../../../shared/contract/chat.ts"
import type { ConversationSummary } from "../../../../shared/contract/conversations.ts"
import { AppError, invalidField } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { readStored } from "../../../core/database/sql-helpers.ts"
import { newId, timestamp } from "../../../core/ids.ts"
import { readParts } from "../transcript/message-parts.ts"
import { createForkStore, type CopiedFile, type MessageRow } from "../transcript/fork-store.ts"

export interface ForkDeps {
  db: DbOf<"chat">
  /** Files that tools created in chats. */
  madeFiles: {
    copy(ownerId: string, from: string, to: string, fileIds: readonly string[]): Promise<CopiedFile[]>
    removeDirectory(ownerId: string, chatId: string): Promise<void>
  }
  /**
   * Copies those of the files that exist from a chat's own folder to that of another chat, which hasn't started. Returns the new file and
   * folder ids by the old ones.
   */
  copyAttached(
    ownerId: string,
    from: string,
    to: string,
    fileIds: readonly string[],
  ): Promise<ReadonlyMap<string, string>>
}

/** Creates a chat that starts with everything in the given one up to an answer. Returns its id. */
export function createForking({ db, madeFiles, copyAttached }: ForkDeps) {
  const store = createForkStore(db)

  return async (
    ownerId: string,
    { id: from, title }: Pick<ConversationSummary, "id" | "title">,
    wanted: { messageId: string; title?: string | undefined },
  ): Promise<string> => {
    const messages = await store.path(ownerId, from, wanted.messageId)
    const last = messages.at(-1)
    if (!last) throw new AppError("not_found", sentence("conversations.no_message"))
    if (last.role !== "assistant" || (await store.isUnfinished(ownerId, from, last.id)))
      throw invalidField("messageId", sentence("conversations.fork_of_answer"))
    const chatId = newId()
    const [attached, made] = [messages.flatMap(attachedTo), messages.flatMap(madeIn)]
    const copied =
      attached.length === 0 ? [] : await copyAttached(ownerId, from, chatId, [...new Set(attached)])
    const copies = made.length === 0 ? [] : await madeFiles.copy(ownerId, from, chatId, [...new Set(made)])
    try {
      await store.add({
        ownerId,
        from,
        chatId,
        title: wanted.title ?? numbered(title),
        messages,
        renamed: new Map([...copied, ...copies.map(({ of, row }) => [of, row.id] as const)]),
        madeFiles: copies,
        createdAt: timestamp(),
      })
    } catch (error) {
      // The copied attachments are cleaned up automatically, like those of chats that never start.
      await madeFiles.removeDirectory(ownerId, chatId)
      throw error
    }
    return chatId
  }
}

const Attachments = z.array(Attachment)

const attachedTo = ({ attachments }: MessageRow): string[] =>
  (attachments === null ? [] : (readStored(Attachments, attachments) ?? [])).map(({ fileId }) => fileId)

const madeIn = ({ parts }: MessageRow): string[] =>
  readParts(parts).flatMap((part) => (part.type === "file" ? [part.fileId] : []))

/** "Title", "Title (2)", "Title (3)". */
export function numbered(title: string): string {
  const { name = title, number = "1" } = /^(?<name>.*) \((?<number>\d{1,6})\)$/.exec(title)?.groups ?? {}
  return `${Array.from(name).slice(0, 290).join("")} (${Number(number) + 1})`
}
