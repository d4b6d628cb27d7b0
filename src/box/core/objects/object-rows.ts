import { sql } from "kysely"
import { ownTables, type BegunTransaction, type Database } from "../database/database.ts"
import { isPostgres } from "../database/dialect.ts"
import { newId, timestamp } from "../ids.ts"

/** As long as the trash keeps files; a backup of the rows that is no older finds all that they tell of. */
export const objectsKeptMs = 30 * 24 * 3_600_000
/** Since when an object is unused that isn't waited for. Triggers write it, too. */
export const longAgo = "0000"

/**
 * The key of a new object says what its bytes are.
 * @param hash theirs by SHA-256, in base64
 */
export const keyOf = (hash: string): string => `${newId()}.${Buffer.from(hash, "base64").toString("hex")}`
export const hashOfKey = (key: string): string => key.slice(key.lastIndexOf(".") + 1)

const key = /^[0-9a-f-]{36}\.[0-9a-f]{64}$/
const keyLength = 101
/** Rows that were damaged, or come from elsewhere, may say anything. */
export const isKey = (text: string): boolean => key.test(text)

/** Key of an object on a store of which rows tell; null where they tell of none. */
export async function knownObject(db: BegunTransaction): Promise<string | null> {
  const used = await ownTables<"core">(db)
    .selectFrom("usedObjects")
    .select("object")
    .where((row) => row(row.fn<number>("length", ["object"]), "=", keyLength))
    .limit(1)
    .executeTakeFirst()
  return used && isKey(used.object) ? used.object : null
}

/** To be written down before its bytes go: whatever becomes of this box, what it began to store is found again. */
export async function noteNewObject(db: BegunTransaction, object: string): Promise<void> {
  const noted = { object, noticedAt: timestamp(), isNew: 1 }
  await ownTables<"core">(db).insertInto("unusedObjects").values(noted).execute()
}

/** These are to go at the next look, where no row tells of them. */
export async function endObjects(db: BegunTransaction, objects: readonly string[]): Promise<void> {
  if (objects.length === 0) return
  await ownTables<"core">(db)
    .updateTable("unusedObjects")
    .set({ noticedAt: longAgo, isNew: 0 })
    .where("object", "in", objects)
    .execute()
}

/** All objects are the store's alone from now on. */
export async function forgetObjects(db: BegunTransaction): Promise<void> {
  await ownTables<"core">(db).deleteFrom("unusedObjects").execute()
}

/**
 * For rows of a backup: no row refers to what can't be an object of Casella's, and what the backup says is unused is kept for
 * 30 days from the restore. Otherwise its author decides which of the owner's objects are deleted.
 */
export async function keepObjects(db: Database): Promise<void> {
  // SQLite looks at a text up to its first NUL only, but at all of a blob.
  const hasOther = isPostgres(db)
    ? sql`object ~ '[^-.0-9a-f]'`
    : sql`object GLOB '*[^-.0-9a-f]*' OR length(CAST(object AS BLOB)) <> ${keyLength}`
  const isForeign = sql<boolean>`(length(object) <> ${keyLength} OR ${hasOther})`
  for (const table of ["files", "trashedFiles", "chatFiles"] as const)
    await db.updateTable(table).set({ object: null }).where(isForeign).execute()
  await db.deleteFrom("unusedObjects").where(isForeign).execute()
  await db.updateTable("unusedObjects").set({ noticedAt: null }).execute()
}
