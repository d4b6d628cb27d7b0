import { sql } from "kysely"
import type { DbOf } from "../../../core/database/database.ts"
import { among, isPostgres, containsAnywhere } from "../../../core/database/sql-helpers.ts"
import type { FileSelection } from "../../../engines/vectors/passage-index.ts"
import { toSearchName } from "../file-entry.ts"

/** Forms of a word to search for: as written, without its ending, without accents. */
type WordForms = readonly string[]

interface NamedFile {
  fileId: string
  name: string
}

/** The files whose names are searched: all files of folders, or some of them. */
interface NameScope {
  vectorIds: readonly string[]
  files: FileSelection | undefined
}

/** Finds a word in any of its forms. Each form has at least three characters. */
interface NameIndex {
  /** Returns how many names contain a word, counted up to `max`. */
  countNamesWith(word: WordForms, max: number): Promise<number>
  /** Returns files whose names contain some of the words, best matches first. */
  findWithAnyWord(words: readonly WordForms[], scope: NameScope, max: number): Promise<NamedFile[]>
  /** Returns files whose names contain all words, newest first. */
  findWithAllWords(words: readonly WordForms[], scope: NameScope, max: number): Promise<NamedFile[]>
}

const createNameIndex = (db: DbOf<"files">): NameIndex =>
  isPostgres(db) ? trigramIndex(db) : fullTextIndex(db)

function selectInScope(db: DbOf<"files">, { vectorIds, files }: NameScope) {
  const inFolders = db.selectFrom("files").where("folderId", "in", [...vectorIds])
  return files
    ? inFolders.where("id", files.listed === "only" ? "in" : "not in", among(files.fileIds))
    : inFolders
}

/** SQLite: a full-text search table of trigrams. */
function fullTextIndex(db: DbOf<"files">): NameIndex {
  const quoted = (form: string) => `"${form.replaceAll('"', '""')}"`
  const getExpression = (word: WordForms) => `(${word.map(quoted).join(" OR ")})`

  async function find(match: string, order: "rank" | "newest", { vectorIds, files }: NameScope, max: number) {
    const listed = files && (files.listed === "only" ? sql`AND files.id IN ` : sql`AND files.id NOT IN `)
    const amongFiles = listed ? sql`${listed}${among(files.fileIds)}` : sql``
    const { rows } = await sql<NamedFile>`
      SELECT files.id AS fileId, files.name
      FROM fileNames CROSS JOIN namedFiles ON namedFiles.id = fileNames.rowid
        CROSS JOIN files ON files.id = namedFiles.fileId
      WHERE fileNames MATCH ${match} AND folderId IN (${sql.join(vectorIds)}) ${amongFiles}
      ORDER BY ${order === "rank" ? sql`fileNames.rank` : sql`fileNames.rowid DESC`} LIMIT ${max}`.execute(db)
    return rows
  }

  return {
    async countNamesWith(word, max) {
      const { rows } = await sql<{ held: number }>`
        SELECT count(*) AS held FROM (
          SELECT 1 FROM fileNames WHERE fileNames MATCH ${getExpression(word)} LIMIT ${max}
        )`.execute(db)
      return rows[0]?.held ?? 0
    },
    findWithAnyWord: (words, scope, max) => find(words.map(getExpression).join(" OR "), "rank", scope, max),
    findWithAllWords: (words, scope, max) =>
      find(words.map(getExpression).join(" AND "), "newest", scope, max),
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
  const selectNames = (scope: NameScope) => selectInScope(db, scope).select(["id as fileId", "name"])

  return {
    async countNamesWith(word, max) {
      const some = db.selectFrom("files").select("id").where(containsWord(word)).limit(max)
      const { held } = await db
        .selectFrom(some.as("some"))
        .select(({ fn }) => fn.countAll<number>().as("held"))
        .executeTakeFirstOrThrow()
      return held
    },
    findWithAnyWord: (words, scope, max) =>
      selectNames(scope)
        .where((e) => e.or(words.map(containsWord)))
        .orderBy(
          sql`${sql.join(
            words.map((word) => sql`CASE WHEN ${containsWord(word)} THEN 1 ELSE 0 END`),
            sql` + `,
          )} DESC, length(name)`,
        )
        .orderBy("id", "desc")
        .limit(max)
        .execute(),
    findWithAllWords: (words, scope, max) =>
      selectNames(scope)
        .where((e) => e.and(words.map(containsWord)))
        .orderBy("id", "desc")
        .limit(max)
        .execute(),
  }
}

/** Minimum length of a word for the trigram index. */
const indexedLength = 3
const maxWords = 12
/** A word that occurs in this many names distinguishes files only together with others. */
const commonFrom = 500
const maxFiles = 200
/** Maximum number of newest files whose names are read if every word is too short for the index. */
const maxRead = 5_000

/**
 * Finds files whose names contain some of the words, in any case and inside longer words: those with the rarest words, or with all words if
 * none is rare. The caller decides which of them is meant.
 */
export function createNameSearch(db: DbOf<"files">) {
  const index = createNameIndex(db)

  /** Counts names only as far as needed to tell rare words from common ones. */
  async function indexed(words: readonly WordForms[], scope: NameScope): Promise<NamedFile[]> {
    const rare: WordForms[] = []
    const common: WordForms[] = []
    for (const word of words) {
      const held = await index.countNamesWith(word, commonFrom)
      if (held > 0) (held < commonFrom ? rare : common).push(word)
    }
    if (rare.length > 0) return index.findWithAnyWord(rare, scope, maxFiles)
    return common.length > 0 ? index.findWithAllWords(common, scope, maxFiles) : []
  }

  function newestHolding(words: readonly WordForms[], scope: NameScope): Promise<NamedFile[]> {
    const newest = selectInScope(db, scope)
      .select(["id as fileId", "name", "searchName"])
      .orderBy("id", "desc")
      .limit(maxRead)
    return db
      .selectFrom(newest.as("newest"))
      .select(["fileId", "name"])
      .where((e) => e.or(words.flat().map((form) => e(sql<number>`instr("searchName", ${form})`, ">", 0))))
      .limit(maxFiles)
      .execute()
  }

  return async function filesNamed(
    words: readonly WordForms[],
    vectorIds: readonly string[],
    files?: FileSelection,
  ): Promise<NamedFile[]> {
    if (words.length === 0 || vectorIds.length === 0) return []
    const asked = words.slice(0, maxWords).map((forms) => forms.map(toSearchName))
    const long = asked
      .map((forms) => forms.filter((form) => Array.from(form).length >= indexedLength))
      .filter((forms) => forms.length > 0)
    const scope = { vectorIds, files }
    return long.length > 0 ? indexed(long, scope) : newestHolding(asked, scope)
  }
}

/** Returns the names of files by id. Files that don't exist any more are missing. */
export async function findNames(
  db: DbOf<"files">,
  fileIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom("files").select(["id", "name"]).where("id", "in", among(fileIds)).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}
