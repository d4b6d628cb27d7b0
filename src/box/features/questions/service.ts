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
import { createQuestionStore, present, type Decision, type QuestionRow, type QuestionStore } from "./store.ts"

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

export const createQuestions = (deps: QuestionsDeps): Questions => new QuestionService(deps)

class QuestionService implements Questions {
  readonly #deps: QuestionsDeps
  readonly #store: QuestionStore
  readonly #expiry: Expiry
  /** Emits the ID of each question that is decided. */
  readonly #decisions = new EventEmitter().setMaxListeners(0)
  /** Number of waiting requests per person. */
  readonly #waiting = new Map<string, number>()

  constructor(deps: QuestionsDeps) {
    this.#deps = deps
    this.#store = createQuestionStore(deps.db)
    this.#expiry = new Expiry(deps, this.#store, (row, decision) => this.#decide(row, decision))
  }

  async list({ userId, scopes, credentialId }: Caller, page: Page) {
    const { total, rows } = await this.#store.list(userId, seesAll(scopes) ? null : credentialId, page)
    return { questions: rows.map(present), pagination: paginate(total, page, rows.length) }
  }

  async ask(
    caller: Caller,
    { title, description, choices, default: defaultChoice, expiresInSeconds }: QuestionDraft,
  ): Promise<Question> {
    const moment = this.#deps.now()
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
    await this.#deps.notify(caller, present(row), async (transaction) => {
      if ((await this.#store.countOpen(transaction, caller.userId)) >= maxOpen)
        throw new AppError("conflict", sentence("questions.too_many", { count: maxOpen }))
      await this.#store.insert(transaction, row)
    })
    void this.#expiry.check()
    return present(row)
  }

  async read(caller: Caller, id: string, waitSeconds: number, signal: AbortSignal): Promise<Question> {
    if (waitSeconds > 0) await this.#waitForDecision(caller, id, waitSeconds * 1000, signal)
    return present(await this.#current(caller, id))
  }

  async #waitForDecision(caller: Caller, id: string, ms: number, signal: AbortSignal): Promise<void> {
    const { stopping } = this.#deps
    this.#startWaiting(caller.userId)
    const over = new AbortController()
    const timeout = setTimeout(() => over.abort(), ms)
    try {
      // Listens before reading, because the question might be decided in between.
      const decision = once(this.#decisions, id, {
        signal: AbortSignal.any([over.signal, signal, stopping]),
      }).catch(() => undefined)
      if ((await this.#current(caller, id)).status === "open") await decision
    } finally {
      clearTimeout(timeout)
      over.abort()
      this.#endWaiting(caller.userId)
    }
    signal.throwIfAborted()
    if (stopping.aborted) throw new AppError("unavailable", sentence("http.no_box_runs"))
  }

  #startWaiting(userId: string): void {
    const others = this.#waiting.get(userId) ?? 0
    if (others >= maxWaiting)
      throw new AppError("rate_limited", sentence("questions.too_many_wait", { count: maxWaiting }))
    this.#waiting.set(userId, others + 1)
  }

  #endWaiting(userId: string): void {
    const left = (this.#waiting.get(userId) ?? 1) - 1
    if (left > 0) this.#waiting.set(userId, left)
    else this.#waiting.delete(userId)
  }

  async answer(caller: Caller, id: string, choice: string): Promise<Question> {
    if (caller.via !== "session") throw new AppError("forbidden", sentence("questions.app_only"))
    const row = await this.#current(caller, id)
    const { choices } = present(row)
    if (!choices.includes(choice)) throw invalidField("choice", say("one_of", { values: choices.join(", ") }))
    const answeredAt = timestamp(this.#deps.now())
    const answer: Decision = { status: "answered", answer: choice, answeredAt }
    if (row.status === "open" && (await this.#decide(row, answer))) return present({ ...row, ...answer })
    throw tooLate(await this.#find(caller, id))
  }

  /** Decides the question. Returns whether it was still open. */
  async #decide(row: QuestionRow, decision: Decision): Promise<boolean> {
    let wasOpen = false
    try {
      const question = present({ ...row, ...decision })
      await this.#deps.updateQuestion(row.ownerId, question, async (transaction) => {
        wasOpen = await this.#store.decide(transaction, row.id, decision)
        if (!wasOpen) throw decided // no notification is sent either
      })
    } catch (error) {
      if (error !== decided) throw error
    } finally {
      if (wasOpen) this.#decisions.emit(row.id)
    }
    return wasOpen
  }

  async #find(caller: Caller, id: string): Promise<QuestionRow> {
    const row = await this.#store.find(id)
    if (!row || !maySee(caller, row)) throw new AppError("not_found", sentence("questions.none_such"))
    return row
  }

  /** The question's current state according to the clock, even if the clock has just been changed. */
  async #current(caller: Caller, id: string): Promise<QuestionRow> {
    const row = await this.#find(caller, id)
    if (row.status !== "open" || Date.parse(row.expiresAt) > this.#deps.now()) return row
    await this.#expiry.check()
    return this.#find(caller, id)
  }

  start(): Promise<void> {
    return this.#expiry.check()
  }

  [Symbol.dispose](): void {
    this.#expiry[Symbol.dispose]()
  }
}

/** Expires questions when they are due. */
class Expiry implements Disposable {
  readonly #deps: Pick<QuestionsDeps, "logger" | "now" | "stopping">
  readonly #store: QuestionStore
  readonly #decide: (row: QuestionRow, decision: Decision) => Promise<boolean>
  readonly #lock = createKeyedLock()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(
    deps: Pick<QuestionsDeps, "logger" | "now" | "stopping">,
    store: QuestionStore,
    decide: (row: QuestionRow, decision: Decision) => Promise<boolean>,
  ) {
    this.#deps = deps
    this.#store = store
    this.#decide = decide
  }

  /** Expires overdue questions and schedules the next check for the next due time. */
  check(): Promise<void> {
    return this.#lock.run("look", async () => {
      clearTimeout(this.#timer)
      let next: number | null = this.#deps.now() + checkIntervalMs
      try {
        await this.#expireDue()
        const due = await this.#store.nextDue()
        next = due === null ? null : parseTimestamp(due, this.#deps.now() + pollIntervalMs)
      } catch (error) {
        this.#deps.logger.error({ err: error }, "Checking questions failed")
      }
      if (next !== null) this.#scheduleCheck(next)
    })
  }

  async #expireDue(): Promise<void> {
    for (;;) {
      const due = await this.#store.due(timestamp(this.#deps.now()), expiredAtOnce)
      for (const row of due)
        await this.#decide(row, { status: "expired", answer: row.defaultChoice, answeredAt: null })
      if (due.length < expiredAtOnce) return
    }
  }

  #scheduleCheck(due: number): void {
    if (this.#isClosed || this.#deps.stopping.aborted) return
    const wait = Math.min(Math.max(due - this.#deps.now(), 0), pollIntervalMs)
    this.#timer = setTimeout(() => {
      if (this.#deps.now() < due) this.#scheduleCheck(due)
      else void this.check()
    }, wait).unref()
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }
}

const maySee = ({ userId, scopes, credentialId }: Caller, row: QuestionRow): boolean =>
  row.ownerId === userId && (seesAll(scopes) || row.askedWith === credentialId)

/** Thrown within a transaction that is too late. */
const decided = new Error("The question is decided.")

/** Keys with scopes that may ask can see only their own questions. */
const seesAll = (scopes: Caller["scopes"]): boolean => scopes === null || scopes.includes("read-only")

const tooLate = ({ status, answer }: QuestionRow): AppError =>
  status === "answered"
    ? new AppError("conflict", sentence("questions.answered", { answer: answer ?? "" }))
    : new AppError("conflict", sentence("questions.expired"))
