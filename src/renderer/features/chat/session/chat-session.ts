import type { Received } from "../../../../shared/client/calls.ts"
import type { Client } from "../../../../shared/client/http-client.ts"
import type { ChatEvent } from "../../../../shared/contract/chat.ts"
import type { StoredMessage } from "../../../../shared/contract/conversations.ts"
import type { ShownFile } from "../composer/attachments/attachment-store.ts"
import { applyEvent, emptyAnswer, type LiveAnswer, receiveAnswer } from "./live-answer.ts"

interface Watched<T> {
  get(this: void): T
  set(this: void, value: T): void
  /** Returns a function that ends the subscription. */
  subscribe(this: void, listener: () => void): () => void
}

/** Creates a value that notifies its listeners of changes when `schedule` runs, once for all changes made until then. */
function createWatched<T>(first: T, schedule: (notify: () => void) => void): Watched<T> {
  const listeners = new Set<() => void>()
  let value = first
  let scheduled = false
  return {
    get: () => value,
    set(next) {
      value = next
      if (scheduled) return
      scheduled = true
      schedule(() => {
        scheduled = false
        for (const listener of listeners) listener()
      })
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** A question in progress, its answer, and the messages before it. */
export interface Turn {
  /** The messages before the question; undefined after re-attaching, when the stored chat has them. */
  history: StoredMessage[] | undefined
  question: string | undefined
  /** Files sent with it. */
  files?: readonly ShownFile[]
  /** The assistant that answers; undefined after re-attaching. */
  assistantId?: string | null
  answer: LiveAnswer
}

export interface ChatSessionState {
  phase: "idle" | "waiting" | "streaming" | "reconnecting" | "stopping"
  turn: Turn | undefined
}

export interface ChatSessionDeps {
  chat: Pick<Client["chat"], "send" | "attach" | "stop" | "status">
  boxAddress: string
  chatId: string
  /** Reads the stored chat again after an answer is complete. */
  refresh: () => Promise<void>
  /** Runs `notify` soon; called at most once before it runs. */
  schedule: (notify: () => void) => void
  /** Waits before the next connection attempt. */
  pause: (attempt: number) => Promise<void>
}

export interface ChatSession {
  subscribe(listener: () => void): () => void
  getState(): ChatSessionState
  /** Asks a question. Settles when the box has accepted it; throws if it was refused. */
  ask(
    history: StoredMessage[],
    question: string,
    vectorIds: string[],
    assistantId?: string | null,
  ): Promise<void>
  /**
   * Shows a question while it is added to the queue, and its answer if `add` reports that it is asked now. Settles when the box has
   * accepted it; throws if it was refused.
   */
  askNext(question: Required<Omit<Turn, "answer">>, add: () => Promise<boolean>): Promise<void>
  /** Joins the answer that the box is currently writing, if there is one. */
  attach(): Promise<void>
  stop(): Promise<void>
  /** Stops following the answer. It continues in the box, which notifies the user when it ends. */
  leave(): void
}

const idle: ChatSessionState = { phase: "idle", turn: undefined }
/** The turn of an answer that is joined while it is being written. */
const unknownTurn: Turn = { history: undefined, question: undefined, answer: emptyAnswer }

/** One chat's running answer, independent of the component that shows it. It continues while the reader looks elsewhere. */
export function createChatSession(deps: ChatSessionDeps): ChatSession {
  const { chat, chatId } = deps
  const { get: state, set, subscribe } = createWatched(idle, deps.schedule)
  const phase = () => state().phase

  function receive(event: Received<ChatEvent>): void {
    const turn = state().turn ?? unknownTurn
    set({
      phase: phase() === "stopping" ? "stopping" : "streaming",
      turn: { ...turn, answer: applyEvent(turn.answer, event) },
    })
  }

  let leaving = new AbortController()

  const receiving = {
    chat,
    chatId,
    pause: deps.pause,
    isFinished: () => state().turn?.answer.finishReason !== undefined,
  }

  async function run(
    events: AsyncIterable<Received<ChatEvent>>,
    accepted: () => void,
    refused: (error: unknown) => void,
  ): Promise<void> {
    const { signal } = leaving
    try {
      await receiveAnswer(events, accepted, {
        ...receiving,
        signal,
        // Events already on their way when the answer was left are ignored.
        onEvent: (event) => !signal.aborted && receive(event),
        onLost: () => !signal.aborted && set({ ...state(), phase: "reconnecting" }),
      })
    } catch (error) {
      set(idle)
      refused(error)
      return
    }
    accepted()
    await settle(signal)
  }

  /** Keeps the live answer on screen until the stored one has been read. Does nothing if the answer was left. */
  async function settle(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    await deps.refresh()
    if (signal.aborted) return
    set(idle)
    // The next question in the queue may have started in the meantime.
    await attach().catch(() => undefined) // the next event of the chat tries again
  }

  async function attach(): Promise<void> {
    if (phase() !== "idle") return
    const { isActive } = await chat.status({ params: { chatId } })
    if (!isActive || phase() !== "idle") return
    follow(unknownTurn)
  }

  /** Follows the chat's stream from the start. */
  function follow(turn: Turn): void {
    set({ phase: "waiting", turn })
    void run(
      chat.attach({ params: { chatId } }, { signal: leaving.signal }),
      () => undefined,
      () => void deps.refresh(),
    )
  }

  return {
    subscribe,
    getState: state,
    ask(history, question, vectorIds, assistantId = null) {
      set({ phase: "waiting", turn: { history, question, assistantId, answer: emptyAnswer } })
      const messages = [
        ...history.map(({ role, content }) => ({ role, content })),
        { role: "user" as const, content: question },
      ]
      const body = { id: chatId, messages, boxAddress: deps.boxAddress, vector: vectorIds, assistantId }
      return new Promise(
        (resolve, reject) => void run(chat.send({ body }, { signal: leaving.signal }), resolve, reject),
      )
    },
    async askNext(question, add) {
      const turn = { ...question, answer: emptyAnswer }
      set({ phase: "waiting", turn })
      try {
        if (await add()) follow(turn)
        else set(idle)
      } catch (error) {
        set(idle)
        throw error
      }
    },
    attach,
    leave() {
      leaving.abort()
      leaving = new AbortController()
      set(idle)
    },
    async stop() {
      if (phase() === "idle") return
      set({ ...state(), phase: "stopping" })
      try {
        await chat.stop({ params: { chatId } })
      } catch (error) {
        if (phase() === "stopping") set({ ...state(), phase: "streaming" })
        throw error
      }
    },
  }
}
