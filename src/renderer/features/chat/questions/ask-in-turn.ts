import { useSyncExternalStore } from "react"
import type { FactTable, Reading } from "../../../../shared/contract/chat.ts"
import type { StoredMessage } from "../../../../shared/contract/conversations.ts"
import { addToQueue } from "../../../data/chats/queue.ts"
import { attachments, filesToAttach } from "../composer/attachments/attachments.ts"
import type { NewFiles } from "../composer/attachments/new-files.ts"
import { chatSession } from "../session/chat-sessions.ts"

export interface NewQuestion {
  content: string
  /** Folders to search as well as the chat's own. */
  vector: string[]
  /** The assistant that should answer. */
  assistantId: string | null
  /** The model that should answer; null: the assistant's model, or the chosen one. */
  modelId: string | null
  /** The project of the chat, if the question starts a new one. */
  projectId?: string
  /** How much of the documents is read for it; omitted if it isn't about documents. */
  reading?: Reading
  /** The files that it is about, instead of all files in the folders. */
  fileIds?: string[]
  /** The answer should be a table. */
  table?: FactTable
  /** The tools that may be used if no assistant answers. */
  builtInTools?: Record<string, boolean>
  /** The message that it follows; null: it starts the chat; omitted: the newest message at the time it is asked. */
  after?: string | null
  /** The messages shown before it while it is being sent. */
  history: StoredMessage[]
  /** Selects the files that are sent with it. */
  files: NewFiles
}

/** Questions by chat that wait in the page until their files are uploaded. Like the uploads, they are lost when the page closes. */
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

/** Questions that wait in the page until the chat's files are uploaded. */
export const useUnsent = (chatId: string): readonly string[] =>
  useSyncExternalStore(subscribe, () => unsent.get(chatId) ?? none)

/** Sends the question to the box in the order of asking, after the files added before it are uploaded. Throws if the box refuses it. */
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
  // If the files can't be listed, the box attaches all that arrived since the previous message.
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

/** Files sent with questions from this page. The lists of stored messages may not include them yet. */
const given = new Set<string>()
