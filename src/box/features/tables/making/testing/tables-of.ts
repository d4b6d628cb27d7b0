import SqliteDatabase from "better-sqlite3"
import { detectType } from "../../../../parsers/document/detect-type.ts"
import { createMemoryFile } from "../../../../parsers/document/document-file.ts"
import { makeTables } from "../make-tables.ts"

/** Creates the tables of a document and returns them with their database. */
export async function makeStoredTables(bytes: Uint8Array | string, name: string) {
  const file = createMemoryFile(Buffer.from(bytes))
  const detection = await detectType(file, name)
  const sheets = "format" in detection ? await detection.format.sheets?.() : undefined
  if (!sheets) throw new Error("There are no sheets in this.")
  const database = new SqliteDatabase(":memory:")
  const tables = await makeTables(database, () => sheets.read({ file, name }, { note: () => undefined }))
  return { database, tables }
}
