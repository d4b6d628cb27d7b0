import { createHash } from "node:crypto"
import { join } from "node:path"
import { DatabaseUnusable, type BegunTransaction } from "../database/database.ts"
import { openInside } from "../files/path-jail.ts"
import { storeFile, type StoredObject } from "./kept-objects.ts"
import { hashOfKey } from "./object-rows.ts"
import type { ObjectStore } from "./object-store.ts"

/** Stores the file at these names in a directory. Throws `not_found`, and `DatabaseUnusable` where other bytes come back. */
export type PutCompared = (root: string, names: readonly string[]) => Promise<StoredObject>

/** Stores files as objects and reads each one's bytes back, to compare them. */
export const createPutCompared =
  (
    store: Pick<ObjectStore, "put" | "get" | "address">,
    db: BegunTransaction,
    signal: AbortSignal,
  ): PutCompared =>
  async (root, names) => {
    signal.throwIfAborted()
    await using file = await openInside(root, names)
    const stored = await storeFile({ db, store }, file, join(root, ...names), signal)
    if ((await hashOf(store, stored.key)) === hashOfKey(stored.key)) return stored
    throw new DatabaseUnusable(`${store.address} gives ${names.join("/")} back as other bytes.`)
  }

/** SHA-256 in hexadecimal of what the store has; null where it has nothing. */
async function hashOf(store: Pick<ObjectStore, "get">, key: string): Promise<string | null> {
  const source = await store.get(key)
  if (source === null) return null
  const hash = createHash("sha256")
  for await (const piece of source) hash.update(piece as Buffer)
  return hash.digest("hex")
}
