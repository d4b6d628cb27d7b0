import { sql } from "kysely"
import type { DbOf } from "../../../core/database/database.ts"
import { toSearchName } from "../file-entry.ts"
import { createNameIndex, type NamedFile, type WordForms } from "./name-index.ts"

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
  async function indexed(words: readonly WordForms[], vectorIds: readonly string[]): Promise<NamedFile[]> {
    const rare: WordForms[] = []
    const common: WordForms[] = []
    for (const word of words) {
      const held = await index.countNamesWith(word, commonFrom)
      if (held > 0) (held < commonFrom ? rare : common).push(word)
    }
    if (rare.length > 0) return index.findWithAnyWord(rare, vectorIds, maxFiles)
    return common.length > 0 ? index.findWithAllWords(common, vectorIds, maxFiles) : []
  }

  function newestHolding(words: readonly WordForms[], vectorIds: readonly string[]): Promise<NamedFile[]> {
    const newest = db
      .selectFrom("files")
      .select(["id as fileId", "name", "searchName"])
      .where("folderId", "in", [...vectorIds])
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
  ): Promise<NamedFile[]> {
    if (words.length === 0 || vectorIds.length === 0) return []
    const asked = words.slice(0, maxWords).map((forms) => forms.map(toSearchName))
    const long = asked
      .map((forms) => forms.filter((form) => Array.from(form).length >= indexedLength))
      .filter((forms) => forms.length > 0)
    return long.length > 0 ? indexed(long, vectorIds) : newestHolding(asked, vectorIds)
  }
}
