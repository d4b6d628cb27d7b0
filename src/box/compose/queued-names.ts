import type { QueueEntry } from "../../shared/contract/queue.ts"
import type { Database } from "../core/database/database.ts"
import { findFileNames, hideFileNames } from "../features/chat/transcript/named-files.ts"
import { findNames } from "../features/files/names/name-search.ts"
import type { FolderReading } from "../features/folders/reading.ts"
import type { HideNamesInQueue } from "../features/queue/service.ts"
import { fileNamePlaceholder } from "../tools/withheld.ts"

/**
 * Creates a function that removes from queued questions the files they name, their filter and attachments, and the names of files in their
 * texts: of the files they name, of those uploaded to the chat, and of those that its earlier questions name.
 */
export const createNameHider =
  (db: Database, uploads: FolderReading["attachable"]): HideNamesInQueue =>
  async (ownerId, chatId, entries) => {
    const getIds = ({ fileIds, attachments }: QueueEntry) => [...(fileIds ?? []), ...(attachments ?? [])]
    const named = await findNames(db, [...new Set(entries.flatMap(getIds))])
    const names = [
      ...(await findFileNames(db, ownerId, [chatId]))(chatId),
      ...(await uploads(ownerId, chatId)).map(({ name }) => name),
      ...named.values(),
    ]
    return entries.map((entry) => {
      // The name of a deleted file isn't known, so it can't be found in the text.
      const isKnown = getIds(entry).every((id) => named.has(id))
      const content = isKnown ? hideFileNames(entry.content, names) : fileNamePlaceholder
      return { ...entry, content, fileIds: null, filter: null, attachments: null }
    })
  }
