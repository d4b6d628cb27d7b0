import { AppError } from "../../../shared/contract/errors.ts"
import type { FunctionMark } from "../../../shared/contract/integrations.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { getChanges, listUsableTools } from "./changes.ts"
import type { ServerPatch, StoredServer } from "./store.ts"

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
