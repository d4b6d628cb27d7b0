import { EventEmitter, once } from "node:events"
import { AppError, invalidField } from "../../../shared/contract/errors.ts"
import { paginate, type Page, type Pagination } from "../../../shared/contract/primitives.ts"
import type { Question, QuestionDraft } from "../../../shared/contract/questions.ts"
import { say } from "../../../shared/contract/wrong.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { AlsoWrite, DbOf } from "../../core/database/database.ts"
import { newId, parseTimestamp, timestamp } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { createKeyedLock } from "../../core/waiting/keyed-lock.ts"
import type { Caller } from "../../http/caller.ts"
import { createQuestionStore, present, type Decision, type QuestionRow } from "./store.ts"

export interface QuestionsDeps {
  db: DbOf<"questions">
  logger: Logger
  /** Aborted once the box stops. */
  stopping: AbortSignal
  /** In ms since 1970; tests have one of their own. */
  now(): number
  /** Tells the person; `also` is written with it, or nothing is. */
  tell(caller: Caller, question: Question, also: AlsoWrite): Promise<void>
  /** Tells them what became of it; `also` is written with it, or nothing is. */
  retell(ownerId: string, question: Question, also: AlsoWrite): Promise<void>
}

/** What people are asked, and what they choose (extensions.md 4). Nobody but the person it is for sees a question. */
export interface Questions extends Disposable {
  /** Those that wait for an answer, newest first. */
  list(caller: Caller, page: Page): Promise<{ questions: Question[]; pagination: Pagination }>
  /** Throws `conflict` where too many are open. */
  ask(caller: Caller, draft: QuestionDraft): Promise<Question>
  /**
   * The question once it is decided, or else as it is after so many seconds. Throws `not_found`, `rate_limited` where too many
   * wait, `unavailable` when the box stops, and the signal's reason.
   */
  read(caller: Caller, id: string, waitSeconds: number, signal: AbortSignal): Promise<Question>
  /** The first answer counts. Throws `conflict` for others, and where the time is over. */
  answer(caller: Caller, id: string, choice: string): Promise<Question>
  /** Lets those expire whose time is over, now and as long as there are open ones. */
  start(): Promise<void>
}

/** Open questions of one person. */
const mostOpen = 100
/** Requests of one person that wait for answers at a time. */
const mostWaiting = 100
const expiredAtOnce = 100
/** The clock is looked at so often while a question is open: clocks are set, and computers sleep. */
const lookMs = 15_000
/** How soon it is tried again what failed. */
const againMs = 5_000

export function createQuestions(deps: QuestionsDeps): Questions {
  const { logger, now, stopping } = deps
  const store = createQuestionStore(deps.db)
  const lock = createKeyedLock()
  /** Told the id of each question that is decided. */
  const decisions = new EventEmitter().setMaxListeners(0)
  const waiting = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let closed = false

  /** Whether the question was open until now. */
  async function decide(row: QuestionRow, decision: Decision): Promise<boolean> {
    let wasOpen = false
    try {
      await deps.retell(row.ownerId, present({ ...row, ...decision }), async (transaction) => {
        wasOpen = await store.decide(transaction, row.id, decision)
        if (!wasOpen) throw decided // nor is anything told
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

  /** Lets expire what is due, and comes again when the next one is. */
  const look = (): Promise<void> =>
    lock.run("look", async () => {
      clearTimeout(timer)
      let next: number | null = now() + againMs
      try {
        await expireDue()
        const due = await store.nextDue()
        next = due === null ? null : parseTimestamp(due, now() + lookMs)
      } catch (error) {
        logger.error({ err: error }, "Questions weren't looked at")
      }
      if (next !== null) lookAt(next)
    })

  function lookAt(due: number): void {
    if (closed || stopping.aborted) return
    const wait = Math.min(Math.max(due - now(), 0), lookMs)
    timer = setTimeout(() => (now() < due ? lookAt(due) : void look()), wait).unref()
  }

  const maySee = ({ userId, scopes, credentialId }: Caller, row: QuestionRow): boolean =>
    row.ownerId === userId && (seesAll(scopes) || row.askedWith === credentialId)

  async function find(caller: Caller, id: string): Promise<QuestionRow> {
    const row = await store.find(id)
    if (!row || !maySee(caller, row)) throw new AppError("not_found", sentence("questions.none_such"))
    return row
  }

  /** As it is by the clock, also where that has just been set. */
  async function current(caller: Caller, id: string): Promise<QuestionRow> {
    const row = await find(caller, id)
    if (row.status !== "open" || Date.parse(row.expiresAt) > now()) return row
    await look()
    return find(caller, id)
  }

  async function untilDecided(caller: Caller, id: string, ms: number, signal: AbortSignal): Promise<void> {
    const { userId } = caller
    const others = waiting.get(userId) ?? 0
    if (others >= mostWaiting)
      throw new AppError("rate_limited", sentence("questions.too_many_wait", { count: mostWaiting }))
    waiting.set(userId, others + 1)
    const over = new AbortController()
    const timeout = setTimeout(() => over.abort(), ms)
    try {
      // Heard before it is read: else it might be decided in between.
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
      await deps.tell(caller, present(row), async (transaction) => {
        if ((await store.countOpen(transaction, caller.userId)) >= mostOpen)
          throw new AppError("conflict", sentence("questions.too_many", { count: mostOpen }))
        await store.insert(transaction, row)
      })
      void look()
      return present(row)
    },

    async read(caller, id, waitSeconds, signal) {
      if (waitSeconds > 0) await untilDecided(caller, id, waitSeconds * 1000, signal)
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

    start: look,

    [Symbol.dispose]() {
      closed = true
      clearTimeout(timer)
    },
  }
}

/** Thrown within a transaction that comes too late. */
const decided = new Error("The question is decided.")

/** Keys with the scopes to ask see what they asked themselves. */
const seesAll = (scopes: Caller["scopes"]): boolean => scopes === null || scopes.includes("read-only")

const tooLate = ({ status, answer }: QuestionRow): AppError =>
  status === "answered"
    ? new AppError("conflict", sentence("questions.answered", { answer: answer ?? "" }))
    : new AppError("conflict", sentence("questions.expired"))
