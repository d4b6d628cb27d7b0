import { z } from "zod"
import { Origin } from "../../shared/contract/conversations.ts"
import { Scope } from "../../shared/contract/endpoint.ts"
import { readStored } from "../core/database/stored-json.ts"
import type { Caller } from "./caller.ts"

/** The rights of work that is done later: those of the credential that wrote it. */
const StoredCaller = z.object({
  credentialId: z.string(),
  via: z.enum(["key", "session"]),
  origin: Origin,
  scopes: z.array(Scope).nullable(),
})

/** For a stored caller that can't be read, as in an altered backup. */
const withoutRights: z.infer<typeof StoredCaller> = {
  credentialId: "",
  via: "key",
  origin: "API",
  scopes: [],
}

export const storeCaller = ({
  credentialId,
  via,
  origin,
  scopes,
}: Omit<Caller, "userId" | "isOwner">): string => JSON.stringify({ credentialId, via, origin, scopes })

/** `isOwner` is false: a person's role may change before the work is done. */
export const readCaller = (userId: string, stored: string): Caller => ({
  userId,
  isOwner: false,
  ...(readStored(StoredCaller, stored) ?? withoutRights),
})

/**
 * The rights of stored work after a change. An editor who writes its text becomes the writer. Any other change leaves the writer, and
 * narrows the writer's rights to those that the editor has as well.
 */
export function callerAfterChange(writer: Caller, editor: Caller, writesWords: boolean): Caller {
  return writesWords ? editor : { ...writer, scopes: commonScopes(writer.scopes, editor.scopes) }
}

/** The rights that two credentials have in common. */
export function commonScopes(one: Caller["scopes"], other: Caller["scopes"]): Caller["scopes"] {
  if (one === null) return other
  return other === null ? one : one.filter((scope) => other.includes(scope))
}
