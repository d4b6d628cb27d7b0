import { type ProviderProblem, PersonDraft } from "../../../../shared/contract/accounts.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { timestamp } from "../../../core/ids.ts"
import { addPerson, changePerson, endCredentials, personWithEmail } from "../people.ts"
import type { ProviderClaims } from "./provider.ts"

/** Rules for signing in through the provider: the allowed groups, and the groups of owners. */
export interface Admission {
  /** null: all groups. */
  groups: readonly string[] | null
  /** Empty: the provider doesn't determine roles. */
  ownerGroups: readonly string[]
}

/** `ended` are the ids of credentials from before the provider account was linked to this user. */
export type Admitted = { userId: string; ended: readonly string[] } | { problem: ProviderProblem }

type Trx = DbOf<"accounts">

/**
 * Admits a person who signed in at the provider, as the linked user or as a new one.
 * @param heldOwners ids of owners of a restored backup, whom only the provider's owner groups can confirm here
 */
export const admit = (
  db: DbOf<"accounts">,
  claims: ProviderClaims,
  { groups, ownerGroups }: Admission,
  heldOwners: ReadonlySet<string>,
): Promise<Admitted> =>
  db.transaction().execute(async (trx) => {
    if (groups !== null && !claims.groups.some((group) => groups.includes(group)))
      return { problem: "not_in_group" }
    const role = claims.groups.some((group) => ownerGroups.includes(group)) ? "owner" : "member"
    const knownId = await knownUser(trx, claims)
    const admitted =
      knownId === undefined ? await newUser(trx, claims, role, heldOwners) : { userId: knownId, ended: [] }
    if ("problem" in admitted) return admitted
    const { userId } = admitted
    const user = await trx
      .selectFrom("users")
      .select("disabledAt")
      .where("id", "=", userId)
      .executeTakeFirst()
    if (user?.disabledAt !== null) return { problem: "disabled" }
    if (role !== "owner" && (await isHeldOwner(trx, heldOwners, userId))) return { problem: "held" }
    if (ownerGroups.length > 0) await takeRole(trx, userId, role)
    return admitted
  })

/** Matches only issuer and subject, because addresses can pass to another person. */
async function knownUser(trx: Trx, { issuer, subject }: ProviderClaims): Promise<string | undefined> {
  const accounts = trx.selectFrom("providerAccounts").select("userId")
  const known = await accounts.where("issuer", "=", issuer).where("subject", "=", subject).executeTakeFirst()
  return known?.userId
}

const isHeldOwner = async (trx: Trx, heldOwners: ReadonlySet<string>, userId: string) =>
  heldOwners.has(userId) && (await ownsWorkspace(trx, userId))

async function newUser(
  trx: Trx,
  claims: ProviderClaims,
  role: "owner" | "member",
  heldOwners: ReadonlySet<string>,
): Promise<Admitted> {
  const { email, emailVerified } = claims
  const isDoubted = emailVerified !== undefined && emailVerified !== true
  const draft = PersonDraft.safeParse({ email, name: getName(claims), role })
  if (isDoubted || !draft.success) return { problem: "no_email" }
  const namesake = await personWithEmail(trx, draft.data.email)
  if (namesake) {
    const isTaken = emailVerified !== true || (await hasAccount(trx, namesake.id, claims.issuer))
    if (isTaken) return { problem: "email_taken" }
    if (role !== "owner" && (await isHeldOwner(trx, heldOwners, namesake.id))) return { problem: "held" }
    await remember(trx, claims, namesake.id)
    // A member may have claimed the address before its rightful holder arrived, so their access ends. An owner had no reason to claim it.
    const ended = (await ownsWorkspace(trx, namesake.id)) ? [] : await endCredentials(trx, namesake.id)
    return { userId: namesake.id, ended }
  }
  try {
    const { id } = await addPerson(trx, draft.data)
    await remember(trx, claims, id)
    return { userId: id, ended: [] }
  } catch (error) {
    if (error instanceof AppError && error.code === "conflict") return { problem: "full" }
    throw error
  }
}

const getName = ({ name, email }: ProviderClaims) =>
  (name ?? String(email).split("@")[0] ?? "").trim().slice(0, 100).toWellFormed()

/** Whether another provider account already belongs to this user. The provider has then given the user's address to someone else. */
async function hasAccount(trx: Trx, userId: string, issuer: string): Promise<boolean> {
  const accounts = trx.selectFrom("providerAccounts").select("subject")
  return (
    (await accounts.where("userId", "=", userId).where("issuer", "=", issuer).executeTakeFirst()) !==
    undefined
  )
}

async function ownsWorkspace(db: DbOf<"accounts">, userId: string): Promise<boolean> {
  const owned = db.selectFrom("memberships").select("userId").where("role", "=", "owner")
  return (await owned.where("userId", "=", userId).executeTakeFirst()) !== undefined
}

async function remember(trx: Trx, { issuer, subject }: ProviderClaims, userId: string): Promise<void> {
  const account = { issuer, subject, userId, createdAt: timestamp() }
  await trx.insertInto("providerAccounts").values(account).execute()
}

/** The last owner who can sign in stays an owner. */
async function takeRole(trx: Trx, userId: string, role: "owner" | "member"): Promise<void> {
  try {
    await changePerson(trx, userId, { role })
  } catch (error) {
    if (!(error instanceof AppError && error.code === "conflict")) throw error
    await changePerson(trx, userId, { role: "owner" })
  }
}
