import { createHash } from "node:crypto"
import { join } from "node:path"
import { DatabaseUnusable, type DbOf } from "../database/database.ts"
import { hashFile } from "../files/hash-file.ts"
import { openInside } from "../files/path-jail.ts"
import type { StoredObject } from "./kept-objects.ts"
import { keyOf, noteNewObject } from "./object-rows.ts"
import type { ObjectStore } from "./object-store.ts"

/** Stores the file at these names in a directory. Throws `not_found`, and `DatabaseUnusable` where other bytes come back. */
export type PutCompared = (root: string, names: readonly string[]) => Promise<StoredObject>

/** Stores files as objects and reads each one's bytes back, to compare them. */
export const createPutCompared =
  (store: Pick<ObjectStore, "put" | "get" | "address">, db: DbOf<"core">, signal: AbortSignal): PutCompared =>
  async (root, names) => {
    signal.throwIfAborted()
    await using file = await openInside(root, names)
    const { size, mtimeMs } = await file.stat()
    const hash = await hashFile(file, signal)
    const key = keyOf(hash)
    await noteNewObject(db, key)
    await store.put(key, join(root, ...names), signal)
    if ((await hashOf(store, key)) === hash) return { key, size, modifiedMs: mtimeMs }
    throw new DatabaseUnusable(`${store.address} gives ${names.join("/")} back as other bytes.`)
  }

/** SHA-256 in base64 of what the store has; null where it has nothing. */
async function hashOf(store: Pick<ObjectStore, "get">, key: string): Promise<string | null> {
  const source = await store.get(key)
  if (source === null) return null
  const hash = createHash("sha256")
  for await (const piece of source) hash.update(piece as Buffer)
  return hash.digest("base64")
}
