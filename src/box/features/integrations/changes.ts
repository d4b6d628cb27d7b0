import type { ToolChange } from "../../../shared/contract/integrations.ts"
import type { Definition } from "../../tools/mcp/definitions.ts"
import type { StoredServer } from "./store.ts"

/** Functions that the server offers in exactly the words that its user approved. */
export function usable({ approved, offer }: StoredServer): Definition[] {
  const offered = new Set(offer.definitions.map(({ hash }) => hash))
  return approved.filter(({ hash }) => offered.has(hash))
}

/** Those of them that aren't switched off. */
export const inUse = (server: StoredServer): Definition[] =>
  usable(server).filter(({ name }) => !server.offTools.includes(name))

/** What the server offers and the user hasn't approved, beside what was approved under the same name. */
export function changesOf({ approved, offer }: StoredServer): ToolChange[] {
  const hashes = new Set(approved.map(({ hash }) => hash))
  return offer.definitions
    .filter(({ hash }) => !hashes.has(hash))
    .map((after) => {
      const before = approved.find(({ name }) => name === after.name)
      return {
        kind: before ? ("changed" as const) : ("added" as const),
        name: after.name,
        hash: after.hash,
        before: before ? textOf(before) : null,
        after: textOf(after),
      }
    })
}

/** Whether it offers something that its user hasn't approved: nothing of it can be used until that was looked at. */
export const isChanged = (server: StoredServer): boolean => changesOf(server).length > 0

const textOf = ({ description, parameters }: Definition) => ({ description, parameters })
