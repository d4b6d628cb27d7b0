import type { Notice } from "../../../../shared/contract/folders.ts"
import { createNotice } from "../../../../shared/sentences/sentences.ts"

/** Reports which folders a chat has read, and which of them remote models may not receive. */
export interface StayingDeps {
  /** Returns those of the folders that must stay on this computer, even if they were deleted. */
  stayingFolders(vectorIds: readonly string[]): Promise<readonly { id: string; name: string }[]>
  /** Returns the folders that a chat has read so far, and whether one of them had to stay on this computer at the time. */
  readBefore(ownerId: string, chatId: string): Promise<ReadBefore>
  /** Returns the folder of a chat's attachments. */
  getChatFolder(ownerId: string, chatId: string): Promise<string | null>
}

export interface ReadBefore {
  vectorIds: string[]
  staysHere: boolean
}

/**
 * Returns whether a chat must stay on this computer because its answers contain text from such a folder. A chat that must stay keeps doing
 * so, even if the folder is deleted.
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

/** Does the same for a chat that is about to read these folders, and records that before anything is read. */
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
  const own = await deps.getChatFolder(userId, chatId)
  return (await deps.stayingFolders(own === null ? vectorIds : [...vectorIds, own])).length > 0
}

/** The notice for an answer that a remote model has started. */
export const nowStaying = (model: string): Notice => ({
  ...createNotice("stays_here_now", { model }),
  code: "stays_here",
})
