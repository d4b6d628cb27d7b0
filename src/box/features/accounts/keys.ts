import { sql } from "kysely"
import type { ApiKey, KeyCall } from "../../../shared/contract/accounts.ts"
import { Scope } from "../../../shared/contract/endpoint.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import {
  type DbOf,
  createRemembered,
  type Remembered,
  type DatabaseState,
} from "../../core/database/database.ts"
import { createPreparedQuery, readStored } from "../../core/database/sql-helpers.ts"
import { timestamp, hashSecret, newId, newSecret } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { Caller } from "../../http/caller.ts"
import { isOwner } from "./people.ts"

/** Precision of `lastUsedAt`. Writing it on each request would cost more than the request itself. */
const granularityMs = 60_000

/** Records when each key was last used. */
function createLastUse(db: DbOf<"accounts">) {
  /** Time of the last write for each key, from `performance.now`. */
  const written = new Map<string, number>()
  return {
    async record(id: string): Promise<void> {
      const now = performance.now()
      if (now - (written.get(id) ?? -Infinity) < granularityMs) return
      written.set(id, now)
      await db
        .updateTable("apiKeys")
        .set({ lastUsedAt: timestamp() })
        .where("id", "=", id)
        .execute()
        .catch(() => written.delete(id)) // on a full disk keys still work; the next use tries again
    },
    forget: (id: string): void => void written.delete(id),
  }
}

export interface KeyDraft {
  name: string
  kind?: ApiKey["kind"]
  scopes?: Scope[] | null
}

/** API keys of the box. Only their SHA-256 hash is stored. */
export interface Keys {
  list(userId: string): Promise<ApiKey[]>
  listAll(): Promise<(ApiKey & { email: string })[]>
  /** Returns the new key, which can't be retrieved later. Throws `conflict` when the user has too many. */
  create(userId: string, draft: KeyDraft): Promise<{ key: string; apiKey: ApiKey }>
  /** Revokes a key immediately. With `userId` null, the key may belong to any user. Throws `not_found`. */
  revoke(userId: string | null, id: string): Promise<void>
  /** Throws `not_found` unless the key belongs to this user. */
  require(userId: string, id: string): Promise<void>
  callerOfKey(key: string): Promise<Caller | null>
  /** Returns those of the credentials that are no longer valid: they don't exist, or their user may not sign in. */
  revoked(credentialIds: readonly string[]): Promise<string[]>
}

const hintLength = 10
/** The first characters of a key, by which people recognise it. */
export const getHint = (key: string): string => key.slice(0, hintLength)

/** Maximum number of keys per user. */
const maxKeys = 500

/** Maximum number of callers cached between two database writes. */
const maxRemembered = 100

const columns = ["id", "name", "kind", "scopes", "hint", "createdAt", "lastUsedAt"] as const

export const createKeys = (
  db: DbOf<"accounts">,
  onRevoked: (id: string) => void,
  state: DatabaseState = () => null,
): Keys => new StoredKeys(db, onRevoked, state)

/** Finds a key by its hash, with the rights of its user. */
const prepareCallerQuery = (db: DbOf<"accounts">) =>
  createPreparedQuery(db, ["hash"], ({ hash }) =>
    db
      .selectFrom("apiKeys")
      .innerJoin("users", "users.id", "apiKeys.userId")
      .select(["apiKeys.id", "userId", "kind", "scopes", "held", isOwner.as("isOwner")])
      .where("hash", "=", sql<Buffer>`${hash}`)
      .where("disabledAt", "is", null),
  )

class StoredKeys implements Keys {
  readonly #db: DbOf<"accounts">
  readonly #onRevoked: (id: string) => void
  readonly #lastUse: ReturnType<typeof createLastUse>
  readonly #remembered: Remembered<Caller>
  readonly #getRow: ReturnType<typeof prepareCallerQuery>

  constructor(db: DbOf<"accounts">, onRevoked: (id: string) => void, state: DatabaseState) {
    this.#db = db
    this.#onRevoked = onRevoked
    this.#lastUse = createLastUse(db)
    this.#remembered = createRemembered(state, maxRemembered)
    this.#getRow = prepareCallerQuery(db)
  }

  async list(userId: string): Promise<ApiKey[]> {
    const rows = await this.#db
      .selectFrom("apiKeys")
      .select(columns)
      .where("userId", "=", userId)
      .orderBy("createdAt", "desc")
      .orderBy("id", "desc")
      .execute()
    return rows.map(present)
  }

  async listAll(): Promise<(ApiKey & { email: string })[]> {
    const rows = await this.#db
      .selectFrom("apiKeys")
      .innerJoin("users", "users.id", "apiKeys.userId")
      .select([
        "apiKeys.id",
        "apiKeys.name",
        "kind",
        "scopes",
        "hint",
        "apiKeys.createdAt",
        "lastUsedAt",
        "email",
      ])
      .orderBy("apiKeys.createdAt")
      .orderBy("apiKeys.id")
      .execute()
    return rows.map((row) => ({ ...present(row), email: row.email }))
  }

  async create(userId: string, draft: KeyDraft): Promise<{ key: string; apiKey: ApiKey }> {
    const { key, row } = newKey(draft)
    await this.#db.transaction().execute(async (trx) => {
      const { owned } = await trx
        .selectFrom("apiKeys")
        .select((e) => e.fn.countAll<number>().as("owned"))
        .where("userId", "=", userId)
        .executeTakeFirstOrThrow()
      if (owned >= maxKeys)
        throw new AppError("conflict", sentence("accounts.too_many_keys", { count: maxKeys }))
      await trx
        .insertInto("apiKeys")
        .values({ ...row, userId, hash: hashSecret(key) })
        .execute()
    })
    return { key, apiKey: present(row) }
  }

  async require(userId: string, id: string): Promise<void> {
    const key = this.#db.selectFrom("apiKeys").select("id").where("id", "=", id).where("userId", "=", userId)
    if (!(await key.executeTakeFirst())) throw new AppError("not_found", sentence("accounts.no_key"))
  }

  async revoke(userId: string | null, id: string): Promise<void> {
    let removal = this.#db.deleteFrom("apiKeys").where("id", "=", id)
    if (userId !== null) removal = removal.where("userId", "=", userId)
    const { numDeletedRows } = await removal.executeTakeFirst()
    if (numDeletedRows === 0n) throw new AppError("not_found", sentence("accounts.no_key"))
    this.#lastUse.forget(id)
    this.#onRevoked(id)
  }

  async callerOfKey(key: string): Promise<Caller | null> {
    const hash = hashSecret(key)
    const caller = await this.#remembered(hash.toString("latin1"), () => this.#find(hash))
    if (caller) void this.#lastUse.record(caller.credentialId) // a request that only reads shouldn't wait for this
    return caller
  }

  async #find(hash: Buffer): Promise<Caller | null> {
    const [row] = await this.#getRow({ hash })
    if (!row) return null
    return {
      userId: row.userId,
      credentialId: row.id,
      via: "key",
      origin: row.kind === "embedded" ? "APP" : "API",
      scopes: parseScopes(row.scopes),
      isOwner: row.isOwner === 1,
      isUnconfirmed: row.held !== 0,
    }
  }

  async revoked(credentialIds: readonly string[]): Promise<string[]> {
    if (credentialIds.length === 0) return []
    const valid = (table: "apiKeys" | "sessions") =>
      this.#db
        .selectFrom(table)
        .innerJoin("users", "users.id", "userId")
        .select(`${table}.id`)
        .where(`${table}.id`, "in", credentialIds)
        .where("disabledAt", "is", null)
        .execute()
    const alive = new Set([...(await valid("apiKeys")), ...(await valid("sessions"))].map(({ id }) => id))
    return credentialIds.filter((id) => !alive.has(id))
  }
}

function newKey({ name, kind = "box", scopes = null }: KeyDraft) {
  const key = `${kind === "embedded" ? "boxe_" : "box_"}${newSecret()}`
  const row = {
    id: newId(),
    name,
    kind,
    scopes: scopes === null ? null : JSON.stringify(scopes),
    hint: getHint(key),
    createdAt: timestamp(),
    lastUsedAt: null,
  }
  return { key, row }
}

/** Scopes that can't be parsed, for example from an altered backup, grant no rights. */
export const parseScopes = (text: string | null): Scope[] | null =>
  text === null ? null : (readStored(Scope.array(), text) ?? [])

function present(row: Omit<ApiKey, "scopes"> & { scopes: string | null }): ApiKey {
  const { id, name, kind, hint, createdAt, lastUsedAt } = row
  return { id, name, kind, scopes: parseScopes(row.scopes), hint, createdAt, lastUsedAt }
}

/** Maximum number of calls kept per key. The newest are kept. */
const maxCalls = 1_000
/** Time that calls stay in memory before they are written. A crash loses the calls of this period. */
const writtenAfterMs = 5_000
const rowsPerInsert = 200

export interface KeyCalls extends AsyncDisposable {
  /** Records a completed call. Doesn't write to the database immediately. */
  note(keyId: string, call: KeyCall): void
  /** Newest first. */
  list(keyId: string): Promise<KeyCall[]>
}

/** Logs the calls made with each key, without bodies or ids. */
export function createKeyCalls(db: DbOf<"accounts">, logger: Logger): KeyCalls {
  /** Calls not yet written, oldest first, at most `maxCalls` per key. */
  let noted = new Map<string, KeyCall[]>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  async function write(calls: ReadonlyMap<string, readonly KeyCall[]>): Promise<void> {
    const rows = [...calls].flatMap(([keyId, keyCalls]) => keyCalls.map((call) => ({ keyId, ...call })))
    await db.transaction().execute(async (transaction) => {
      const existingRows = await transaction
        .selectFrom("apiKeys")
        .select("id")
        .where("id", "in", [...calls.keys()])
        .execute()
      const known = new Set(existingRows.map(({ id }) => id)) // other keys have been revoked in the meantime
      const kept = rows.filter(({ keyId }) => known.has(keyId))
      for (let first = 0; first < kept.length; first += rowsPerInsert)
        await transaction
          .insertInto("keyCalls")
          .values(kept.slice(first, first + rowsPerInsert))
          .execute()
      for (const keyId of known) {
        const oldest = await transaction
          .selectFrom("keyCalls")
          .select("number")
          .where("keyId", "=", keyId)
          .orderBy("number", "desc")
          .limit(1)
          .offset(maxCalls)
          .executeTakeFirst()
        if (oldest)
          await transaction
            .deleteFrom("keyCalls")
            .where("keyId", "=", keyId)
            .where("number", "<=", oldest.number)
            .execute()
      }
    })
  }

  function writeNoted(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const calls = noted
    noted = new Map()
    if (calls.size > 0)
      writing = writing
        .then(() => write(calls))
        .catch((error: unknown) => logger.warn({ err: error }, "API key calls couldn't be recorded"))
    return writing
  }

  return {
    note(keyId, call) {
      const calls = noted.get(keyId) ?? []
      noted.set(keyId, calls)
      calls.push(call)
      if (calls.length > maxCalls) calls.shift()
      timer ??= setTimeout(() => void writeNoted(), writtenAfterMs).unref()
    },

    async list(keyId) {
      await writeNoted()
      return db
        .selectFrom("keyCalls")
        .select(["at", "method", "route", "status", "ms", "ip"])
        .where("keyId", "=", keyId)
        .orderBy("number", "desc")
        .limit(maxCalls)
        .execute()
    },

    async [Symbol.asyncDispose]() {
      await writeNoted()
    },
  }
}
