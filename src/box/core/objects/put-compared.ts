import { createHash } from "node:crypto"
import { join } from "node:path"
import { DatabaseUnusable, type AnyTransaction } from "../database/database.ts"
import { openInside } from "../files/path-jail.ts"
import { storeFile, type StoredObject } from "./kept-objects.ts"
import { getHashFromKey } from "./object-rows.ts"
import type { ObjectStore } from "./object-store.ts"

/**
 * Stores the file with these path names in a directory. Throws `not_found`, and `DatabaseUnusable` if the bytes that are read back differ.
 */
export type PutCompared = (root: string, names: readonly string[]) => Promise<StoredObject>

/** Stores files as objects, then reads each object back and compares its bytes. */
export const createPutCompared =
  (
    store: Pick<ObjectStore, "put" | "get" | "address">,
    db: AnyTransaction,
    signal: AbortSignal,
  ): PutCompared =>
  async (root, names) => {
    signal.throwIfAborted()
    await using file = await openInside(root, names)
    const stored = await storeFile({ db, store }, file, join(root, ...names), signal)
    if ((await computeHash(store, stored.key)) === getHashFromKey(stored.key)) return stored
    throw new DatabaseUnusable(`${store.address} gives ${names.join("/")} back as other bytes.`)
  }

/** Returns the SHA-256 of the object in hexadecimal; null if there is no object. */
async function computeHash(store: Pick<ObjectStore, "get">, key: string): Promise<string | null> {
  const source = await store.get(key)
  if (source === null) return null
  const hash = createHash("sha256")
  for await (const piece of source) hash.update(piece as Buffer)
  return hash.digest("hex")
}
