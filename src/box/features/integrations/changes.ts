import type { ToolChange } from "../../../shared/contract/integrations.ts"
import type { Definition } from "../../tools/mcp/definitions.ts"
import type { StoredServer } from "./store.ts"

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
