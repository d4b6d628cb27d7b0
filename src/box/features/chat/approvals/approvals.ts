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

export const createApprovals = (deps: ApprovalsDeps): Approvals => new ApprovalService(deps)

class ApprovalService implements Approvals {
  readonly #deps: ApprovalsDeps
  readonly #lock = createKeyedLock()
  #timer: NodeJS.Timeout | undefined

  constructor(deps: ApprovalsDeps) {
    this.#deps = deps
  }

  async waiting(ownerId: string, chatId: string): Promise<PendingApproval[]> {
    const now = new Date().toISOString()
    const rows = await this.#deps.store.waitingIn(ownerId, chatId)
    return rows.filter(({ expiresAt }) => expiresAt > now).map(toPending)
  }

  async listWaiting(ownerId: string): Promise<WaitingApproval[]> {
    const rows = await this.#deps.store.listWaiting(ownerId, maxListed)
    return rows.map((row) => {
      const { chatId, title, assistantId } = row
      return { ...toPending(row), chatId, title, assistantId }
    })
  }

  async decide(
    caller: Caller,
    chatId: string,
    toolCallId: string,
    answer: ApprovalAnswer,
  ): Promise<{ messageId: string; resumed: boolean }> {
    const ownerId = caller.userId
    const run = this.#deps.runs.find(ownerId, chatId)
    if (run?.status === "active") await waitAtMost(streamEndMs, run.ended)
    return this.#lock.run(getKey({ ownerId, chatId }), async () => {
      await this.#expire()
      const approval = await this.#deps.store.find(ownerId, chatId, toolCallId)
      if (!approval) throw new AppError("not_found", sentence("chat.no_call_waits"))
      if (approval.state === "expired") throw new AppError("conflict", sentence("chat.call_expired"))
      this.#deps.requireModel()
      if (!(await this.#deps.store.decide(approval, answer)))
        throw new AppError("conflict", sentence("chat.call_answered"))
      const outcome = answer.decision === "allow" ? "allowed" : "denied"
      this.#deps.bus.publish("approval.decided", {
        ownerId,
        chatId,
        toolCallId,
        toolName: approval.toolName,
        outcome,
      })
      const [parked] = await this.#deps.decidedTurns({ ownerId, chatId })
      const resumed = parked !== undefined && (await this.#tryResume(parked, caller))
      // The owner's other windows remove the approval. If the turn resumes, it notifies them itself.
      const message = { type: "chat", chatId, status: "completed" } as const
      if (!resumed) this.#deps.push([ownerId], message)
      return { messageId: approval.messageId, resumed }
    })
  }

  async #expire(): Promise<void> {
    for (const call of await this.#deps.store.expire())
      this.#deps.bus.publish("approval.decided", { ...call, outcome: "expired" })
  }

  async #tryResume(parked: Parked, caller: Caller | null): Promise<boolean> {
    try {
      this.#deps.requireModel()
      await this.#deps.resume(parked, caller)
      return true
    } catch (error) {
      this.#deps.logger.warn({ err: error, chatId: parked.chatId }, "A waiting turn can't resume yet")
      return false
    }
  }

  async clearPending(ownerId: string, chatId: string): Promise<void> {
    for (const call of await this.#deps.store.waitingInDeleted(ownerId, chatId))
      this.#deps.bus.publish("approval.decided", { ...call, outcome: "denied" })
  }

  /** Resumes turns that no longer wait for a decision. Turns that can't resume now are retried later. */
  async resumeDecided(): Promise<void> {
    await this.#expire()
    for (const parked of await this.#deps.decidedTurns())
      await this.#lock.run(getKey(parked), () => this.#tryResume(parked, null)) // serialised with `decide`, which resumes the turn itself and reports that to its caller
  }

  async start(): Promise<void> {
    this.#timer ??= setInterval(() => {
      this.resumeDecided().catch((error: unknown) =>
        this.#deps.logger.error({ err: error }, "Checking for expired approvals failed"),
      )
    }, sweepMs)
    this.#timer.unref()
    await this.resumeDecided()
    // The box may have stopped before everyone was notified.
    for (const approval of await this.#deps.store.listAllWaiting())
      announceApproval({ bus: this.#deps.bus, push: this.#deps.push }, approval)
  }

  [Symbol.dispose](): void {
    return clearInterval(this.#timer)
  }
}
