import { sql } from "kysely"
import type { DbOf } from "../../../core/database/database.ts"
import { containsAnywhere } from "../../../core/database/fold-case.ts"
import { isPostgres } from "../../../core/database/dialect.ts"

/** Forms of a word to search for: as written, without its ending, without accents. */
export type WordForms = readonly string[]

export interface NamedFile {
  fileId: string
  name: string
}

/** Finds a word in any of its forms. Each form has at least three characters. */
export interface NameIndex {
  /** Returns how many names contain a word, counted up to `most`. */
  countNamesWith(word: WordForms, most: number): Promise<number>
  /** Returns files whose names contain some of the words, best matches first. */
  findWithAnyWord(
    words: readonly WordForms[],
    vectorIds: readonly string[],
    most: number,
  ): Promise<NamedFile[]>
  /** Returns files whose names contain all words, newest first. */
  findWithAllWords(
    words: readonly WordForms[],
    vectorIds: readonly string[],
    most: number,
  ): Promise<NamedFile[]>
}

export const createNameIndex = (db: DbOf<"files">): NameIndex =>
  isPostgres(db) ? trigramIndex(db) : fullTextIndex(db)

/** SQLite: a full-text search table of trigrams. */
function fullTextIndex(db: DbOf<"files">): NameIndex {
  const quoted = (form: string) => `"${form.replaceAll('"', '""')}"`
  const getExpression = (word: WordForms) => `(${word.map(quoted).join(" OR ")})`

  async function find(match: string, order: "rank" | "newest", vectorIds: readonly string[], most: number) {
    const { rows } = await sql<NamedFile>`
      SELECT files.id AS fileId, files.name
      FROM fileNames CROSS JOIN namedFiles ON namedFiles.id = fileNames.rowid
        CROSS JOIN files ON files.id = namedFiles.fileId
      WHERE fileNames MATCH ${match} AND folderId IN (${sql.join(vectorIds)})
      ORDER BY ${order === "rank" ? sql`fileNames.rank` : sql`fileNames.rowid DESC`} LIMIT ${most}`.execute(
      db,
    )
    return rows
  }

  return {
    async countNamesWith(word, most) {
      const { rows } = await sql<{ held: number }>`
        SELECT count(*) AS held FROM (
          SELECT 1 FROM fileNames WHERE fileNames MATCH ${getExpression(word)} LIMIT ${most}
        )`.execute(db)
      return rows[0]?.held ?? 0
    },
    findWithAnyWord: (words, vectorIds, most) =>
      find(words.map(getExpression).join(" OR "), "rank", vectorIds, most),
    findWithAllWords: (words, vectorIds, most) =>
      find(words.map(getExpression).join(" AND "), "newest", vectorIds, most),
  }
}

/** PostgreSQL: a trigram index over the folded names. */
function trigramIndex(db: DbOf<"files">): NameIndex {
  const containsWord = (word: WordForms) =>
    sql<boolean>`(${sql.join(
      word.map(
        (form) => sql`(folded(${form}) <> '' AND folded(name) LIKE folded(${containsAnywhere(form)}))`,
      ),
      sql` OR `,
    )})`
  const whereInFolders = (vectorIds: readonly string[]) =>
    db
      .selectFrom("files")
      .select(["id as fileId", "name"])
      .where("folderId", "in", [...vectorIds])

  return {
    async countNamesWith(word, most) {
      const some = db.selectFrom("files").select("id").where(containsWord(word)).limit(most)
      const { held } = await db
        .selectFrom(some.as("some"))
        .select(({ fn }) => fn.countAll<number>().as("held"))
        .executeTakeFirstOrThrow()
      return held
    },
    findWithAnyWord: (words, vectorIds, most) =>
      whereInFolders(vectorIds)
        .where((e) => e.or(words.map(containsWord)))
        .orderBy(
          sql`${sql.join(
            words.map((word) => sql`CASE WHEN ${containsWord(word)} THEN 1 ELSE 0 END`),
            sql` + `,
          )} DESC, length(name)`,
        )
        .orderBy("id", "desc")
        .limit(most)
        .execute(),
    findWithAllWords: (words, vectorIds, most) =>
      whereInFolders(vectorIds)
        .where((e) => e.and(words.map(containsWord)))
        .orderBy("id", "desc")
        .limit(most)
        .execute(),
  }
}
