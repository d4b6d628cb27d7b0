import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { BoxValues } from "../../../core/database/box-values.ts"
import type { DbOf } from "../../../core/database/database.ts"
import type { HeldItems } from "../../../core/held-items.ts"
import { changePerson } from "../people.ts"

/** Prefix of the keys of box values that are there while no account of a provider may sign in as an owner. */
const prefix = "heldOwner."
const keyOf = (userId: string) => prefix + userId

/**
 * Marks the owners in a database that comes from a backup: its author chose who they are, their addresses and their accounts at
 * providers.
 */
export async function holdOwners(db: DbOf<"accounts">, values: Pick<BoxValues, "write">): Promise<void> {
  const owners = db.selectFrom("memberships").select("userId").distinct().where("role", "=", "owner")
  await values.write((await owners.execute()).map(({ userId }) => ({ key: keyOf(userId), value: "true" })))
}

/** Throws `unprocessable` where a backup has no owner who may sign in: no one could administer Casella once it is restored. */
export async function requireOwner(db: DbOf<"accounts">): Promise<void> {
  const owner = await db
    .selectFrom("users")
    .innerJoin("memberships", "memberships.userId", "users.id")
    .innerJoin("workspaces", "workspaces.id", "memberships.workspaceId") // rows of a backup may refer to none
    .select("users.id")
    .where("role", "=", "owner")
    .where("disabledAt", "is", null)
    .executeTakeFirst()
  if (!owner) throw new AppError("unprocessable", sentence("storage.no_owner"))
}

/** Ids of the owners of a restored backup whom no owner here has confirmed. */
export async function heldOwnerIds(values: Pick<BoxValues, "all">): Promise<ReadonlySet<string>> {
  const marks = (await values.all()).filter(({ key }) => key.startsWith(prefix))
  return new Set(marks.map(({ key }) => key.slice(prefix.length)))
}

/** Owners of a restored backup as whom no account of a provider signs in until an owner confirms them. */
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
    turnOn: (id) => values.remove(keyOf(id)),
    /** Throws `conflict` where no other owner would be left who may sign in. */
    async keepOff(id) {
      await db.transaction().execute(async (trx) => {
        await changePerson(trx, id, { role: "member" })
        await trx.deleteFrom("providerAccounts").where("userId", "=", id).execute()
      })
      await values.remove(keyOf(id))
    },
  }
}
