import { sql } from "kysely"
import type { DbOf } from "../../core/database/database.ts"
import { searchable } from "./file-entry.ts"

/** A word is asked for in several forms: as it is written, without its ending, without accents. */
export type WordForms = readonly string[]

export interface NamedFile {
  fileId: string
  name: string
}

/** The index knows threes of characters. */
const indexedLength = 3
const mostWords = 12
/** A word that so many names of the box hold tells files apart only together with others. */
const commonFrom = 500
const mostFiles = 200
/** Newest files whose names are read when no word is long enough for the index. */
const mostRead = 5_000

/**
 * Finds files whose names hold some of the words, in any case and as parts of longer words too: those with the
 * rarest words, or with all of them where none is rare. Which of them is meant is for others to say.
 */
export function createNameSearch(db: DbOf<"files">) {
  /** How many names hold it, counted only so far that the rare and the common are told apart. */
  async function heldBy(expression: string): Promise<number> {
    const { rows } = await sql<{ held: number }>`
      SELECT count(*) AS held FROM (
        SELECT 1 FROM fileNames WHERE fileNames MATCH ${expression} LIMIT ${commonFrom}
      )`.execute(db)
    return rows[0]?.held ?? 0
  }

  async function indexed(expressions: readonly string[], vectorIds: readonly string[]): Promise<NamedFile[]> {
    const rare: string[] = []
    const common: string[] = []
    for (const expression of expressions) {
      const held = await heldBy(expression)
      if (held > 0) (held < commonFrom ? rare : common).push(expression)
    }
    if (rare.length + common.length === 0) return []
    const match = rare.length > 0 ? rare.join(" OR ") : common.join(" AND ")
    const order = rare.length > 0 ? sql`fileNames.rank` : sql`fileNames.rowid DESC`
    const { rows } = await sql<NamedFile>`
      SELECT files.id AS fileId, files.name
      FROM fileNames CROSS JOIN namedFiles ON namedFiles.id = fileNames.rowid
        CROSS JOIN files ON files.id = namedFiles.fileId
      WHERE fileNames MATCH ${match} AND folderId IN (${sql.join(vectorIds)})
      ORDER BY ${order} LIMIT ${mostFiles}`.execute(db)
    return rows
  }

  function newestHolding(words: readonly WordForms[], vectorIds: readonly string[]): Promise<NamedFile[]> {
    const newest = db
      .selectFrom("files")
      .select(["id as fileId", "name", "searchName"])
      .where("folderId", "in", [...vectorIds])
      .orderBy("id", "desc")
      .limit(mostRead)
    return db
      .selectFrom(newest.as("newest"))
      .select(["fileId", "name"])
      .where((e) => e.or(words.flat().map((form) => e(sql<number>`instr("searchName", ${form})`, ">", 0))))
      .limit(mostFiles)
      .execute()
  }

  return async function filesNamed(
    words: readonly WordForms[],
    vectorIds: readonly string[],
  ): Promise<NamedFile[]> {
    if (words.length === 0 || vectorIds.length === 0) return []
    const asked = words.slice(0, mostWords).map((forms) => forms.map(searchable))
    const expressions = asked.flatMap((forms) => {
      const long = forms.filter((form) => Array.from(form).length >= indexedLength)
      const quoted = long.map((form) => `"${form.replaceAll('"', '""')}"`)
      return quoted.length > 0 ? [`(${quoted.join(" OR ")})`] : []
    })
    return expressions.length > 0 ? indexed(expressions, vectorIds) : newestHolding(asked, vectorIds)
  }
}
