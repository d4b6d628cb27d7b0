import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { Response } from "express"
import type { Endpoint } from "../../../shared/contract/endpoint.ts"
import type { FolderRemote, Visibility } from "../../../shared/contract/folders.ts"
import type { DiskReserve } from "../../core/disk/disk-space.ts"
import type { DbOf } from "../../core/database/database.ts"
import { timestamp } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { currentRequestId } from "../../core/async-context.ts"
import type { Audit, AuditedRequest } from "../../http/serve.ts"
import { accessChanges, audited, changesAccess, loggedDetails } from "./audited.ts"
import {
  createAuditStore,
  recordOutcome,
  type AuditFilter,
  type AuditStore,
  type AuditSubject,
  type StartedAction,
} from "./audit-store.ts"

export interface AuditDeps {
  db: DbOf<"audit">
  logger: Logger
  ageNow(): number
  /** On a full disk, entries use the space reserved for them. */
  reserve: Pick<DiskReserve, "withReserve">
  user(id: string): Promise<{ name: string; email: string } | null>
  getKeys(userId: string): Promise<readonly { id: string; name: string; hint: string }[]>
  /** Returns the name and current access of a folder or assistant; null if it doesn't exist. */
  access(kind: "folder" | "assistant", id: string): Promise<ReadableThing | null>
  maxKept?: number
  maxPerMember?: number
}

export interface ReadableThing {
  name: string
  visibility: Visibility
  /** Folders only. */
  remote?: FolderRemote
}

const retentionDays = 400
const dayMs = 24 * 60 * 60_000
const trimmedEvery = 200
const pageLength = 200

/** Logs actions before they are performed. */
export function createAudit({
  db,
  logger,
  ageNow,
  reserve,
  user,
  getKeys,
  access,
  maxKept = 100_000,
  maxPerMember = 200,
}: AuditDeps) {
  const store: AuditStore = createAuditStore(db)
  let membersTurn: Promise<unknown> = Promise.resolve()
  let addedSinceTrim = 0 // the log is trimmed at start

  async function trim(): Promise<void> {
    addedSinceTrim = 0
    await store.trim(timestamp(ageNow() - retentionDays * dayMs), maxKept)
  }

  /** Enforces a member's daily limit, so that no one else's entries are displaced. */
  function storeMemberAction(userId: string, action: StartedAction): Promise<string | null> {
    // Runs one after another, because several at once could all pass the check.
    const begun = membersTurn.then(async () => {
      const isFull = await store.hasSince(userId, timestamp(ageNow() - dayMs), maxPerMember)
      return isFull ? null : store.begin(action)
    })
    membersTurn = begun.catch(() => undefined)
    return begun
  }

  async function begin(endpoint: Endpoint, { caller, params, body }: AuditedRequest): Promise<string | null> {
    const declared = audited.get(endpoint)
    if (declared === undefined || (typeof declared === "object" && "none" in declared)) return null
    const subjectId = Object.values(params)[0] ?? null
    const kind = changesAccess.get(endpoint)
    const before = kind && subjectId !== null ? await access(kind, subjectId) : null
    const whole = (body ?? {}) as Record<string, unknown>
    const given = kind ? accessChanges(whole, { ...before }) : whole
    const action = typeof declared === "function" ? declared(given) : declared
    if (action === null) return null
    const actor = await user(caller.userId)
    const key =
      caller.via === "key"
        ? (await getKeys(caller.userId)).find(({ id }) => id === caller.credentialId)
        : null
    const begun: StartedAction = {
      actorId: caller.userId,
      actorName: actor?.name ?? null,
      actorEmail: actor?.email ?? null,
      via: caller.via,
      keyId: caller.via === "key" ? caller.credentialId : null,
      keyName: key?.name ?? null,
      keyPrefix: key?.hint ?? null,
      action,
      subjectId,
      subjectName: before && before.name,
      details: loggedDetails(given),
      requestId: currentRequestId() ?? null,
    }
    const id = await reserve.withReserve(() =>
      caller.isOwner ? store.begin(begun) : storeMemberAction(caller.userId, begun),
    )
    if (id === null) return null
    addedSinceTrim++
    if (addedSinceTrim > trimmedEvery) await trim().catch(warn)
    return id
  }

  const warn = (error: unknown) => logger.warn({ err: error }, "The audit log couldn't be written")

  const around: Audit = async (endpoint, request, work) => {
    const id = await begin(endpoint, request)
    return id === null ? work() : recordOutcome(store, id, work, { getSubject: subjectIn, unwritten: warn })
  }

  /** Returns lines of JSON, one page at a time. */
  async function* lines(): AsyncGenerator<string> {
    let before: string | undefined
    for (;;) {
      const entries = await store.list({ limit: pageLength, before })
      if (entries.length > 0) yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")
      if (entries.length < pageLength) return
      before = entries.at(-1)?.id
    }
  }

  return {
    around,
    trim,
    async list({ limit, ...filter }: AuditFilter) {
      const entries = await store.list({ ...filter, limit: limit + 1 })
      return { entries: entries.slice(0, limit), hasMore: entries.length > limit }
    },
    /** Sends the whole log as a file. */
    async send(response: Response): Promise<void> {
      response.setHeader("content-disposition", 'attachment; filename="casella-audit-log.jsonl"')
      response.type("application/x-ndjson")
      await pipeline(Readable.from(lines()), response).catch((error: unknown) => {
        // Clients often disconnect during a download.
        if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error
      })
    },
  }
}
export type AuditLog = ReturnType<typeof createAudit>

/** Returns the subject of an answer. */
function subjectIn(result: unknown): AuditSubject | undefined {
  const answer = (result ?? {}) as Record<string, unknown>
  const found = answer["person"] ?? answer["apiKey"] ?? answer["server"]
  const { id, name } = (found ?? {}) as Record<string, unknown>
  if (typeof id !== "string") return undefined
  return { id, name: typeof name === "string" ? name : null }
}
