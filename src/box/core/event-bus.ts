import { EventEmitter } from "node:events"
import type { Coverage, FinishReason, Usage } from "../../shared/contract/chat.ts"
import type { ErrorBody } from "../../shared/contract/errors.ts"
import type { ModelDownload } from "../../shared/contract/models.ts"
import type { SocketMessage } from "../../shared/contract/socket.ts"
import type { AlsoWrite } from "./database/database.ts"

/** Events between features that don't know each other. Messages to connected apps are sent with `Push`. */
export interface BoxEvents {
  /** These users may not use the box: everything that runs for them must end. Published again with each change by another process. */
  "people.disabled": { userIds: readonly string[] }
  /** An answer to a question asked in the app ended while no app followed it, or because the box stopped. */
  "answer.unattended": {
    ownerId: string
    chatId: string
    title: string
    status: "completed" | "error"
    /** For a whole-document answer: how much of each file was read. */
    coverage?: Coverage | undefined
    /** Written in the same transaction as the notification, so that the owner is notified once, even after a crash. */
    writeNotified: AlsoWrite
  }
  /** An answer starts, or resumes after it waited for an approval. */
  "answer.begun": Record<never, never>
  /** An answer was written to its end, or to a call that waits. */
  "answer.written": { finishReason: FinishReason; usage: Usage }
  /** No answer is being written in the chat any more; one may wait for an approval. */
  "answer.ended": { ownerId: string; chatId: string }
  /** Its owner has the chat's newest answer on screen. */
  "answer.read": { ownerId: string; chatId: string }
  /** A queued question can't be asked. */
  "question.held": { ownerId: string; chatId: string; content: string; problem: ErrorBody }
  /** A call waits for its owner's approval. Published again at each start, as long as it waits. */
  "approval.wanted": { ownerId: string; chatId: string; toolCallId: string; toolName: string }
  /** A call doesn't wait any more: its owner allowed or denied it, continued without it, or let it expire. */
  "approval.decided": {
    ownerId: string
    chatId: string
    toolCallId: string
    toolName: string
    outcome: "allowed" | "denied" | "expired"
  }
  /** Files were added, removed or changed their status; published a few times a second. */
  "files.changed": Record<never, never>
  /** A model's download ended, but wasn't cancelled. */
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

/** Sends a message to the connected apps of some users; null means everyone. Messages between features are events of the bus instead. */
export type Push = (userIds: readonly string[] | null, message: SocketMessage) => void
