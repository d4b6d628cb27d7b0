import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { Response } from "express"
import { api } from "../../../shared/contract/api.ts"
import type { AuditAction, AuditDetails } from "../../../shared/contract/audit-log.ts"
import type { Endpoint } from "../../../shared/contract/endpoint.ts"
import { FolderRemote, Visibility } from "../../../shared/contract/folders.ts"
import { BoxSettings } from "../../../shared/contract/settings.ts"
import { currentRequestId } from "../../core/async-context.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { DiskReserve } from "../../core/disk/disk-space.ts"
import { timestamp } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { AuditedRequest } from "../../http/serve.ts"
import {
  createAuditStore,
  recordOutcome,
  type AuditFilter,
  type AuditStore,
  type AuditSubject,
  type StartedAction,
} from "./audit-store.ts"

type Body = Readonly<Record<string, unknown>>
/** An action, a function that determines it from the body (null: not logged), or the reason why nothing is logged. */
type Audited = AuditAction | ((body: Body) => AuditAction | null) | { none: string }

const { people, keys, quotas, settings, models, modelServers, modelOptions, privacy, storage, auditLog } = api
const { folders, assistants } = api

/**
 * How each endpoint is logged that writes and is for owners only, that creates or revokes credentials, or that changes access to folders
 * and assistants.
 */
export const audited: ReadonlyMap<Endpoint, Audited> = new Map<Endpoint, Audited>([
  [people.add, "people.added"],
  [
    people.update,
    ({ disabled, role }) => {
      if (disabled !== undefined) return disabled === true ? "people.disabled" : "people.enabled"
      return role === undefined ? "people.changed" : "people.role_changed"
    },
  ],
  [people.signInLinks, "people.link_made"],
  [quotas.setDefault, "people.limits_set"],
  [quotas.setPerson, "people.limits_set"],
  [quotas.setWorkspace, "people.limits_set"],
  [keys.create, "keys.created"],
  [keys.revoke, "keys.revoked"],
  [
    settings.update,
    (body) => {
      const changed = Object.keys(body).filter((key) => key in BoxSettings.shape)
      if (changed.length === 0) return null
      if (changed.length > 1) return "settings.changed"
      if (changed[0] === "localOnly") return "local_only.switched"
      return changed[0] === "networkAccess" ? "network_access.switched" : "settings.changed"
    },
  ],
  [models.choose, "models.chosen"],
  [models.add, "models.added"],
  [models.remove, "models.removed"],
  [models.download, "models.added"],
  [models.tryGpuAgain, { none: "Only asks the graphics card once more." }],
  [models.pauseDownload, { none: "The download was recorded when it started." }],
  [models.resumeDownload, { none: "The download was recorded when it started." }],
  [models.cancelDownload, { none: "The download was recorded when it started." }],
  [modelOptions.update, "models.options_changed"],
  [modelServers.add, "model_server.added"],
  [modelServers.update, "model_server.changed"],
  [modelServers.refresh, { none: "Asks a server that is there already." }],
  [modelServers.remove, "model_server.removed"],
  [privacy.clear, "egress.cleared"],
  [storage.emptyTrash, "storage.trash_emptied"],
  [storage.removeCopy, "storage.copy_removed"],
  [storage.startBackup, "backup.made"],
  [storage.downloadBackup, "backup.downloaded"],
  [storage.removeBackup, "backup.removed"],
  [storage.planBackups, "backup.planned"],
  [storage.stageRestore, "backup.restore_staged"],
  [storage.discardRestore, "backup.restore_discarded"],
  [
    storage.decideHeld,
    ({ decision }) => (decision === "turn_on" ? "backup.held_turned_on" : "backup.held_kept_off"),
  ],
  [auditLog.file, "audit_log.downloaded"],
  [folders.update, (changes) => (isEmpty(changes) ? null : "folders.access_changed")],
  [assistants.update, (changes) => (isEmpty(changes) ? null : "assistants.access_changed")],
])
const isEmpty = (body: Body) => Object.keys(body).length === 0

/** Endpoints of which only access changes are logged. */
const changesAccess: ReadonlyMap<Endpoint, "folder" | "assistant"> = new Map<
  Endpoint,
  "folder" | "assistant"
>([
  [folders.update, "folder"],
  [assistants.update, "assistant"],
])
const accessFields = ["visibility", "remote"]

/** The fields of a body that change access; `before` holds the current values. */
const accessChanges = (body: Body, before: Body): Body =>
  Object.fromEntries(
    accessFields
      .filter((field) => body[field] != null && field in before && body[field] !== before[field])
      .map((field) => [field, body[field]]),
  )

/** The parts of a body that are logged: switches, numbers, roles and access. Of other texts, which may be secret, only the field name is. */
function loggedDetails(body: Body): AuditDetails {
  const fields = Object.entries(body).map(([key, value]) => {
    const isPlain = typeof value === "boolean" || typeof value === "number"
    const isLogged = typeof value === "string" && loggedTexts[key]?.includes(value) === true
    return [key, isPlain || isLogged ? value : null] as const
  })
  return Object.fromEntries(fields)
}
const loggedTexts: Readonly<Record<string, readonly string[]>> = {
  role: ["owner", "member"],
  visibility: Visibility.options,
  remote: FolderRemote.options,
}

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

export class AuditLog {
  readonly #deps: AuditDeps
  readonly #maxKept: number
  readonly #maxPerMember: number
  readonly #store: AuditStore
  #membersTurn: Promise<unknown> = Promise.resolve()
  #addedSinceTrim = 0

  constructor(deps: AuditDeps) {
    this.#deps = deps
    this.#maxKept = deps.maxKept ?? 100_000
    this.#maxPerMember = deps.maxPerMember ?? 200
    this.#store = createAuditStore(deps.db)
  }

  async around(endpoint: Endpoint, request: AuditedRequest, work: () => Promise<unknown>) {
    const id = await this.#begin(endpoint, request)
    return id === null
      ? work()
      : recordOutcome(this.#store, id, work, {
          getSubject: subjectIn,
          unwritten: (error) => this.#warn(error),
        })
  }

  async #begin(endpoint: Endpoint, { caller, params, body }: AuditedRequest): Promise<string | null> {
    const declared = audited.get(endpoint)
    if (declared === undefined || (typeof declared === "object" && "none" in declared)) return null
    const subjectId = Object.values(params)[0] ?? null
    const kind = changesAccess.get(endpoint)
    const before = kind && subjectId !== null ? await this.#deps.access(kind, subjectId) : null
    const whole = (body ?? {}) as Record<string, unknown>
    const given = kind ? accessChanges(whole, { ...before }) : whole
    const action = typeof declared === "function" ? declared(given) : declared
    if (action === null) return null
    const actor = await this.#deps.user(caller.userId)
    const key =
      caller.via === "key"
        ? (await this.#deps.getKeys(caller.userId)).find(({ id }) => id === caller.credentialId)
        : null
    const started: StartedAction = {
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
    const id = await this.#deps.reserve.withReserve(() =>
      caller.isOwner ? this.#store.begin(started) : this.#storeMemberAction(caller.userId, started),
    )
    if (id === null) return null
    this.#addedSinceTrim++
    if (this.#addedSinceTrim > trimmedEvery) await this.trim().catch((error) => this.#warn(error))
    return id
  }

  /** Enforces a member's daily limit, so that no one else's entries are displaced. */
  #storeMemberAction(userId: string, action: StartedAction): Promise<string | null> {
    // Runs one after another, because several at once could all pass the check.
    const started = this.#membersTurn.then(async () => {
      const isFull = await this.#store.hasSince(
        userId,
        timestamp(this.#deps.ageNow() - dayMs),
        this.#maxPerMember,
      )
      return isFull ? null : this.#store.begin(action)
    })
    this.#membersTurn = started.catch(() => undefined)
    return started
  }

  #warn(error: unknown) {
    return this.#deps.logger.warn({ err: error }, "The audit log couldn't be written")
  }

  async trim(): Promise<void> {
    this.#addedSinceTrim = 0
    await this.#store.trim(timestamp(this.#deps.ageNow() - retentionDays * dayMs), this.#maxKept)
  }

  async list({ limit, ...filter }: AuditFilter) {
    const entries = await this.#store.list({ ...filter, limit: limit + 1 })
    return { entries: entries.slice(0, limit), hasMore: entries.length > limit }
  }

  /** Sends the whole log as a file. */
  async send(response: Response): Promise<void> {
    response.setHeader("content-disposition", 'attachment; filename="casella-audit-log.jsonl"')
    response.type("application/x-ndjson")
    await pipeline(Readable.from(this.#lines()), response).catch((error: unknown) => {
      // Clients often disconnect during a download.
      if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error
    })
  }

  /** Returns lines of JSON, one page at a time. */
  async *#lines(): AsyncGenerator<string> {
    let before: string | undefined
    for (;;) {
      const entries = await this.#store.list({ limit: pageLength, before })
      if (entries.length > 0) yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")
      if (entries.length < pageLength) return
      before = entries.at(-1)?.id
    }
  }
}

/** Logs actions before they are performed. */
export const createAudit = (deps: AuditDeps): AuditLog => new AuditLog(deps)

/** Returns the subject of an answer. */
function subjectIn(result: unknown): AuditSubject | undefined {
  const answer = (result ?? {}) as Record<string, unknown>
  const found = answer["person"] ?? answer["apiKey"] ?? answer["server"]
  const { id, name } = (found ?? {}) as Record<string, unknown>
  if (typeof id !== "string") return undefined
  return { id, name: typeof name === "string" ? name : null }
}
