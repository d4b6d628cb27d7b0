import { EventEmitter } from "node:events"
import type { AlsoWrite } from "./database/database.ts"
import type { Coverage, FinishReason, Usage } from "../../shared/contract/chat.ts"
import type { ErrorBody } from "../../shared/contract/errors.ts"
import type { ModelDownload } from "../../shared/contract/model-files.ts"

/** What features tell each other without knowing each other. What connected apps are told goes by `pushes.ts`. */
export interface BoxEvents {
  /** These people may not use the box: whatever runs for them ends. Told again with each change by another process. */
  "people.disabled": { userIds: readonly string[] }
  /** An answer to a question asked in the app ended while no app followed it, or with the box. */
  "answer.unattended": {
    ownerId: string
    chatId: string
    title: string
    status: "completed" | "error"
    /** How much of each file was read for one that read whole. */
    coverage?: Coverage | undefined
    /** Written with what tells of it, so that it is told once, also over a crash. */
    alsoTold: AlsoWrite
  }
  /** An answer begins to be written, or goes on after it waited for an approval. */
  "answer.begun": Record<never, never>
  /** An answer's writing came to its end, or to a call that waits. */
  "answer.written": { finishReason: FinishReason; usage: Usage }
  /** No answer is being written in the chat any more; it may wait for an approval. */
  "answer.ended": { ownerId: string; chatId: string }
  /** Its owner has the chat's newest answer on screen. */
  "answer.read": { ownerId: string; chatId: string }
  /** A question that waited for its turn can't be asked. */
  "question.held": { ownerId: string; chatId: string; content: string; problem: ErrorBody }
  /** A call waits for its owner's approval. Told again by each start, as long as it waits. */
  "approval.wanted": { ownerId: string; chatId: string; toolCallId: string; toolName: string }
  /** A call doesn't wait any more: its owner allowed or denied it, went on without it, or let its time pass. */
  "approval.decided": {
    ownerId: string
    chatId: string
    toolCallId: string
    toolName: string
    outcome: "allowed" | "denied" | "expired"
  }
  /** Files came, went, or are at another stage; told a few times a second. */
  "files.changed": Record<never, never>
  /** A model's download came to its end; not where it was cancelled. */
  "download.ended": { download: ModelDownload }
}

export interface EventBus {
  publish<Name extends keyof BoxEvents>(name: Name, event: BoxEvents[Name]): void
  /** Returns how to stop listening. */
  subscribe<Name extends keyof BoxEvents>(name: Name, listener: (event: BoxEvents[Name]) => void): () => void
}

export function createEventBus(): EventBus {
  const emitter = new EventEmitter()
  emitter.setMaxListeners(100)
  return {
    publish: (name, event) => void emitter.emit(name, event),
    subscribe(name, listener) {
      emitter.on(name, listener)
      return () => void emitter.off(name, listener)
    },
  }
}
