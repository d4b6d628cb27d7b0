import type { Endpoint, Scope } from "../../shared/contract/endpoint.ts"
import type { Origin } from "../../shared/contract/conversations.ts"
import { AppError } from "../../shared/contract/errors.ts"
import { sentence } from "../../shared/sentences/sentences.ts"

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
