import { z } from "zod"
import { jsonObject } from "../../shared/contract/primitives.ts"

const WaitingQuestion = z.object({
  id: z.string(),
  text: z.string(),
  folderIds: z.array(z.string()),
  /** Who is to answer. */
  assistantId: z.string().nullish(),
  /** The message it follows; null: it begins the chat; left out: whatever is last when its turn comes. */
  after: z.string().nullable().optional(),
  /** Is kept neither until the chat's files are indexed nor until tool calls that wait are decided about. */
  now: z.boolean().optional(),
})
export type WaitingQuestion = z.infer<typeof WaitingQuestion>

/** Why questions wait though nothing runs: no model, an assistant that can't answer, a reader's stop, another refusal. */
const Hold = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("model") }),
  z.object({ kind: z.literal("stopped") }),
  z.object({ kind: z.literal("assistant"), reason: z.string() }),
  z.object({ kind: z.literal("failed"), reason: z.string() }),
])
export type Hold = z.infer<typeof Hold>

const WaitingChat = z.object({ questions: z.array(WaitingQuestion), hold: Hold.optional() })
export type WaitingChat = z.infer<typeof WaitingChat>

const storageKey = "waiting-questions"
/** Questions that one chat may have waiting. */
export const mostWaiting = 20
const nothing: WaitingChat = { questions: [] }

export interface WaitingStore {
  subscribe(listener: () => void): () => void
  get(chatId: string): WaitingChat
  /** Ids of the chats that have any; the same array until that changes. */
  chats(): readonly string[]
  /** False when the chat has as many as it may. */
  add(chatId: string, question: WaitingQuestion): boolean
  change(chatId: string, questionId: string, change: Partial<WaitingQuestion>): void
  remove(chatId: string, questionId: string): void
  forget(chatId: string): void
  hold(chatId: string, hold: Hold | undefined): void
  /** Another window has written. */
  onStorage(key: string | null): void
}

/** Questions that wait, by chat, written through to the browser's storage. */
export function createWaitingStore(storage: Pick<Storage, "getItem" | "setItem">): WaitingStore {
  const listeners = new Set<() => void>()
  let state = read()
  let ids: readonly string[] = [...state.keys()]

  function read(): ReadonlyMap<string, WaitingChat> {
    try {
      const stored: unknown = JSON.parse(storage.getItem(storageKey) ?? "{}")
      const chats = Object.entries(jsonObject().parse(stored))
      return new Map(chats.map(([id, chat]) => [id, WaitingChat.parse(chat)]))
    } catch {
      return new Map() // of another version: nothing in it can be asked
    }
  }

  function show(next: ReadonlyMap<string, WaitingChat>): void {
    if (next.size !== ids.length || ids.some((id) => !next.has(id))) ids = [...next.keys()]
    state = next
    for (const listener of listeners) listener()
  }

  function edit(chatId: string, change: (chat: WaitingChat) => WaitingChat): void {
    const next = new Map(state)
    const chat = change(state.get(chatId) ?? nothing)
    if (chat.questions.length === 0) next.delete(chatId)
    else next.set(chatId, chat)
    storage.setItem(storageKey, JSON.stringify(Object.fromEntries(next)))
    show(next)
  }

  const get = (chatId: string) => state.get(chatId) ?? nothing

  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    get,
    chats: () => ids,
    add(chatId, question) {
      if (get(chatId).questions.length >= mostWaiting) return false
      edit(chatId, (chat) => ({ ...chat, questions: [...chat.questions, question] }))
      return true
    },
    change: (chatId, questionId, change) =>
      edit(chatId, (chat) => ({
        ...chat,
        questions: chat.questions.map((question) =>
          question.id === questionId ? { ...question, ...change } : question,
        ),
      })),
    remove: (chatId, questionId) =>
      edit(chatId, (chat) => ({ ...chat, questions: chat.questions.filter(({ id }) => id !== questionId) })),
    forget: (chatId) => edit(chatId, () => nothing),
    hold: (chatId, hold) =>
      edit(chatId, ({ questions }) => (hold === undefined ? { questions } : { questions, hold })),
    onStorage(key) {
      if (key === null || key === storageKey) show(read())
    },
  }
}
