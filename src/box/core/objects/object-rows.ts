import { sql } from "kysely"
import { ownTables, type AnyTransaction, type Database } from "../database/database.ts"
import { isPostgres } from "../database/sql-helpers.ts"
import { newId, timestamp } from "../ids.ts"

/** The same period as for the trash. The objects of a backup that isn't older than this still exist. */
export const objectRetentionMs = 30 * 24 * 3_600_000
/** Time of disuse for objects that are deleted without a delay. Triggers write it, too. */
export const longAgo = "0000"

/**
 * Returns a key for a new object that contains the hash of its bytes.
 * @param hash SHA-256 of the bytes, in base64
 */
export const createObjectKey = (hash: string): string =>
  `${newId()}.${Buffer.from(hash, "base64").toString("hex")}`
export const getHashFromKey = (key: string): string => key.slice(key.lastIndexOf(".") + 1)

const key = /^[0-9a-f-]{36}\.[0-9a-f]{64}$/
const keyLength = 101
/** Damaged or foreign rows may contain anything. */
export const isKey = (text: string): boolean => key.test(text)

/** Returns the key of an object that rows refer to; null if they refer to none. */
export async function knownObject(db: AnyTransaction): Promise<string | null> {
  const used = await ownTables<"core">(db)
    .selectFrom("usedObjects")
    .select("object")
    .where((row) => row(row.fn<number>("length", ["object"]), "=", keyLength))
    .limit(1)
    .executeTakeFirst()
  return used && isKey(used.object) ? used.object : null
}

/** Records an object before its upload starts, so that an unfinished upload is found again whatever happens to this box. */
export async function noteNewObject(db: AnyTransaction, object: string): Promise<void> {
  const noted = { object, noticedAt: timestamp(), isNew: 1 }
  await ownTables<"core">(db).insertInto("unusedObjects").values(noted).execute()
}

/** Marks these objects for deletion at the next look, if no row refers to them. */
export async function endObjects(db: AnyTransaction, objects: readonly string[]): Promise<void> {
  if (objects.length === 0) return
  await ownTables<"core">(db)
    .updateTable("unusedObjects")
    .set({ noticedAt: longAgo, isNew: 0 })
    .where("object", "in", objects)
    .execute()
}

/** Forgets all objects, so that only the store manages them. */
export async function forgetObjects(db: AnyTransaction): Promise<void> {
  await ownTables<"core">(db).deleteFrom("unusedObjects").execute()
}

/**
 * For rows of a backup: removes references to keys that can't be Casella's objects, and keeps objects that the backup lists as unused for
 * 30 days from the restore. Otherwise the backup's author could decide which of the owner's objects are deleted.
 */
export async function protectObjects(db: Database): Promise<void> {
  // SQLite compares a text only up to its first NUL, but a blob completely.
  const hasOther = isPostgres(db)
    ? sql`object ~ '[^-.0-9a-f]'`
    : sql`object GLOB '*[^-.0-9a-f]*' OR length(CAST(object AS BLOB)) <> ${keyLength}`
  const isForeign = sql<boolean>`(length(object) <> ${keyLength} OR ${hasOther})`
  for (const table of ["files", "trashedFiles", "chatFiles"] as const)
    await db.updateTable(table).set({ object: null }).where(isForeign).execute()
  await db.deleteFrom("unusedObjects").where(isForeign).execute()
  await db.updateTable("unusedObjects").set({ noticedAt: null }).execute()
}
