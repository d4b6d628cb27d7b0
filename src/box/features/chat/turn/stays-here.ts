import type { Notice } from "../../../../shared/contract/folders.ts"
import { noticeOf } from "../../../../shared/sentences/sentences.ts"

/** What has been read of folders, and which of them no model elsewhere may read. */
export interface StayingDeps {
  /** Those of the folders that stay here, deleted or not. */
  stayingFolders(vectorIds: readonly string[]): Promise<readonly { id: string; name: string }[]>
  /** The folders that a conversation has read so far, and whether one of them stayed here then. */
  readBefore(ownerId: string, chatId: string): Promise<ReadBefore>
  /** The folder of a chat's attachments. */
  ownFolder(ownerId: string, chatId: string): Promise<string | null>
}

export interface ReadBefore {
  vectorIds: string[]
  staysHere: boolean
}

/**
 * Whether a conversation stays here: it has read a folder that does, whose words stand in its answers. Once it does it
 * stays so, also when the folder is deleted.
 */
export async function staying(deps: StayingDeps, userId: string, chatId: string): Promise<boolean> {
  const before = await deps.readBefore(userId, chatId)
  return before.staysHere || staysNow(deps, { userId, chatId, vectorIds: before.vectorIds })
}

interface Reading {
  userId: string
  chatId: string
  vectorIds: readonly string[]
}

/** The same of one that reads these folders now, which is written down before anything is read. */
export async function noteReading(
  deps: StayingDeps & { noteRead(ownerId: string, chatId: string, read: ReadBefore): Promise<void> },
  { userId, chatId, vectorIds }: Reading,
): Promise<boolean> {
  const before = await deps.readBefore(userId, chatId)
  const all = [...new Set([...before.vectorIds, ...vectorIds])]
  const staysHere = before.staysHere || (await staysNow(deps, { userId, chatId, vectorIds: all }))
  if (all.length > before.vectorIds.length || staysHere !== before.staysHere)
    await deps.noteRead(userId, chatId, { vectorIds: all, staysHere })
  return staysHere
}

async function staysNow(deps: StayingDeps, { userId, chatId, vectorIds }: Reading): Promise<boolean> {
  const own = await deps.ownFolder(userId, chatId)
  return (await deps.stayingFolders(own === null ? vectorIds : [...vectorIds, own])).length > 0
}

/** Of an answer that a model elsewhere has begun. */
export const nowStaying = (model: string): Notice => ({
  ...noticeOf("stays_here_now", { model }),
  code: "stays_here",
})
