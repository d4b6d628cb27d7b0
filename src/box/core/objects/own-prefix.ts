import { z } from "zod"
import { readStored } from "../database/stored-json.ts"
import { ObjectsOfOthers, type ObjectStore } from "./object-store.ts"

/** Says to which rows the objects next to it belong. */
export const noteKey = "casella.json"
const Note = z.object({
  /** Id of the data directory that the rows began with. */
  owner: z.string().min(1),
  /** The database on a server that has the rows, which a copy of it isn't. Older boxes wrote none. */
  database: z.string().nullish(),
})

/** The rows that tell of the objects. */
export interface RowsOwner {
  /** Id of the data directory that they began with; a copy of the directory has another one. */
  id: string
  /** `databaseInstance`, which a copy of the database doesn't have; null: they are in a file. */
  database: string | null
}

/** What a look at a prefix showed. */
export interface OwnPrefix {
  /**
   * The store refuses to write over an object that is there, when it is told so. Where it doesn't, only locks of the box's own keep
   * two writers from each other.
   */
  writesOnce: boolean
}

/**
 * Takes a prefix for these rows: another box that deletes what its rows don't mention would delete what these do.
 * @param known key of an object that these rows tell of already: a prefix without a note must have that to be taken
 * @throws ObjectsOfOthers where the prefix is another's or lacks the object; what the store throws where it doesn't say
 */
export async function ownPrefix(
  store: Pick<ObjectStore, "address" | "text" | "has" | "create" | "write">,
  rows: RowsOwner,
  known: string | null,
): Promise<OwnPrefix> {
  const note = JSON.stringify({ owner: rows.id, ...(rows.database !== null && { database: rows.database }) })
  let found = await store.text(noteKey)
  if (found === null && known !== null && !(await store.has(known)))
    throw new ObjectsOfOthers(
      `There are no files of this Casella at ${store.address}. Name the place where they are, or copy them there.`,
    )
  if (found === null) await store.create(noteKey, note)
  else if (requireOwner(store, found, rows) === null && rows.database !== null)
    await store.write(noteKey, note)
  found = await store.text(noteKey)
  if (requireOwner(store, found, rows) !== rows.database) throw ofCopy(store)
  return { writesOnce: (await store.create(noteKey, note)) === "exists" }
}

/**
 * Looks whether a box could keep its files at a prefix that is in use, and changes nothing there.
 * @param rows whose the prefix must be; with "any" as the database, also where that has the rows no more
 * @throws as `ownPrefix`
 */
export async function requireOwnPrefix(
  store: Pick<ObjectStore, "address" | "text" | "create">,
  rows: RowsOwner | { id: string; database: "any" },
): Promise<void> {
  const found = await store.text(noteKey)
  if (found === null) return
  requireOwner(store, found, rows)
  await store.create(noteKey, found) // a key that may only read is refused
}

/** The database that a note names. Throws where the note is for other rows. */
function requireOwner(
  store: Pick<ObjectStore, "address">,
  text: string | null,
  { id, database }: RowsOwner | { id: string; database: "any" },
): string | null {
  const note = text === null ? undefined : readStored(Note, text)
  if (note?.owner !== id)
    throw new ObjectsOfOthers(
      `The files at ${store.address} belong to another Casella. Choose another bucket or prefix.`,
    )
  const named = note.database ?? null
  if (named !== null && database !== "any" && named !== database) throw ofCopy(store)
  return named
}

const ofCopy = ({ address }: Pick<ObjectStore, "address">) =>
  new ObjectsOfOthers(
    `The files at ${address} belong to another database that has, or had, the same rows: this one was copied from it, restored or moved. To try a copy, copy the objects as well and name their place. If the other database never runs again, delete the object ${noteKey} there and start again.`,
  )
