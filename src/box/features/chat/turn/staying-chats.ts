import type { Notice } from "../../../../shared/contract/folders.ts"
import { createNotice } from "../../../../shared/sentences/sentences.ts"
import type { TranscriptStore } from "../transcript/transcript-store.ts"
import type { BoxParts, TurnDeps } from "./turn-deps.ts"

/** Reports which folders remote models may not receive. */
type StayingFolders = Pick<BoxParts, "stayingFolders" | "getChatFolder">

/**
 * Returns whether a chat must stay on this computer because its answers contain text from such a folder. A chat that must stay keeps doing
 * so, even if the folder is deleted.
 */
export async function mustStay(
  { box, transcript }: { box: StayingFolders; transcript: Pick<TranscriptStore, "readBefore"> },
  userId: string,
  chatId: string,
): Promise<boolean> {
  const before = await transcript.readBefore(userId, chatId)
  return before.staysHere || readsStayingFolder(box, { userId, chatId, vectorIds: before.vectorIds })
}

interface Reading {
  userId: string
  chatId: string
  vectorIds: readonly string[]
}

/** Does the same for a chat that is about to read these folders, and records that before anything is read. */
export async function noteReading(
  { box, transcript }: Pick<TurnDeps, "box" | "transcript">,
  { userId, chatId, vectorIds }: Reading,
): Promise<boolean> {
  const before = await transcript.readBefore(userId, chatId)
  const all = [...new Set([...before.vectorIds, ...vectorIds])]
  const staysHere = before.staysHere || (await readsStayingFolder(box, { userId, chatId, vectorIds: all }))
  if (all.length > before.vectorIds.length || staysHere !== before.staysHere)
    await transcript.noteRead(userId, chatId, { vectorIds: all, staysHere })
  return staysHere
}

async function readsStayingFolder(
  box: StayingFolders,
  { userId, chatId, vectorIds }: Reading,
): Promise<boolean> {
  const own = await box.getChatFolder(userId, chatId)
  return (await box.stayingFolders(own === null ? vectorIds : [...vectorIds, own])).length > 0
}

/** The notice for an answer that a remote model has started. */
export const stayingNotice = (model: string): Notice => ({
  ...createNotice("stays_here_now", { model }),
  code: "stays_here",
})
