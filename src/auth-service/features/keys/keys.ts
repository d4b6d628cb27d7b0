import {
  KeyPermissions,
  type CloudKeyDraft,
  type CreatedCloudKey,
  type cloudAccount,
} from "../../../shared/contract/cloud-account.ts"
import { ServiceError } from "../../../shared/contract/service-errors.ts"
import type { Database, DatabaseTransaction } from "../../core/database.ts"
import { hashSecret, newId, newSecret, timestamp } from "../../core/ids.ts"
import type { Handlers } from "../../http/http-server.ts"

/** An active cloud key, as it was when it was read. */
export interface ActiveKey {
  id: string
  userId: string
  revision: number
  permissions: KeyPermissions | null
}

interface ListedKey {
  id: string
  name: string
  email: string
  hint: string
  enabled: boolean
  expiresAt: string
  lastUsedAt: string | null
}

/**
 * Cloud keys. The service doesn't use Better Auth's key plugin, because it must count a key's use in the transaction that creates the
 * ticket, and distinguish a missing permission from a wrong key. The plugin counts in separate statements and returns 401 for both.
 */
interface Keys {
  /** Throws `CONFLICT` if the user has too many keys. */
  create(userId: string, draft: CloudKeyDraft): Promise<CreatedCloudKey>
  /** Returns the key if it exists, is enabled and hasn't expired. */
  find(key: string): Promise<ActiveKey | null>
  /**
   * Counts a use in the transaction that the key is used for. Throws `RETRY_REQUEST` if the key was changed, disabled or expired since it
   * was read.
   */
  use(transaction: DatabaseTransaction, key: Pick<ActiveKey, "id" | "revision">): Promise<void>
  /** Revokes a key immediately. Throws `NOT_FOUND`. */
  revoke(id: string): Promise<void>
  list(): Promise<ListedKey[]>
}

/** Maximum number of active keys per user. */
const maxKeys = 100
const keyPrefix = "cloud_"
const hintLength = keyPrefix.length + 4

export function createKeys(db: Database): Keys {
  return {
    async create(userId, { name, expiresIn, permissions }) {
      const key = `${keyPrefix}${newSecret()}`
      const created = { id: newId(), name, expiresAt: timestamp(Date.now() + expiresIn * 1000) }
      const { active } = await db
        .selectFrom("cloudKeys")
        .select((row) => row.fn.countAll<number>().as("active"))
        .where("userId", "=", userId)
        .where("enabled", "=", 1)
        .where("expiresAt", ">", timestamp())
        .executeTakeFirstOrThrow()
      if (active >= maxKeys)
        throw new ServiceError(
          "CONFLICT",
          `You have ${maxKeys} active keys already. End one, or let one expire.`,
        )
      await db
        .insertInto("cloudKeys")
        .values({
          ...created,
          userId,
          hash: hashSecret(key),
          hint: key.slice(0, hintLength),
          permissions: permissions === null ? null : JSON.stringify(permissions),
          enabled: 1,
          revision: 1,
          uses: 0,
          createdAt: timestamp(),
          lastUsedAt: null,
        })
        .execute()
      return { key, ...created }
    },

    async find(key) {
      const row = await db
        .selectFrom("cloudKeys")
        .select(["id", "userId", "revision", "permissions"])
        .where("hash", "=", hashSecret(key))
        .where("enabled", "=", 1)
        .where("expiresAt", ">", timestamp())
        .executeTakeFirst()
      if (row === undefined) return null
      const permissions = row.permissions === null ? null : KeyPermissions.parse(JSON.parse(row.permissions))
      return { ...row, permissions }
    },

    async use(transaction, { id, revision }) {
      const used = await transaction
        .updateTable("cloudKeys")
        .set((key) => ({ uses: key("uses", "+", 1), lastUsedAt: timestamp() }))
        .where("id", "=", id)
        .where("revision", "=", revision)
        .where("enabled", "=", 1)
        .where("expiresAt", ">", timestamp())
        .executeTakeFirst()
      if (used.numUpdatedRows === 1n) return
      throw new ServiceError(
        "RETRY_REQUEST",
        "The key has changed in the meantime, and nothing was created. Try again.",
        {
          retryAfterSeconds: 1,
        },
      )
    },

    async revoke(id) {
      const { numUpdatedRows } = await db
        .updateTable("cloudKeys")
        .set((key) => ({ enabled: 0, revision: key("revision", "+", 1) }))
        .where("id", "=", id)
        .executeTakeFirst()
      if (numUpdatedRows === 0n) {
        throw new ServiceError("NOT_FOUND", `There is no cloud key ${id}. "keys list" shows which there are.`)
      }
    },

    async list() {
      const rows = await db
        .selectFrom("cloudKeys")
        .innerJoin("user", "user.id", "cloudKeys.userId")
        .select(["cloudKeys.id", "cloudKeys.name", "email", "hint", "enabled", "expiresAt", "lastUsedAt"])
        .orderBy("cloudKeys.id")
        .execute()
      return rows.map((row) => ({ ...row, enabled: row.enabled === 1 }))
    },
  }
}

/** Routes for creating and ending cloud keys. Creating one requires a JWT, because a key can't create another. A key may end itself. */
export function keyHandlers(keys: Keys): Pick<Handlers<typeof cloudAccount>, "createKey" | "endKey"> {
  return {
    createKey: ({ caller, body }) => keys.create(caller.userId, body),
    async endKey({ caller: { key } }) {
      if (key === null) throw new ServiceError("FORBIDDEN", "Send the cloud key that is to end, not a JWT.")
      await keys.revoke(key.id)
      return { success: true }
    },
  }
}
