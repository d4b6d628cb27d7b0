import { z } from "zod"
import { readStored } from "../database/stored-json.ts"
import { ForeignObjects, type ObjectStore } from "./object-store.ts"

/** Key of the note that identifies the rows to which the other objects belong. */
export const ownerNoteKey = "casella.json"
const Note = z.object({
  /** ID of the data directory in which the rows were created. */
  owner: z.string().min(1),
  /** `databaseInstance` of the rows' database. Older versions stored none. */
  database: z.string().nullish(),
})

/** The rows that refer to the objects. */
export interface RowsOwner {
  /** ID of the data directory in which the rows were created; a copy of the directory has another ID. */
  id: string
  /** `databaseInstance`, which differs for a copy of the database; null: the rows are in a file. */
  database: string | null
}

/** Result of checking a prefix. */
export interface OwnPrefix {
  /** Whether the store refuses to overwrite an existing object when requested. Otherwise only the box's own locks separate two writers. */
  refusesOverwrites: boolean
}

/**
 * Claims a prefix for these rows, because a box deletes objects to which none of its rows refers.
 * @param known key of an object to which these rows refer: a prefix without a note is claimed only if it has that object
 * @throws ForeignObjects if the prefix belongs to other rows or lacks the object; the store's errors
 */
export async function claimPrefix(
  store: Pick<ObjectStore, "address" | "text" | "has" | "create" | "write">,
  rows: RowsOwner,
  known: string | null,
): Promise<OwnPrefix> {
  const note = JSON.stringify({ owner: rows.id, ...(rows.database !== null && { database: rows.database }) })
  let found = await store.text(ownerNoteKey)
  if (found === null && known !== null && !(await store.has(known)))
    throw new ForeignObjects(
      `There are no files of this Casella at ${store.address}. Name the place where they are, or copy them there.`,
    )
  if (found === null) await store.create(ownerNoteKey, note)
  else if (requireOwner(store, found, rows) === null && rows.database !== null)
    await store.write(ownerNoteKey, note)
  found = await store.text(ownerNoteKey)
  if (requireOwner(store, found, rows) !== rows.database) throw copiedDatabaseError(store)
  return { refusesOverwrites: (await store.create(ownerNoteKey, note)) === "exists" }
}

/**
 * Checks whether a box could use a prefix that is already claimed, and changes nothing there.
 * @param rows the rows to which the prefix must belong; with "any" as the database, any database is accepted
 * @throws the errors of `claimPrefix`
 */
export async function requireOwnPrefix(
  store: Pick<ObjectStore, "address" | "text" | "create">,
  rows: RowsOwner | { id: string; database: "any" },
): Promise<void> {
  const found = await store.text(ownerNoteKey)
  if (found === null) return
  requireOwner(store, found, rows)
  await store.create(ownerNoteKey, found) // a read-only key is refused
}

/** Returns the database that a note names. Throws if the note belongs to other rows. */
function requireOwner(
  store: Pick<ObjectStore, "address">,
  text: string | null,
  { id, database }: RowsOwner | { id: string; database: "any" },
): string | null {
  const note = text === null ? undefined : readStored(Note, text)
  if (note?.owner !== id)
    throw new ForeignObjects(
      `The files at ${store.address} belong to another Casella. Choose another bucket or prefix.`,
    )
  const named = note.database ?? null
  if (named !== null && database !== "any" && named !== database) throw copiedDatabaseError(store)
  return named
}

const copiedDatabaseError = ({ address }: Pick<ObjectStore, "address">) =>
  new ForeignObjects(
    `The files at ${address} belong to another database that has, or had, the same rows: this one was copied from it, restored or moved. To try a copy, copy the objects as well and name their place. If the other database never runs again, delete the object ${ownerNoteKey} there and start again.`,
  )
