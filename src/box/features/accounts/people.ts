import { userInfo } from "node:os"
import { sql } from "kysely"
import type { User, Membership, Person, PersonChange } from "../../../shared/contract/accounts.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { DbOf } from "../../core/database/database.ts"
import { createPreparedQuery } from "../../core/database/sql-helpers.ts"
import { newId, timestamp } from "../../core/ids.ts"

/** 1 for a row of `users` whose user owns a workspace, else 0. */
export const isOwner = sql<0 | 1>`CASE WHEN EXISTS (
  SELECT 1 FROM memberships WHERE memberships."userId" = users.id AND memberships.role = 'owner'
) THEN 1 ELSE 0 END`

/** Creates the owner and their workspace in a new database. Returns the owner only if it was created. */
const ensureOwner = (db: DbOf<"accounts">): Promise<User | null> =>
  db.transaction().execute(async (trx) => {
    if (await trx.selectFrom("users").select("id").limit(1).executeTakeFirst()) return null
    const createdAt = timestamp()
    const owner = { id: newId(), email: "owner@casella.local", name: loginName() }
    const workspace = { id: newId(), name: "Workspace", createdAt }
    await trx
      .insertInto("users")
      .values({ ...owner, createdAt })
      .execute()
    await trx.insertInto("workspaces").values(workspace).execute()
    const membership = { workspaceId: workspace.id, userId: owner.id, role: "owner" as const }
    await trx.insertInto("memberships").values(membership).execute()
    return owner
  })

function loginName(): string {
  try {
    return userInfo().username
  } catch {
    return "Owner" // the account has no entry in the system's user list
  }
}

/** Workspaces and their members. */
interface Workspaces {
  workspaces(): Promise<{ id: string; name: string; members: number }[]>
  memberships(userId: string): Promise<Membership[]>
  members(workspaceId: string): Promise<string[]>
  isOwner(userId: string): Promise<boolean>
  /** Returns the ids of everyone who shares a workspace with the user, including the user. */
  colleagues(userId: string): Promise<string[]>
}

function createWorkspaces(db: DbOf<"accounts">): Workspaces {
  const others = createPreparedQuery(db, ["userId"], ({ userId }) =>
    db
      .selectFrom("memberships as own")
      .innerJoin("memberships as other", "other.workspaceId", "own.workspaceId")
      .select("other.userId")
      .distinct()
      .where("own.userId", "=", userId),
  )
  return {
    workspaces: () =>
      db
        .selectFrom("workspaces")
        .leftJoin("memberships", "memberships.workspaceId", "workspaces.id")
        .select((e) => ["workspaces.id", "workspaces.name", e.fn.count<number>("userId").as("members")])
        .groupBy("workspaces.id")
        .orderBy("workspaces.createdAt")
        .orderBy("workspaces.id")
        .execute(),

    async members(workspaceId) {
      const members = db.selectFrom("memberships").select("userId").where("workspaceId", "=", workspaceId)
      return (await members.execute()).map(({ userId }) => userId)
    },

    memberships: (userId) =>
      db
        .selectFrom("memberships")
        .innerJoin("workspaces", "workspaces.id", "memberships.workspaceId")
        .select(["workspaces.id", "workspaces.name", "memberships.role"])
        .where("userId", "=", userId)
        .orderBy("workspaces.createdAt")
        .orderBy("workspaces.id")
        .execute(),

    async isOwner(userId) {
      const user = db.selectFrom("users").where("id", "=", userId)
      return (await user.select(isOwner.as("isOwner")).executeTakeFirst())?.isOwner === 1
    },

    async colleagues(userId) {
      const rows = await others({ userId })
      return [...new Set([userId, ...rows.map((row) => row.userId)])]
    },
  }
}

/** Users and the workspaces they share. */
export interface People extends Workspaces {
  user(id: string): Promise<User | null>
  /** Returns the user's name, or an empty string if there is no such user. */
  getName(id: string): Promise<string>
  /** Returns the oldest owner who may sign in: usually the user who set up the box. */
  localOwner(): Promise<User>
  findByEmail(email: string): Promise<User | null>
  /** Returns all users with role and state, oldest first. */
  listPeople(): Promise<Person[]>
  /** Throws `not_found`. */
  person(id: string): Promise<Person>
  /** Returns the names of those of the users that exist, by id. */
  names(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Returns the ids of users who may not sign in. */
  disabledIds(): Promise<string[]>
  /** Returns the ids of owners who may sign in. */
  ownerIds(): Promise<string[]>
  /** Adds a user to the box's first workspace. Throws `conflict` when the email address is taken or the box is full. */
  add(email: string, name: string, role?: Person["role"]): Promise<User>
  /**
   * Changes the given fields. Disabling a user deletes their keys, sessions and sign-in links, and returns the ids of the deleted
   * credentials. Throws `not_found`. Throws `conflict` when the email address is taken or no owner who may sign in would be left.
   */
  change(id: string, change: PersonChange): Promise<{ endedCredentials: string[] }>
  /** Creates the owner and their workspace in a new database. Returns the owner only if it was created. */
  ensureOwner(): Promise<User | null>
}

/** Maximum number of users per box. All of them are listed at once. */
const maxPeople = 1_000

const columns = ["id", "email", "name"] as const

export function createPeople(db: DbOf<"accounts">): People {
  const user = async (id: string): Promise<User | null> =>
    (await db.selectFrom("users").select(columns).where("id", "=", id).executeTakeFirst()) ?? null

  async function person(id: string): Promise<Person> {
    const found = (await listPeople(db)).find((one) => one.id === id)
    if (!found) throw unknownPerson()
    return found
  }

  return {
    async localOwner() {
      const owner = (await listPeople(db)).find(
        ({ role, disabledAt }) => role === "owner" && disabledAt === null,
      )
      if (!owner) throw new AppError("not_found", sentence("accounts.no_owner"))
      const { id, email, name } = owner
      return { id, email, name }
    },
    listPeople: () => listPeople(db),
    async names(ids) {
      const rows = await db.selectFrom("users").select(["id", "name"]).where("id", "in", ids).execute()
      return new Map(rows.map(({ id, name }) => [id, name]))
    },
    async disabledIds() {
      const rows = await db.selectFrom("users").select("id").where("disabledAt", "is not", null).execute()
      return rows.map(({ id }) => id)
    },
    ownerIds: async () =>
      (await listPeople(db))
        .filter(({ role, disabledAt }) => role === "owner" && disabledAt === null)
        .map(({ id }) => id),
    person,
    user,
    getName: async (id) => (await user(id))?.name ?? "",
    findByEmail: (email) => personWithEmail(db, email),

    add: (email, name, role = "member") =>
      db.transaction().execute((trx) => addPerson(trx, { email, name, role })),

    change: (id, change) => db.transaction().execute((trx) => changePerson(trx, id, change)),

    ensureOwner: () => ensureOwner(db),
    ...createWorkspaces(db),
  }
}

const listPeople = (from: DbOf<"accounts">): Promise<Person[]> =>
  from
    .selectFrom("users")
    .leftJoin("memberships", (join) =>
      join.onRef("memberships.userId", "=", "users.id").on("memberships.role", "=", "owner"),
    )
    .select(["users.id", "email", "name", "createdAt", "disabledAt"])
    .select((e) => e.fn.coalesce(e.fn.max("role"), e.val("member" as const)).as("role"))
    .groupBy("users.id")
    .orderBy("createdAt")
    .orderBy("users.id")
    .execute()

export const personWithEmail = async (db: DbOf<"accounts">, email: string): Promise<User | null> =>
  (await db.selectFrom("users").select(columns).where(hasEmail(email)).executeTakeFirst()) ?? null

/** `People.add` as part of a larger transaction. */
export async function addPerson(
  trx: DbOf<"accounts">,
  { email, name, role }: Pick<Person, "email" | "name" | "role">,
): Promise<User> {
  await requireFree(trx, email)
  if ((await listPeople(trx)).length >= maxPeople)
    throw new AppError("conflict", sentence("accounts.too_many_people", { count: maxPeople }))
  const workspace = await trx
    .selectFrom("workspaces")
    .select("id")
    .orderBy("createdAt")
    .orderBy("id")
    .limit(1)
    .executeTakeFirstOrThrow()
  const user = { id: newId(), email, name }
  await trx
    .insertInto("users")
    .values({ ...user, createdAt: timestamp() })
    .execute()
  const membership = { workspaceId: workspace.id, userId: user.id, role }
  await trx.insertInto("memberships").values(membership).execute()
  return user
}

/** `People.change` as part of a larger transaction. */
export async function changePerson(
  trx: DbOf<"accounts">,
  id: string,
  { name, email, role, disabled }: PersonChange,
): Promise<{ endedCredentials: string[] }> {
  const before = (await listPeople(trx)).find((one) => one.id === id)
  if (!before) throw unknownPerson()
  if (email !== undefined) await requireFree(trx, email, id)
  const changes = {
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email }),
    ...(disabled === undefined ? {} : { disabledAt: disabled ? timestamp() : null }),
  }
  if (Object.keys(changes).length > 0)
    await trx.updateTable("users").set(changes).where("id", "=", id).execute()
  if (role !== undefined)
    await trx.updateTable("memberships").set({ role }).where("userId", "=", id).execute()
  const after = await listPeople(trx)
  if (!after.some((one) => one.role === "owner" && one.disabledAt === null))
    throw new AppError("conflict", sentence("accounts.owner_needed"))
  // Also done when a user is enabled again, because a request that was running may have created a key in the meantime.
  const changed = disabled !== undefined && disabled !== (before.disabledAt !== null)
  return { endedCredentials: changed ? await endCredentials(trx, id) : [] }
}

/** Ignores upper and lower case, for ASCII letters only. */
const hasEmail = (email: string) => sql<boolean>`lower(email) = lower(${email})`

const unknownPerson = () => new AppError("not_found", sentence("accounts.no_person"))

async function requireFree(db: DbOf<"accounts">, email: string, exceptFor?: string): Promise<void> {
  const taken = await db.selectFrom("users").select("id").where(hasEmail(email)).executeTakeFirst()
  if (!taken || taken.id === exceptFor) return
  const said = sentence("accounts.email_taken", { email })
  throw new AppError("conflict", said, { details: [{ field: "email", message: said.text, ...said.field }] })
}

/** Deletes keys, sessions and sign-in links. Returns the ids of credentials that may have open connections. */
export async function endCredentials(db: DbOf<"accounts">, userId: string): Promise<string[]> {
  await db.deleteFrom("signInTokens").where("userId", "=", userId).execute()
  const keys = await db.deleteFrom("apiKeys").where("userId", "=", userId).returning("id").execute()
  const sessions = await db.deleteFrom("sessions").where("userId", "=", userId).returning("id").execute()
  return [...keys, ...sessions].map(({ id }) => id)
}
