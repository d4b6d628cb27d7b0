import { z } from "zod"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { readStored } from "../database/stored-json.ts"
import type { ObjectStore } from "./object-store.ts"

/** Says to which rows the objects beside it belong. */
export const noteKey = "casella.json"
const Note = z.object({ owner: z.string().min(1) })

/** What a look at a prefix showed. */
export interface OwnPrefix {
  /**
   * The store refuses to write over an object that is there, when it is told so. Where it doesn't, only locks of the box's own keep
   * two writers from each other.
   */
  writesOnce: boolean
}

/**
 * Takes a prefix for these rows: whoever else deleted what no row of theirs mentions would delete what ours do.
 * @param owner id of the rows, which a copy of them hasn't
 * @param known key of an object that these rows tell of already: one that is nobody's must have that to be taken
 * @throws AppError `conflict` where it is somebody else's or lacks the object, `unavailable` where the store doesn't say
 */
export async function ownPrefix(
  store: Pick<ObjectStore, "address" | "text" | "has" | "create">,
  owner: string,
  known: string | null,
): Promise<OwnPrefix> {
  const note = JSON.stringify({ owner })
  let found = await store.text(noteKey)
  if (found === null && known !== null && !(await store.has(known)))
    throw new AppError("conflict", sentence("storage.objects_elsewhere", { address: store.address }))
  if (found === null) {
    await store.create(noteKey, note)
    found = await store.text(noteKey)
  }
  const other = found === null ? undefined : readStored(Note, found)
  if (other?.owner !== owner)
    throw new AppError("conflict", sentence("storage.objects_of_others", { address: store.address }))
  return { writesOnce: (await store.create(noteKey, note)) === "exists" }
}
