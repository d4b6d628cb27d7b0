import { useSyncExternalStore } from "react"
import type { FactTable, Reading } from "../../../../shared/contract/chat.ts"
import type { StoredMessage } from "../../../../shared/contract/conversations.ts"
import { addToQueue } from "../../../data/chats/queue.ts"
import { attachments, filesToAttach } from "../composer/attachments/attachments.ts"
import type { NewFiles } from "../composer/attachments/new-files.ts"
import { chatSession } from "../session/chat-sessions.ts"

export interface NewQuestion {
  content: string
  /** Folders to search beside the chat's own. */
  vector: string[]
  /** Who is to answer. */
  assistantId: string | null
  /** The model that is to answer; null: the assistant's, or the chosen one. */
  modelId: string | null
  /** The project of a chat that it begins. */
  projectId?: string
  /** How much of the documents is read for it; left out: none are asked about. */
  reading?: Reading
  /** The files it is about, in place of all of the folders. */
  fileIds?: string[]
  /** The answer is to be a table. */
  table?: FactTable
  /** The tools that it may use where no assistant answers. */
  builtInTools?: Record<string, boolean>
  /** The message it follows; null: it begins the chat; left out: whatever is newest when its turn comes. */
  after?: string | null
  /** What is shown before it while it is on its way. */
  history: StoredMessage[]
  /** Which files go along with it. */
  files: NewFiles
}

/** By chat the questions that wait here until their files have come to the box. They go with the page, as the files do. */
const unsent = new Map<string, readonly string[]>()
const lines = new Map<string, Promise<unknown>>()
const listeners = new Set<() => void>()
const none: readonly string[] = []

function setUnsent(chatId: string, contents: readonly string[]): void {
  if (contents.length === 0) unsent.delete(chatId)
  else unsent.set(chatId, contents)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** What waits here until the chat's files have come to the box. */
export const useUnsent = (chatId: string): readonly string[] =>
  useSyncExternalStore(subscribe, () => unsent.get(chatId) ?? none)

/** Gives the question to the box, in the order of asking, once files are there that were added before. Throws where the box refuses it. */
export function askInTurn(chatId: string, question: NewQuestion): Promise<void> {
  const before = lines.get(chatId) ?? Promise.resolve()
  const sent = before.then(() => send(chatId, question))
  lines.set(
    chatId,
    sent.catch(() => undefined),
  )
  return sent
}

async function send(chatId: string, { history, files, ...question }: NewQuestion): Promise<void> {
  if (attachments.uploads(chatId).some(({ failure }) => failure === undefined)) {
    setUnsent(chatId, [...(unsent.get(chatId) ?? none), question.content])
    await attachments.settled(chatId)
    setUnsent(chatId, (unsent.get(chatId) ?? none).slice(1))
  }
  const taken = new Set([...files.taken, ...given])
  // Where they can't be listed, the box takes all that came since the message before.
  const attached = await filesToAttach(chatId, { ...files, taken }).catch(() => [])
  const ids = attached.map(({ fileId }) => fileId)
  const draft = { ...question, attachments: ids.length > 0 ? ids : null }
  const session = chatSession(chatId)
  for (const id of ids) given.add(id)
  try {
    if (session.getState().phase !== "idle") await addToQueue(chatId, draft)
    else
      await session.askNext(
        { history, question: draft.content, files: attached, assistantId: draft.assistantId },
        () => addToQueue(chatId, draft),
      )
  } catch (error) {
    for (const id of ids) given.delete(id)
    throw error
  }
}

/** Files that went along with questions of this page, whose lists may not know it yet. */
const given = new Set<string>()
