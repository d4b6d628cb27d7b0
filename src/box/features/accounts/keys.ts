import { sql } from "kysely"
import type { ApiKey } from "../../../shared/contract/account.ts"
import { Scope } from "../../../shared/contract/endpoint.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { type DbOf, createRemembered, type DatabaseState } from "../../core/database/database.ts"
import { createPreparedQuery } from "../../core/database/sql-helpers.ts"
import { readStored } from "../../core/database/stored-json.ts"
import { hashSecret, newId, newSecret, timestamp } from "../../core/ids.ts"
import type { Caller } from "../../http/caller.ts"
import { isOwner } from "./is-owner.ts"
import { createLastUse } from "./last-use.ts"

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
/** Maximum number of keys per user. */
const maxKeys = 500

/** Maximum number of callers cached between two database writes. */
const maxRemembered = 100

export function createKeys(
  db: DbOf<"accounts">,
  onRevoked: (id: string) => void,
  state: DatabaseState = () => null,
): Keys {
  const lastUse = createLastUse(db)
  const remembered = createRemembered<Caller>(state, maxRemembered)
  const getRow = createPreparedQuery(db, ["hash"], ({ hash }) =>
    db
      .selectFrom("apiKeys")
      .innerJoin("users", "users.id", "apiKeys.userId")
      .select(["apiKeys.id", "userId", "kind", "scopes", "held", isOwner.as("isOwner")])
      .where("hash", "=", sql<Buffer>`${hash}`)
      .where("disabledAt", "is", null),
  )

  async function find(hash: Buffer): Promise<Caller | null> {
    const [row] = await getRow({ hash })
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

  const columns = ["id", "name", "kind", "scopes", "hint", "createdAt", "lastUsedAt"] as const

  return {
    async list(userId) {
      const rows = await db
        .selectFrom("apiKeys")
        .select(columns)
        .where("userId", "=", userId)
        .orderBy("createdAt", "desc")
        .execute()
      return rows.map(present)
    },

    async listAll() {
      const rows = await db
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
        .execute()
      return rows.map((row) => ({ ...present(row), email: row.email }))
    },

    async create(userId, draft) {
      const { key, row } = newKey(draft)
      await db.transaction().execute(async (trx) => {
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
    },

    async require(userId, id) {
      const key = db.selectFrom("apiKeys").select("id").where("id", "=", id).where("userId", "=", userId)
      if (!(await key.executeTakeFirst())) throw new AppError("not_found", sentence("accounts.no_key"))
    },

    async revoke(userId, id) {
      let removal = db.deleteFrom("apiKeys").where("id", "=", id)
      if (userId !== null) removal = removal.where("userId", "=", userId)
      const { numDeletedRows } = await removal.executeTakeFirst()
      if (numDeletedRows === 0n) throw new AppError("not_found", sentence("accounts.no_key"))
      lastUse.forget(id)
      onRevoked(id)
    },

    async callerOfKey(key) {
      const hash = hashSecret(key)
      const caller = await remembered(hash.toString("latin1"), () => find(hash))
      if (caller) void lastUse.record(caller.credentialId) // a request that only reads shouldn't wait for this
      return caller
    },

    async revoked(credentialIds) {
      if (credentialIds.length === 0) return []
      const valid = (table: "apiKeys" | "sessions") =>
        db
          .selectFrom(table)
          .innerJoin("users", "users.id", "userId")
          .select(`${table}.id`)
          .where(`${table}.id`, "in", credentialIds)
          .where("disabledAt", "is", null)
          .execute()
      const alive = new Set([...(await valid("apiKeys")), ...(await valid("sessions"))].map(({ id }) => id))
      return credentialIds.filter((id) => !alive.has(id))
    },
  }
}

function newKey({ name, kind = "box", scopes = null }: KeyDraft) {
  const key = `${kind === "embedded" ? "boxe_" : "box_"}${newSecret()}`
  const row = {
    id: newId(),
    name,
    kind,
    scopes: scopes === null ? null : JSON.stringify(scopes),
    hint: key.slice(0, hintLength),
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
