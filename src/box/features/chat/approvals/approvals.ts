import type { ApprovalAnswer, PendingApproval, WaitingApproval } from "../../../../shared/contract/chat.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { EventBus, Push } from "../../../core/event-bus.ts"
import { createKeyedLock } from "../../../core/waiting/locks.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { waitAtMost } from "../../../core/waiting/abort-and-timeout.ts"
import type { Caller } from "../../../http/caller.ts"
import { toPending, type ApprovalStore, type StoredApproval } from "./approval-store.ts"
import type { Parked } from "./parked-turns.ts"
import type { Runs } from "../streams/runs.ts"

export interface ApprovalsDeps {
  store: ApprovalStore
  /** Returns parked turns without waiting calls, of one chat or of all. */
  decidedTurns(chat?: Pick<Parked, "ownerId" | "chatId">): Promise<Parked[]>
  runs: Pick<Runs, "find">
  /** Throws `no_model` if no model could continue a turn. */
  requireModel(): void
  /** Resumes a turn whose calls are all decided. `caller` is null if they expired without a decision. */
  resume(parked: Parked, caller: Caller | null): Promise<void>
  bus: EventBus
  push: Push
  logger: Logger
}

/** Owners' decisions about waiting calls. */
export interface Approvals extends Disposable {
  waiting(ownerId: string, chatId: string): Promise<PendingApproval[]>
  /** Returns the waiting calls of all chats, oldest first. */
  listWaiting(ownerId: string): Promise<WaitingApproval[]>
  /**
   * Stores one decision; the last one of a turn resumes it. Throws `not_found` for a call that never waited, and `conflict` for one that
   * was decided or has expired.
   */
  decide(
    caller: Caller,
    chatId: string,
    toolCallId: string,
    answer: ApprovalAnswer,
  ): Promise<{ messageId: string; resumed: boolean }>
  /** Clears the pending approvals of a chat that is permanently deleted. */
  clearPending(ownerId: string, chatId: string): Promise<void>
  /** Resumes turns that no longer need a decision. */
  resumeDecided(): Promise<void>
  /** Notifies the models of expired calls, now and in the future, and the owners of calls that still wait. */
  start(): Promise<void>
}

/** Notifies the owner's apps, and sends the owner a notification, that a call waits. */
export function announceApproval(
  { bus, push }: { bus: EventBus; push: Push },
  {
    ownerId,
    chatId,
    toolCallId,
    toolName,
  }: Pick<StoredApproval, "ownerId" | "chatId" | "toolCallId" | "toolName">,
): void {
  push([ownerId], { type: "approval", chatId, toolCallId, toolName })
  bus.publish("approval.wanted", { ownerId, chatId, toolCallId, toolName })
}

const sweepMs = 60_000
const maxListed = 100
/** A decision may arrive before the stream that requested it has ended. */
const streamEndMs = 10_000

const getKey = ({ ownerId, chatId }: Pick<Parked, "ownerId" | "chatId">) => `${ownerId}/${chatId}`

export function createApprovals({
  store,
  decidedTurns,
  runs,
  requireModel,
  resume,
  bus,
  push,
  logger,
}: ApprovalsDeps): Approvals {
  const lock = createKeyedLock()
  let timer: NodeJS.Timeout | undefined

  /** Resumes turns that no longer wait for a decision. Turns that can't resume now are retried later. */
  async function sweep(): Promise<void> {
    await expire()
    for (const parked of await decidedTurns()) await lock.run(getKey(parked), () => tryResume(parked, null)) // serialised with `decide`, which resumes the turn itself and reports that to its caller
  }

  async function expire(): Promise<void> {
    for (const call of await store.expire()) bus.publish("approval.decided", { ...call, outcome: "expired" })
  }

  async function tryResume(parked: Parked, caller: Caller | null): Promise<boolean> {
    try {
      requireModel()
      await resume(parked, caller)
      return true
    } catch (error) {
      logger.warn({ err: error, chatId: parked.chatId }, "A waiting turn can't resume yet")
      return false
    }
  }

  return {
    async waiting(ownerId, chatId) {
      const now = new Date().toISOString()
      const rows = await store.waitingIn(ownerId, chatId)
      return rows.filter(({ expiresAt }) => expiresAt > now).map(toPending)
    },

    async listWaiting(ownerId) {
      const rows = await store.listWaiting(ownerId, maxListed)
      return rows.map((row) => {
        const { chatId, title, assistantId } = row
        return { ...toPending(row), chatId, title, assistantId }
      })
    },

    async decide(caller, chatId, toolCallId, answer) {
      const ownerId = caller.userId
      const run = runs.find(ownerId, chatId)
      if (run?.status === "active") await waitAtMost(streamEndMs, run.ended)
      return lock.run(getKey({ ownerId, chatId }), async () => {
        await expire()
        const approval = await store.find(ownerId, chatId, toolCallId)
        if (!approval) throw new AppError("not_found", sentence("chat.no_call_waits"))
        if (approval.state === "expired") throw new AppError("conflict", sentence("chat.call_expired"))
        requireModel()
        if (!(await store.decide(approval, answer)))
          throw new AppError("conflict", sentence("chat.call_answered"))
        const outcome = answer.decision === "allow" ? "allowed" : "denied"
        bus.publish("approval.decided", {
          ownerId,
          chatId,
          toolCallId,
          toolName: approval.toolName,
          outcome,
        })
        const [parked] = await decidedTurns({ ownerId, chatId })
        const resumed = parked !== undefined && (await tryResume(parked, caller))
        // The owner's other windows remove the approval. If the turn resumes, it notifies them itself.
        const message = { type: "chat", chatId, status: "completed" } as const
        if (!resumed) push([ownerId], message)
        return { messageId: approval.messageId, resumed }
      })
    },

    async clearPending(ownerId, chatId) {
      for (const call of await store.waitingInDeleted(ownerId, chatId))
        bus.publish("approval.decided", { ...call, outcome: "denied" })
    },

    resumeDecided: sweep,

    async start() {
      timer ??= setInterval(() => {
        sweep().catch((error: unknown) =>
          logger.error({ err: error }, "Checking for expired approvals failed"),
        )
      }, sweepMs)
      timer.unref()
      await sweep()
      // The box may have stopped before everyone was notified.
      for (const approval of await store.listAllWaiting()) announceApproval({ bus, push }, approval)
    },

    [Symbol.dispose]: () => clearInterval(timer),
  }
}
