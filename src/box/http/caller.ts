import { z } from "zod"
import { Origin } from "../../shared/contract/conversations.ts"
import { type Endpoint, Scope } from "../../shared/contract/endpoint.ts"
import { AppError } from "../../shared/contract/errors.ts"
import type { Sentence } from "../../shared/sentences/sentence.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import { readStored } from "../core/database/sql-helpers.ts"

/** The caller of a request, as identified by its credential. */
export interface Caller {
  userId: string
  /** Id of the API key or app session. */
  credentialId: string
  via: "key" | "session"
  /** Origin recorded for chats that are started with this credential. */
  origin: Origin
  /** null: full rights. */
  scopes: readonly Scope[] | null
  /** Whether the user is an owner of the workspace. */
  isOwner: boolean
  /** Whether this is an API key from a restored backup that no owner has confirmed yet. */
  isUnconfirmed?: boolean
}

/** The rights of a credential. */
export type Rights = Pick<Caller, "scopes" | "isUnconfirmed">

/** Whether a credential has full rights. An unconfirmed API key of a restored backup reads as if it had them, but may not act on them. */
export const hasFullRights = ({ scopes, isUnconfirmed }: Rights): boolean =>
  scopes === null && isUnconfirmed !== true

/** Throws `forbidden` with this reason for a key with scopes, and with its own reason for an unconfirmed key. */
export function requireFullRights(caller: Rights, reason: Sentence): void {
  if (caller.scopes !== null) throw new AppError("forbidden", reason)
  requireConfirmed(caller)
}

/** Whether a credential can access folders, directly or through a chat. */
export const reachesFolders = ({ scopes }: Pick<Caller, "scopes">): boolean =>
  scopes === null || scopes.includes("folders")

/** Throws `forbidden` if a credential without the folder scope names folders. */
export function requireFolderScope(
  caller: Pick<Caller, "scopes">,
  vectorIds: readonly string[] | null | undefined,
): void {
  if (!vectorIds || vectorIds.length === 0 || reachesFolders(caller)) return
  throw new AppError("forbidden", sentence("http.key_without_folders"), {
    details: vectorIds,
  })
}

/** Throws `forbidden` unless the caller is an owner. Used for anything that affects all users of this computer. */
export function requireOwner({ isOwner }: Pick<Caller, "isOwner">): void {
  if (!isOwner) throw new AppError("forbidden", sentence("http.owner_only"))
}

/** Throws `forbidden` for an API key from a restored backup that no owner has confirmed. */
export function requireConfirmed({ isUnconfirmed }: Pick<Caller, "isUnconfirmed">): void {
  if (isUnconfirmed === true) throw new AppError("forbidden", sentence("http.key_unconfirmed"))
}

/**
 * Throws `forbidden` unless the caller may call the endpoint with this credential. An unconfirmed API key can't make changes that require
 * full rights.
 */
export function requireAccess(caller: Caller, endpoint: Endpoint): void {
  const { scopes } = caller
  const reads = endpoint.method === "get" || endpoint.reads === true
  const needsFullRights = endpoint.access === "full" || endpoint.access === "owner"
  if (endpoint.needsConfirmedKey === true || (needsFullRights && !reads)) requireConfirmed(caller)
  if (scopes === null) {
    if (endpoint.access === "owner") requireOwner(caller)
    return
  }
  if (needsFullRights) throw new AppError("forbidden", sentence("http.full_rights_only"))
  const wanted = [endpoint.scope ?? []].flat()
  const granted =
    (reads && scopes.includes("read-only")) ||
    (endpoint.scope === undefined ? reads : wanted.some((scope) => scopes.includes(scope)))
  if (!granted) {
    throw new AppError("forbidden", sentence("http.key_limited", { scopes: scopes.join(", ") }))
  }
}

/** The rights of deferred work, which are those of the credential that created it. */
const StoredCaller = z.object({
  credentialId: z.string(),
  via: z.enum(["key", "session"]),
  origin: Origin,
  scopes: z.array(Scope).nullable(),
  isUnconfirmed: z.boolean().default(false),
})

/** Used for a stored caller that can't be read, for example in an altered backup. */
const noRights: z.infer<typeof StoredCaller> = {
  credentialId: "",
  via: "key",
  origin: "API",
  scopes: [],
  isUnconfirmed: false,
}

export const serialiseCaller = ({
  credentialId,
  via,
  origin,
  scopes,
  isUnconfirmed,
}: Omit<Caller, "userId" | "isOwner">): string =>
  JSON.stringify({ credentialId, via, origin, scopes, ...(isUnconfirmed === true && { isUnconfirmed }) })

/** Reads a stored caller. `isOwner` is false, because a user's role may change before the work is done. */
export const parseCaller = (userId: string, stored: string): Caller => ({
  userId,
  isOwner: false,
  ...(readStored(StoredCaller, stored) ?? noRights),
})

/**
 * Returns the rights of stored work after a change. An editor who writes its text becomes the writer. Any other change keeps the writer,
 * and limits the writer's rights to those that the editor also has.
 */
export function callerAfterChange(writer: Caller, editor: Caller, writesWords: boolean): Caller {
  if (writesWords) return editor
  const isUnconfirmed = writer.isUnconfirmed === true || editor.isUnconfirmed === true
  return { ...writer, scopes: commonScopes(writer.scopes, editor.scopes), isUnconfirmed }
}

/** Returns the scopes that both credentials have. */
export function commonScopes(one: Caller["scopes"], other: Caller["scopes"]): Caller["scopes"] {
  if (one === null) return other
  return other === null ? one : one.filter((scope) => other.includes(scope))
}
