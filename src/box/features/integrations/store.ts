import type { Selectable, Updateable } from "kysely"
import { z } from "zod"
import { AppError } from "../../../shared/contract/errors.ts"
import { ServerTarget, type ToolChange, type FunctionMark } from "../../../shared/contract/integrations.ts"
import { SentenceBody } from "../../../shared/contract/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { DbOf } from "../../core/database/database.ts"
import { readStored } from "../../core/database/sql-helpers.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import { timestamp } from "../../core/ids.ts"
import type { Definition, Offer } from "../../tools/mcp/definitions.ts"
import { hashTool } from "../../tools/mcp/tool-hash.ts"

/** Stored data of a server that its user set up or connected. */
export interface StoredServer {
  key: string
  name: string
  target: ServerTarget | null
  linkedAt: string | null
  signedOut: boolean
  /** The definitions that the user approved. */
  approved: Definition[]
  /** The server's offer when it was last queried. */
  offer: Offer
  /** Names of tools that the user marked as read-only. */
  readTools: string[]
  /** Names of tools that the user turned off. */
  offTools: string[]
  /** Whether the server was connected in a restored backup and no owner has turned it on since. */
  held: boolean
}

export type ServerPatch = Partial<Omit<StoredServer, "key" | "name">>

/** The tools of a server that hasn't been connected yet. */
export const nothingApproved = {
  approved: [],
  offer: { definitions: [], refused: [] },
  readTools: [],
} satisfies ServerPatch

/** Omits definitions that don't match their hash, because approvals and calls compare only hashes. */
const Definitions = z
  .array(
    z.object({
      name: z.string(),
      functionName: z.string(),
      description: z.string(),
      parameters: z.record(z.string(), z.unknown()),
      hash: z.string(),
    }),
  )
  .transform((definitions) => definitions.filter((definition) => definition.hash === hashTool(definition)))
const Names = z.array(z.string())
const StoredOffer = z.object({
  definitions: Definitions,
  refused: z.array(z.object({ name: z.string(), reason: z.string(), sentence: SentenceBody.optional() })),
})

/** Users' servers; each row belongs to one user. */
export function createServerStore(db: DbOf<"integrations">) {
  return {
    async all(ownerId: string): Promise<StoredServer[]> {
      const rows = await db
        .selectFrom("toolServers")
        .selectAll()
        .where("ownerId", "=", ownerId)
        .orderBy("createdAt")
        .orderBy("key")
        .execute()
      return rows.map(toServer)
    },

    async find(ownerId: string, key: string): Promise<StoredServer | null> {
      const row = await db
        .selectFrom("toolServers")
        .selectAll()
        .where("ownerId", "=", ownerId)
        .where("key", "=", key)
        .executeTakeFirst()
      return row ? toServer(row) : null
    },

    async insert(ownerId: string, key: string, name: string, target: ServerTarget | null): Promise<void> {
      const row = {
        target: JSON.stringify(target),
        linkedAt: null,
        signedOut: 0,
        approved: "[]",
        offer: JSON.stringify({ definitions: [], refused: [] }),
        readTools: "[]",
        offTools: "[]",
      }
      await db
        .insertInto("toolServers")
        .values({ ownerId, key, name, createdAt: timestamp(), ...row })
        .execute()
    },

    async change(ownerId: string, key: string, patch: ServerPatch): Promise<void> {
      await db
        .updateTable("toolServers")
        .set(toColumns(patch))
        .where("ownerId", "=", ownerId)
        .where("key", "=", key)
        .execute()
    },

    async remove(ownerId: string, key: string): Promise<void> {
      await db.deleteFrom("toolServers").where("ownerId", "=", ownerId).where("key", "=", key).execute()
    },
  }
}

export type ServerStore = ReturnType<typeof createServerStore>

type Columns = Omit<
  Updateable<TablesOf<"integrations">["toolServers"]>,
  "ownerId" | "key" | "name" | "createdAt"
>

export function toColumns({ linkedAt, signedOut, held, ...values }: ServerPatch): Columns {
  return {
    ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)])),
    ...(linkedAt === undefined ? {} : { linkedAt }),
    ...(signedOut === undefined ? {} : { signedOut: Number(signedOut) }),
    ...(held === undefined ? {} : { held: Number(held) }),
  }
}

/** Unreadable values, as in an altered backup, are treated as missing. */
export function toServer(row: Selectable<TablesOf<"integrations">["toolServers"]>): StoredServer {
  const offTools = readStored(Names, row.offTools)
  return {
    key: row.key,
    name: row.name,
    target: readStored(ServerTarget.nullable(), row.target) ?? null,
    linkedAt: row.linkedAt,
    signedOut: row.signedOut === 1,
    approved: (offTools && readStored(Definitions, row.approved)) ?? [],
    offer: readStored(StoredOffer, row.offer) ?? { definitions: [], refused: [] },
    readTools: readStored(Names, row.readTools) ?? [],
    offTools: offTools ?? [],
    held: row.held === 1,
  }
}

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
