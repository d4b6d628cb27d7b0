import { EventEmitter, once } from "node:events"
import { AppError, invalidField } from "../../../shared/contract/errors.ts"
import { paginate, type Page, type Pagination } from "../../../shared/contract/primitives.ts"
import type { Question, QuestionDraft } from "../../../shared/contract/questions.ts"
import { say } from "../../../shared/contract/wrong.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { AlsoWrite, DbOf } from "../../core/database/database.ts"
import { newId, parseTimestamp, timestamp } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { createKeyedLock } from "../../core/waiting/locks.ts"
import type { Caller } from "../../http/caller.ts"
import { createQuestionStore, present, type Decision, type QuestionRow } from "./store.ts"

export interface QuestionsDeps {
  db: DbOf<"questions">
  logger: Logger
  /** Aborted when the server stops. */
  stopping: AbortSignal
  /** Current time in ms since 1970; tests set their own. */
  now(): number
  /** Notifies the person; `also` is written in the same transaction, or neither is. */
  notify(caller: Caller, question: Question, also: AlsoWrite): Promise<void>
  /** Notifies the person of the outcome; `also` is written in the same transaction, or neither is. */
  updateQuestion(ownerId: string, question: Question, also: AlsoWrite): Promise<void>
}

/** Questions to people and the choices they make. Only the person a question is for can see it. */
export interface Questions extends Disposable {
  /** Open questions, newest first. */
  list(caller: Caller, page: Page): Promise<{ questions: Question[]; pagination: Pagination }>
  /** Throws `conflict` if too many questions are open. */
  ask(caller: Caller, draft: QuestionDraft): Promise<Question>
  /**
   * Returns the question when it is decided, or its current state after this many seconds. Throws `not_found`, `rate_limited` if too many
   * callers wait, `unavailable` when the server stops, and the signal's reason.
   */
  read(caller: Caller, id: string, waitSeconds: number, signal: AbortSignal): Promise<Question>
  /** Only the first answer is accepted. Throws `conflict` for later answers, and after the time is over. */
  answer(caller: Caller, id: string, choice: string): Promise<Question>
  /** Expires overdue questions, now and as long as there are open ones. */
  start(): Promise<void>
}

/** Maximum number of open questions per person. */
const maxOpen = 100
/** Maximum number of concurrent waiting requests per person. */
const maxWaiting = 100
const expiredAtOnce = 100
/** How often the clock is checked while a question is open, because clocks are changed and computers sleep. */
const pollIntervalMs = 15_000
/** Delay before retrying after a failure. */
const checkIntervalMs = 5_000

export function createQuestions(deps: QuestionsDeps): Questions {
  const { logger, now, stopping } = deps
  const store = createQuestionStore(deps.db)
  const lock = createKeyedLock()
  /** Emits the ID of each question that is decided. */
  const decisions = new EventEmitter().setMaxListeners(0)
  const waiting = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let closed = false

  /** Decides the question. Returns whether it was still open. */
  async function decide(row: QuestionRow, decision: Decision): Promise<boolean> {
    let wasOpen = false
    try {
      await deps.updateQuestion(row.ownerId, present({ ...row, ...decision }), async (transaction) => {
        wasOpen = await store.decide(transaction, row.id, decision)
        if (!wasOpen) throw decided // no notification is sent either
      })
    } catch (error) {
      if (error !== decided) throw error
    } finally {
      if (wasOpen) decisions.emit(row.id)
    }
    return wasOpen
  }

  async function expireDue(): Promise<void> {
    for (;;) {
      const due = await store.due(timestamp(now()), expiredAtOnce)
      for (const row of due)
        await decide(row, { status: "expired", answer: row.defaultChoice, answeredAt: null })
      if (due.length < expiredAtOnce) return
    }
  }

  /** Expires overdue questions and schedules the next check for the next due time. */
  const check = (): Promise<void> =>
    lock.run("look", async () => {
      clearTimeout(timer)
      let next: number | null = now() + checkIntervalMs
      try {
        await expireDue()
        const due = await store.nextDue()
        next = due === null ? null : parseTimestamp(due, now() + pollIntervalMs)
      } catch (error) {
        logger.error({ err: error }, "Checking questions failed")
      }
      if (next !== null) scheduleCheck(next)
    })

  function scheduleCheck(due: number): void {
    if (closed || stopping.aborted) return
    const wait = Math.min(Math.max(due - now(), 0), pollIntervalMs)
    timer = setTimeout(() => (now() < due ? scheduleCheck(due) : void check()), wait).unref()
  }

  const maySee = ({ userId, scopes, credentialId }: Caller, row: QuestionRow): boolean =>
    row.ownerId === userId && (seesAll(scopes) || row.askedWith === credentialId)

  async function find(caller: Caller, id: string): Promise<QuestionRow> {
    const row = await store.find(id)
    if (!row || !maySee(caller, row)) throw new AppError("not_found", sentence("questions.none_such"))
    return row
  }

  /** The question's current state according to the clock, even if the clock has just been changed. */
  async function current(caller: Caller, id: string): Promise<QuestionRow> {
    const row = await find(caller, id)
    if (row.status !== "open" || Date.parse(row.expiresAt) > now()) return row
    await check()
    return find(caller, id)
  }

  async function waitForDecision(caller: Caller, id: string, ms: number, signal: AbortSignal): Promise<void> {
    const { userId } = caller
    const others = waiting.get(userId) ?? 0
    if (others >= maxWaiting)
      throw new AppError("rate_limited", sentence("questions.too_many_wait", { count: maxWaiting }))
    waiting.set(userId, others + 1)
    const over = new AbortController()
    const timeout = setTimeout(() => over.abort(), ms)
    try {
      // Listens before reading, because the question might be decided in between.
      const decision = once(decisions, id, {
        signal: AbortSignal.any([over.signal, signal, stopping]),
      }).catch(() => undefined)
      if ((await current(caller, id)).status === "open") await decision
    } finally {
      clearTimeout(timeout)
      over.abort()
      const left = (waiting.get(userId) ?? 1) - 1
      if (left > 0) waiting.set(userId, left)
      else waiting.delete(userId)
    }
    signal.throwIfAborted()
    if (stopping.aborted) throw new AppError("unavailable", sentence("http.no_box_runs"))
  }

  return {
    async list({ userId, scopes, credentialId }, page) {
      const { total, rows } = await store.list(userId, seesAll(scopes) ? null : credentialId, page)
      return { questions: rows.map(present), pagination: paginate(total, page, rows.length) }
    },

    async ask(caller, { title, description, choices, default: defaultChoice, expiresInSeconds }) {
      const moment = now()
      const row: QuestionRow = {
        id: newId(),
        ownerId: caller.userId,
        askedWith: caller.credentialId,
        title,
        description,
        choices: JSON.stringify(choices),
        defaultChoice,
        status: "open",
        answer: null,
        answeredAt: null,
        expiresAt: timestamp(moment + expiresInSeconds * 1000),
        createdAt: timestamp(moment),
      }
      await deps.notify(caller, present(row), async (transaction) => {
        if ((await store.countOpen(transaction, caller.userId)) >= maxOpen)
          throw new AppError("conflict", sentence("questions.too_many", { count: maxOpen }))
        await store.insert(transaction, row)
      })
      void check()
      return present(row)
    },

    async read(caller, id, waitSeconds, signal) {
      if (waitSeconds > 0) await waitForDecision(caller, id, waitSeconds * 1000, signal)
      return present(await current(caller, id))
    },

    async answer(caller, id, choice) {
      if (caller.via !== "session") throw new AppError("forbidden", sentence("questions.app_only"))
      const row = await current(caller, id)
      const { choices } = present(row)
      if (!choices.includes(choice))
        throw invalidField("choice", say("one_of", { values: choices.join(", ") }))
      const answer: Decision = { status: "answered", answer: choice, answeredAt: timestamp(now()) }
      if (row.status === "open" && (await decide(row, answer))) return present({ ...row, ...answer })
      throw tooLate(await find(caller, id))
    },

    start: check,

    [Symbol.dispose]() {
      closed = true
      clearTimeout(timer)
    },
  }
}

/** Thrown within a transaction that is too late. */
const decided = new Error("The question is decided.")

/** Keys with scopes that may ask can see only their own questions. */
const seesAll = (scopes: Caller["scopes"]): boolean => scopes === null || scopes.includes("read-only")

const tooLate = ({ status, answer }: QuestionRow): AppError =>
  status === "answered"
    ? new AppError("conflict", sentence("questions.answered", { answer: answer ?? "" }))
    : new AppError("conflict", sentence("questions.expired"))
