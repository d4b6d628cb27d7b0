import { AppError } from "../../../../shared/contract/errors.ts"
import type { StoredMessage } from "../../../../shared/contract/conversations.ts"
import type { Hold, WaitingQuestion, WaitingStore } from "../../../data/waiting-store.ts"
import type { ChatSession } from "../session/chat-session.ts"

export interface QuestionRunnerDeps {
  waiting: WaitingStore
  session: (chatId: string) => Pick<ChatSession, "ask" | "attach" | "getState" | "subscribe">
  /** The messages up to the given one. */
  history: (chatId: string, lastId: string | null | undefined) => Promise<StoredMessage[]>
  /** The folders to search, the chat's own among them: once its files are indexed, or when the signal is aborted. */
  folders: (chatId: string, chosen: string[], signal: AbortSignal) => Promise<string[]>
  /** Waits until no tool call of the chat waits for an approval, or for the signal. Whether there was one. */
  approvals: (chatId: string, signal: AbortSignal) => Promise<boolean>
  describe: (error: unknown) => string
  /** Runs the work when no other window does such work for this chat. */
  exclusively: (chatId: string, work: () => Promise<void>) => Promise<void>
}

export interface QuestionRunner {
  /** Asks the chat's waiting questions one after the other, as long as nothing holds them. */
  run(chatId: string): void
  /** The question that is on its way, if any: it is shown as asked. */
  sending(chatId: string): string | undefined
}

/** Sends waiting questions in their order: each when the answer before it is complete. */
export function createQuestionRunner(deps: QuestionRunnerDeps): QuestionRunner {
  const { waiting } = deps
  const running = new Set<string>()
  const sending = new Map<string, string>()

  function next(chatId: string): WaitingQuestion | undefined {
    const { questions, hold } = waiting.get(chatId)
    return hold === undefined ? questions[0] : undefined
  }

  async function askAll(chatId: string): Promise<void> {
    for (let question = next(chatId); question; question = next(chatId)) {
      const hold = await ask(chatId, question)
      if (hold) waiting.hold(chatId, hold)
    }
  }

  /** Waits until no answer is being made, in whatever window it was asked for. */
  async function untilFree(chatId: string): Promise<void> {
    const session = deps.session(chatId)
    if (session.getState().phase === "idle") await session.attach()
    await new Promise<void>((resolve) => {
      const check = () => {
        if (session.getState().phase !== "idle") return
        stop()
        resolve()
      }
      const stop = session.subscribe(check)
      check()
    })
  }

  /** Waits for what a question waits for, unless it is to be asked, edited or removed now. */
  async function unlessNow<T>(
    chatId: string,
    { id }: WaitingQuestion,
    wait: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const enough = new AbortController()
    const look = () => {
      const first = next(chatId)
      if (first?.id !== id || first.now === true) enough.abort()
    }
    const stop = waiting.subscribe(look)
    look()
    try {
      return await wait(enough.signal)
    } finally {
      stop()
    }
  }

  /** Why this and what follows has to wait; undefined when the box has taken the question, or when it is gone. */
  async function ask(chatId: string, question: WaitingQuestion): Promise<Hold | undefined> {
    try {
      // A question denies calls that wait. One that was asked before they did lets them be decided about first.
      do await untilFree(chatId)
      while (await unlessNow(chatId, question, (signal) => deps.approvals(chatId, signal)))
      const folderIds = await unlessNow(chatId, question, (signal) =>
        deps.folders(chatId, question.folderIds, signal),
      )
      const current = next(chatId)
      if (current?.id !== question.id) return undefined
      sending.set(chatId, question.id)
      const history = await deps.history(chatId, current.after)
      await deps.session(chatId).ask(history, current.text, folderIds, current.assistantId)
      sending.delete(chatId)
      waiting.remove(chatId, question.id)
      return undefined
    } catch (error) {
      sending.delete(chatId)
      if (error instanceof AppError && error.code === "chat_busy") return undefined // asks again when it is over
      if (error instanceof AppError && error.code === "no_model") return { kind: "model" }
      const reason = deps.describe(error)
      return { kind: isAssistantGone(error, question) ? "assistant" : "failed", reason }
    }
  }

  return {
    run(chatId) {
      if (running.has(chatId) || !next(chatId)) return
      running.add(chatId)
      void deps
        .exclusively(chatId, () => askAll(chatId))
        .finally(() => {
          running.delete(chatId)
        })
    },
    sending: (chatId) => sending.get(chatId),
  }
}

/** It was deleted, switched off or isn't shared any more. */
const isAssistantGone = (error: unknown, { assistantId }: WaitingQuestion): boolean =>
  error instanceof AppError &&
  (error.code === "assistant_disabled" || (error.code === "not_found" && typeof assistantId === "string"))
