import { AppError } from "../../../shared/contract/errors.ts"
import type { ToolChange, FunctionMark } from "../../../shared/contract/integrations.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Definition } from "../../tools/mcp/definitions.ts"
import type { StoredServer, ServerPatch } from "./store.ts"

/** Tools whose definitions are exactly those that the user approved. */
export function listUsableTools({ approved, offer }: StoredServer): Definition[] {
  const offered = new Set(offer.definitions.map(({ hash }) => hash))
  return approved.filter(({ hash }) => offered.has(hash))
}

/** Usable tools that aren't turned off. */
export const enabledTools = (server: StoredServer): Definition[] =>
  listUsableTools(server).filter(({ name }) => !server.offTools.includes(name))

/** Tools that the server offers and the user hasn't approved, each with the approved tool of the same name. */
export function getChanges({ approved, offer }: StoredServer): ToolChange[] {
  const hashes = new Set(approved.map(({ hash }) => hash))
  return offer.definitions
    .filter(({ hash }) => !hashes.has(hash))
    .map((after) => {
      const before = approved.find(({ name }) => name === after.name)
      return {
        kind: before ? ("changed" as const) : ("added" as const),
        name: after.name,
        hash: after.hash,
        before: before ? getText(before) : null,
        after: getText(after),
      }
    })
}

/** Whether the server offers a tool that its user hasn't approved. None of its tools can be used until the user has reviewed the change. */
export const isChanged = (server: StoredServer): boolean => getChanges(server).length > 0

const getText = ({ description, parameters }: Definition) => ({ description, parameters })

/** Throws `conflict` if the server no longer offers one of the hashes. */
export function toApprovalPatch(stored: StoredServer, hashes: readonly string[]): ServerPatch {
  const offered = new Set(getChanges(stored).map(({ hash }) => hash))
  if (stored.linkedAt === null || hashes.some((hash) => !offered.has(hash))) {
    throw new AppError("conflict", sentence("integrations.other_than_offered"))
  }
  const fresh = stored.offer.definitions.filter(({ hash }) => hashes.includes(hash))
  const kept = stored.approved.filter(({ name }) => !fresh.some((each) => each.name === name))
  // A tool that has changed may no longer be read-only.
  const readTools = stored.readTools.filter((name) => !fresh.some((each) => each.name === name))
  return { approved: [...kept, ...fresh], readTools }
}

/** Marks one tool, or all that are in use. Throws `not_found` for a tool that isn't in use. */
export function toMarkPatch(stored: StoredServer, { name, effect, enabled }: FunctionMark): ServerPatch {
  const names = listUsableTools(stored).map((definition) => definition.name)
  if (name !== undefined && !names.includes(name))
    throw new AppError("not_found", sentence("integrations.no_function"))
  const meant = name === undefined ? names : [name]
  const listed = (before: readonly string[], belongs: boolean) => [
    ...before.filter((other) => !meant.includes(other)),
    ...(belongs ? meant : []),
  ]
  return {
    ...(effect !== undefined && { readTools: listed(stored.readTools, effect === "read") }),
    ...(enabled !== undefined && { offTools: listed(stored.offTools, !enabled) }),
  }
}
