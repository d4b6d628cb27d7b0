import { sql } from "kysely"
import { AppError, invalidField } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { BoxValues } from "../../core/database/box-values.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { HeldItems } from "../../core/held-items.ts"
import { hashSecret } from "../../core/ids.ts"
import { getHint, parseScopes, type Keys } from "./keys.ts"
import { changePerson } from "./people.ts"

/** Marks all API keys in a database from a backup until an owner confirms them, because the backup's author knows them. */
export async function holdKeys(db: DbOf<"accounts">): Promise<void> {
  await db.updateTable("apiKeys").set({ held: 1 }).execute()
}

/**
 * API keys of a restored backup that await confirmation. Keeping one off revokes it. The backup's author may have given a known name and
 * hint to another key's hash, so only the key itself proves which key an owner confirms.
 */
export const createHeldKeys = (db: DbOf<"accounts">, keys: Pick<Keys, "revoke">): HeldItems => ({
  async list() {
    const rows = await db
      .selectFrom("apiKeys")
      .select(["id", "userId", "name", "hint", "scopes"])
      .where("held", "<>", 0)
      .orderBy("createdAt")
      .orderBy("id")
      .execute()
    return rows.map(({ id, userId: ownerId, name, hint, scopes }) => ({
      kind: "api_key",
      id,
      ownerId,
      name,
      does: `${hint}…`,
      trigger: null,
      scopes: parseScopes(scopes),
    }))
  },
  /** Throws `validation` unless this is the key. */
  async turnOn(id, _, key = "") {
    if (key === "") throw invalidField("key", sentence("accounts.key_needed"))
    const { numUpdatedRows } = await db
      .updateTable("apiKeys")
      .set({ held: 0, hint: getHint(key) })
      .where("id", "=", id)
      .where("hash", "=", sql<Buffer>`${hashSecret(key)}`)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw invalidField("key", sentence("accounts.other_key"))
  },
  leaveOff: (id) => keys.revoke(null, id),
})

/** Prefix of the keys of box values that exist while a user may not sign in as an owner through a provider account. */
const prefix = "heldOwner."
const getKey = (userId: string) => prefix + userId

/** Marks the owners in a database from a backup, because its author chose the owners, their addresses and their provider accounts. */
export async function holdOwners(db: DbOf<"accounts">, values: Pick<BoxValues, "write">): Promise<void> {
  const owners = db.selectFrom("memberships").select("userId").distinct().where("role", "=", "owner")
  await values.write((await owners.execute()).map(({ userId }) => ({ key: getKey(userId), value: "true" })))
}

/** Throws `unprocessable` if no owner in a backup may sign in, because no one could administer Casella after the restore. */
export async function requireOwner(db: DbOf<"accounts">): Promise<void> {
  const owner = await db
    .selectFrom("users")
    .innerJoin("memberships", "memberships.userId", "users.id")
    .innerJoin("workspaces", "workspaces.id", "memberships.workspaceId") // rows of a backup may refer to a missing workspace
    .select("users.id")
    .where("role", "=", "owner")
    .where("disabledAt", "is", null)
    .executeTakeFirst()
  if (!owner) throw new AppError("unprocessable", sentence("storage.no_owner"))
}

/** Returns the ids of owners from a restored backup that no owner here has confirmed. */
export async function heldOwnerIds(values: Pick<BoxValues, "all">): Promise<ReadonlySet<string>> {
  const marks = (await values.all()).filter(({ key }) => key.startsWith(prefix))
  return new Set(marks.map(({ key }) => key.slice(prefix.length)))
}

/** Owners of a restored backup. No provider account can sign in as one of them until an owner confirms them. */
export function createHeldOwners(db: DbOf<"accounts">, values: Pick<BoxValues, "all" | "remove">): HeldItems {
  return {
    async list() {
      const held = await heldOwnerIds(values)
      const owners = await db
        .selectFrom("users")
        .select(["id", "name", "email"])
        .where("id", "in", (e) => e.selectFrom("memberships").select("userId").where("role", "=", "owner"))
        .orderBy("id")
        .execute()
      const accounts = await db
        .selectFrom("providerAccounts")
        .select(["userId", "issuer", "subject"])
        .execute()
      return owners.flatMap(({ id, name, email }) => {
        if (!held.has(id)) return []
        const own = accounts.filter(({ userId }) => userId === id)
        const does = [email, ...own.map(({ issuer, subject }) => `${issuer} ${subject}`)].join("\n")
        return { kind: "owner" as const, id, ownerId: null, name, does, trigger: null }
      })
    },
    turnOn: (id) => values.remove(getKey(id)),
    /** Throws `conflict` if no other owner who may sign in would be left. */
    async leaveOff(id) {
      await db.transaction().execute(async (trx) => {
        await changePerson(trx, id, { role: "member" })
        await trx.deleteFrom("providerAccounts").where("userId", "=", id).execute()
      })
      await values.remove(getKey(id))
    },
  }
}
