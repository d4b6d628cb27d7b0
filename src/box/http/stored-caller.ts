import { z } from "zod"
import { Origin } from "../../shared/contract/conversations.ts"
import { Scope } from "../../shared/contract/endpoint.ts"
import { readStored } from "../core/database/stored-json.ts"
import type { Caller } from "./caller.ts"

/** The rights with which work is done later: those of the credential that wrote it. */
const StoredCaller = z.object({
  credentialId: z.string(),
  via: z.enum(["key", "session"]),
  origin: Origin,
  scopes: z.array(Scope).nullable(),
})

/** Stands for a caller that can't be read, as in an altered backup: it has no rights. */
const nobody: z.infer<typeof StoredCaller> = { credentialId: "", via: "key", origin: "API", scopes: [] }

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
  ...(readStored(StoredCaller, stored) ?? nobody),
})

/**
 * Whose rights apply to stored work after a change. Who writes its words takes it over. Who changes anything else leaves it with
 * its writer, and can only narrow the writer's rights to their own.
 */
export function callerAfterChange(writer: Caller, editor: Caller, writesWords: boolean): Caller {
  return writesWords ? editor : { ...writer, scopes: commonScopes(writer.scopes, editor.scopes) }
}

/** The rights that two credentials have in common. */
export function commonScopes(one: Caller["scopes"], other: Caller["scopes"]): Caller["scopes"] {
  if (one === null) return other
  return other === null ? one : one.filter((scope) => other.includes(scope))
}
