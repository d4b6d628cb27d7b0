import type { Client } from "../../../../shared/client/http-client.ts"
import type { Received } from "../../../../shared/client/event-stream.ts"
import type { ChatEvent } from "../../../../shared/contract/chat.ts"
import type { StoredMessage } from "../../../../shared/contract/conversations.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { applyEvent, emptyAnswer, type LiveAnswer } from "./live-answer.ts"

/** A question on its way, its answer, and the messages before it. */
export interface Turn {
  /** What stands before the question; undefined when re-attached: then the stored conversation says. */
  history: StoredMessage[] | undefined
  question: string | undefined
  /** Who answers; undefined when re-attached. */
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
  /** Reads the stored conversation again, once an answer is complete. */
  refresh: () => Promise<void>
  /** Runs `notify` soon; called at most once before it runs. */
  schedule: (notify: () => void) => void
  /** A pause before the connection is tried again. */
  pause: (attempt: number) => Promise<void>
}

export interface ChatSession {
  subscribe(listener: () => void): () => void
  getState(): ChatSessionState
  /** Asks. Settles when the box has taken the question, and throws when it hasn't. */
  ask(
    history: StoredMessage[],
    question: string,
    vectorIds: string[],
    assistantId?: string | null,
  ): Promise<void>
  /**
   * Shows a question while it is put in the queue, and its answer where `add` says that it is asked now. Settles when the box
   * has taken it, and throws when it hasn't.
   */
  askNext(question: Required<Omit<Turn, "answer">>, add: () => Promise<boolean>): Promise<void>
  /** Joins the answer that the box is already making, if it is making one. */
  attach(): Promise<void>
  stop(): Promise<void>
}

const reconnectAttempts = 30
const idle: ChatSessionState = { phase: "idle", turn: undefined }

/** One chat's running answer, apart from what shows it: it goes on while the reader looks elsewhere. */
export function createChatSession(deps: ChatSessionDeps): ChatSession {
  const { chat, chatId } = deps
  const listeners = new Set<() => void>()
  let state = idle
  let scheduled = false
  let lastEventId: string | undefined

  function set(next: ChatSessionState): void {
    state = next
    if (scheduled) return
    scheduled = true
    deps.schedule(() => {
      scheduled = false
      for (const listener of listeners) listener()
    })
  }

  function receive(event: Received<ChatEvent>): void {
    const turn = state.turn ?? { history: undefined, question: undefined, answer: emptyAnswer }
    lastEventId = event.eventId ?? lastEventId
    set({
      phase: phase() === "stopping" ? "stopping" : "streaming",
      turn: { ...turn, answer: applyEvent(turn.answer, event) },
    })
  }

  const phase = () => state.phase
  const finished = () => state.turn?.answer.finishReason !== undefined

  /** Receives events until the stream ends or breaks; `accepted` hears of the first one. */
  async function drain(events: AsyncIterable<Received<ChatEvent>>, accepted?: () => void): Promise<void> {
    for await (const event of events) {
      receive(event)
      accepted?.()
    }
  }

  /** Goes on where a broken connection left off, for as long as there is hope. */
  async function reconnect(): Promise<void> {
    for (let attempt = 0; attempt < reconnectAttempts && !finished(); attempt++) {
      set({ ...state, phase: "reconnecting" })
      await deps.pause(attempt)
      const headers: Record<string, string> =
        lastEventId === undefined ? {} : { "last-event-id": lastEventId }
      try {
        await drain(chat.attach({ params: { chatId } }, { headers }))
      } catch (error) {
        if (!isConnectionLoss(error)) return // the stored conversation has what there is
      }
    }
  }

  /** Leaves the live answer on screen until the stored one is there. */
  async function settle(): Promise<void> {
    await deps.refresh()
    set(idle)
    // The next question of the queue may have been asked meanwhile.
    await attach().catch(() => undefined) // the next news of the chat tries again
  }

  async function attach(): Promise<void> {
    if (phase() !== "idle") return
    const { isActive } = await chat.status({ params: { chatId } })
    if (!isActive || phase() !== "idle") return
    follow({ history: undefined, question: undefined, answer: emptyAnswer })
  }

  /** Follows the chat's stream from its beginning. */
  function follow(turn: Turn): void {
    lastEventId = undefined
    set({ phase: "waiting", turn })
    void run(
      chat.attach({ params: { chatId } }),
      () => undefined,
      () => void deps.refresh(),
    )
  }

  async function run(
    events: AsyncIterable<Received<ChatEvent>>,
    accepted: () => void,
    refused: (error: unknown) => void,
  ): Promise<void> {
    let started = false
    try {
      await drain(events, () => {
        started = true
        accepted()
      })
    } catch (error) {
      if (!started) {
        set(idle)
        refused(error)
        return
      }
    }
    if (!finished()) await reconnect()
    accepted()
    await settle()
  }

  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    getState: () => state,
    ask(history, question, vectorIds, assistantId = null) {
      lastEventId = undefined
      set({ phase: "waiting", turn: { history, question, assistantId, answer: emptyAnswer } })
      const messages = [
        ...history.map(({ role, content }) => ({ role, content })),
        { role: "user" as const, content: question },
      ]
      const body = { id: chatId, messages, boxAddress: deps.boxAddress, vector: vectorIds, assistantId }
      return new Promise((resolve, reject) => void run(chat.send({ body }), resolve, reject))
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
    async stop() {
      if (phase() === "idle") return
      set({ ...state, phase: "stopping" })
      try {
        await chat.stop({ params: { chatId } })
      } catch (error) {
        if (phase() === "stopping") set({ ...state, phase: "streaming" })
        throw error
      }
    },
  }
}

function isConnectionLoss(error: unknown): boolean {
  return !(error instanceof AppError) || error.code === "unavailable"
}
