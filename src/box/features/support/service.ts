import { AppError } from "../../../shared/contract/errors.ts"
import type { LogLine as BoxLogLine } from "../../../shared/contract/logs.ts"
import { paginate, type Page, type Pagination } from "../../../shared/contract/primitives.ts"
import {
  maxWaitingTickets,
  type OutboxProblem,
  type SupportAccount,
  type SupportDraft,
  type SupportSignIn,
  type SupportTicket,
} from "../../../shared/contract/support.ts"
import type { LogLine, TicketStatus } from "../../../shared/contract/tickets.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { DbOf } from "../../core/database/database.ts"
import { newId, timestamp } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { Outbound } from "../../core/outbound/outbound.ts"
import type { SecretStore } from "../../core/secret-store.ts"
import { createKeyedLock } from "../../core/waiting/locks.ts"
import type { AuthService } from "./auth-service.ts"
import { createCloudAccounts } from "./cloud-account.ts"
import { createFollower } from "./follower.ts"
import { createSender, moments, cleanDraft, cleanLines, fromBoxLog } from "./sender.ts"
import { createOutboxStore, createSendQueue, createSentTickets, presentTicket } from "./ticket-store.ts"

/** The auth service at a URL. Its client code is loaded with the first request, because most servers never make one. */
function openAuthService(
  url: string,
  outbound: Pick<Outbound, "fetch" | "refusal">,
  signal: AbortSignal,
): AuthService {
  const open = async () => (await import("./ask-auth-service.ts")).askAuthService(url, outbound, signal)
  return {
    url,
    refusal: () => outbound.refusal(url),
    createKey: async (email, password) => (await open()).createKey(email, password),
    endKey: async (key) => (await open()).endKey(key),
    createTicket: async (key, body) => (await open()).createTicket(key, body),
    listOwnTickets: async (key, externalId) => (await open()).listOwnTickets(key, externalId),
  }
}

export interface SupportDeps {
  db: DbOf<"support">
  secrets: SecretStore
  outbound: Pick<Outbound, "fetch" | "refusal">
  authUrl: string | null
  version: string
  logger: Logger
  /** The last lines of the server's log, without secrets; empty for users who may not read it. */
  lastLogLines(userId: string): Promise<BoxLogLine[]>
  /** Called when a user's reports have changed. */
  changed(userId: string): void
  refused(ticket: { ownerId: string; id: string; title: string; problem: OutboxProblem }): Promise<void>
  statusChanged(ticket: {
    ownerId: string
    ticketId: string
    title: string
    status: TicketStatus
  }): Promise<void>
}

/** A user's reports to support. They are written here, sent as soon as possible and followed afterwards. */
export interface Support extends AsyncDisposable {
  start(): Promise<void>
  /** Retries waiting reports when local-only was changed. */
  wakeBlocked(): Promise<void>
  account(userId: string): Promise<SupportAccount>
  signIn(userId: string, credentials: SupportSignIn): Promise<SupportAccount>
  signOut(userId: string): Promise<SupportAccount>
  logs(userId: string, uiLogs: LogLine[]): Promise<{ uiLogs: LogLine[]; serverLogs: LogLine[] }>
  list(userId: string, page: Page): Promise<{ tickets: SupportTicket[]; pagination: Pagination }>
  /** The report is stored durably when the promise resolves. Throws `conflict` if too many are waiting. */
  create(userId: string, draft: SupportDraft): Promise<SupportTicket>
  /** `draft` is null after the report was sent. Throws `not_found`. */
  read(userId: string, id: string): Promise<{ ticket: SupportTicket; draft: SupportDraft | null }>
  /** Throws `not_found`, or `conflict` if the report was sent or may have been. */
  change(userId: string, id: string, draft: SupportDraft): Promise<SupportTicket>
  retry(userId: string, id: string): Promise<SupportTicket>
  /** Throws `not_found`, or `conflict` while the report is being sent. */
  remove(userId: string, id: string): Promise<void>
}

export function createSupport(deps: SupportDeps): Support {
  const stopping = new AbortController()
  const service = deps.authUrl === null ? null : openAuthService(deps.authUrl, deps.outbound, stopping.signal)
  const accounts = createCloudAccounts(deps.secrets, service)
  const store = createOutboxStore(deps.db)
  const queue = createSendQueue(deps.db)
  const tickets = createSentTickets(deps.db)
  const { changed } = deps
  const lock = createKeyedLock()
  const getKey = (userId: string) => accounts.key(userId)
  const sender = createSender({ ...deps, queue, tickets, service, getKey })
  const follower = createFollower({ ...deps, tickets, service, getKey })

  async function ticket(userId: string, id: string): Promise<SupportTicket> {
    const row = await store.find(userId, id)
    if (!row) throw new AppError("not_found", sentence("support.none_such"))
    return presentTicket(row)
  }

  /** Runs one at a time, so that concurrent reports don't all find room. */
  async function create(userId: string, draft: SupportDraft): Promise<SupportTicket> {
    if ((await store.countUnsent(userId)) >= maxWaitingTickets) {
      throw new AppError("conflict", sentence("support.too_many_wait", { count: maxWaitingTickets }))
    }
    const row = newReport(userId, cleanDraft(draft), deps.version)
    await store.insert(row)
    sender.wake()
    changed(userId)
    return ticket(userId, row.id)
  }

  return {
    async start() {
      await sender.start()
      follower.start()
    },
    wakeBlocked: sender.wakeBlocked,
    account: accounts.read,

    async signIn(userId, credentials) {
      const account = await accounts.signIn(userId, credentials)
      await store.dueForAccount(userId, moments())
      sender.wake()
      follower.checkTickets(userId)
      return account
    },
    signOut: accounts.signOut,

    async logs(userId, uiLogs) {
      return { uiLogs: cleanLines(uiLogs), serverLogs: fromBoxLog(await deps.lastLogLines(userId)) }
    },

    async list(userId, page) {
      follower.checkTickets(userId)
      const { rows, total } = await store.list(userId, page)
      return { tickets: rows.map(presentTicket), pagination: paginate(total, page, rows.length) }
    },

    create: (userId, draft) => lock.run(userId, () => create(userId, draft)),

    async read(userId, id) {
      return { ticket: await ticket(userId, id), draft: (await queue.unsent(id))?.draft ?? null }
    },

    async change(userId, id, draft) {
      await ticket(userId, id)
      if (!(await store.replace(userId, id, cleanDraft(draft), timestamp()))) {
        throw new AppError("conflict", sentence("support.sent_already"))
      }
      sender.wake()
      changed(userId)
      return ticket(userId, id)
    },

    async retry(userId, id) {
      await ticket(userId, id)
      await store.due(userId, id, moments())
      sender.wake()
      return ticket(userId, id)
    },

    async remove(userId, id) {
      await ticket(userId, id)
      if (!(await store.remove(userId, id))) {
        throw new AppError("conflict", sentence("support.being_sent"))
      }
      changed(userId)
    },

    async [Symbol.asyncDispose]() {
      stopping.abort(new Error("Casella is stopping."))
      await sender[Symbol.asyncDispose]()
      await follower[Symbol.asyncDispose]()
    },
  }
}

function newReport(ownerId: string, draft: SupportDraft, appVersion: string) {
  const { type, title, description } = draft
  const now = timestamp()
  return {
    id: newId(),
    ownerId,
    state: "waiting" as const,
    type,
    title,
    description,
    problem: null,
    attempts: 0,
    nextAttemptAt: now,
    ticketId: null,
    status: null,
    statusChangedAt: null,
    createdAt: now,
    sentAt: null,
    context: JSON.stringify({ appVersion, platform: process.platform, writtenAt: now }),
    draft: JSON.stringify(draft),
  }
}
