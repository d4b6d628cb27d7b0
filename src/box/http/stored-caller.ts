import { z } from "zod"
import { Origin } from "../../shared/contract/conversations.ts"
import { Scope } from "../../shared/contract/endpoint.ts"
import { readStored } from "../core/database/stored-json.ts"
import type { Caller } from "./caller.ts"

/** The rights of deferred work, which are those of the credential that created it. */
const StoredCaller = z.object({
  credentialId: z.string(),
  via: z.enum(["key", "session"]),
  origin: Origin,
  scopes: z.array(Scope).nullable(),
})

/** Used for a stored caller that can't be read, for example in an altered backup. */
const noRights: z.infer<typeof StoredCaller> = {
  credentialId: "",
  via: "key",
  origin: "API",
  scopes: [],
}

export const serialiseCaller = ({
  credentialId,
  via,
  origin,
  scopes,
}: Omit<Caller, "userId" | "isOwner">): string => JSON.stringify({ credentialId, via, origin, scopes })

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
  return writesWords ? editor : { ...writer, scopes: commonScopes(writer.scopes, editor.scopes) }
}

/** Returns the scopes that both credentials have. */
export function commonScopes(one: Caller["scopes"], other: Caller["scopes"]): Caller["scopes"] {
  if (one === null) return other
  return other === null ? one : one.filter((scope) => other.includes(scope))
}
