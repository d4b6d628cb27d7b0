import type { LanceTable } from "./lance/lance-table.ts"
import type { FileSelection } from "./passage-record.ts"
import type { TableHit } from "./lance/part-search.ts"
import { rerank, type KeywordHit } from "./rerank.ts"
import type { TermLookup } from "./terms/term-dictionary.ts"
import { type AnalysedQuery, analyseQuery } from "./text/search-text.ts"
import { isUnspaced } from "./text/words.ts"

/** A word of letters that is long enough for one letter to be wrong; longer words may have two wrong letters. */
const spelled = /^\p{L}{4,}$/u
const twoWrongFrom = 8
/** Maximum number of question words that are looked up, and of spellings used for each. */
const maxWords = 3
const maxSpellings = 4

/**
 * Returns the question with similar spellings from the dictionary added for words it doesn't contain. The typed words are searched for too,
 * so a dictionary with missing words hides no passage.
 */
function respelled(query: AnalysedQuery, terms: TermLookup): AnalysedQuery {
  const unknown = query.groups
    .filter((forms) => forms.some((form) => spelled.test(form)) && !forms.some((form) => terms.has(form)))
    .slice(0, maxWords)
  if (unknown.length === 0) return query
  const found = new Map(unknown.map((forms) => [forms, findSpellings(forms, terms)]))
  return { ...query, groups: query.groups.map((forms) => [...forms, ...(found.get(forms) ?? [])]) }
}

/**
 * Returns the nearest spellings. Among equally near ones, those with the longest common prefix come first, because first letters are rarely
 * wrong.
 */
function findSpellings(forms: readonly string[], terms: TermLookup): string[] {
  const words = [...new Set(forms)].filter((form) => spelled.test(form))
  for (const wrong of [1, 2]) {
    const near = new Map<string, number>()
    for (const word of words.filter((one) => wrong === 1 || one.length >= twoWrongFrom)) {
      for (const { term } of terms.near(word, wrong)) {
        const length = Math.min(word.length, term.length)
        if (spelled.test(term) && (wrong === 1 || length >= twoWrongFrom))
          near.set(term, Math.max(near.get(term) ?? 0, commonPrefixLength(word, term)))
      }
    }
    if (near.size > 0) {
      return [...near]
        .sort(([a, alikeA], [b, alikeB]) => alikeB - alikeA || (a < b ? -1 : 1))
        .slice(0, maxSpellings)
        .map(([term]) => term)
    }
  }
  return []
}

function commonPrefixLength(a: string, b: string): number {
  let count = 0
  while (count < a.length && a[count] === b[count]) count++
  return count
}

/** Minimum number of passages that are reranked by criteria that BM25 doesn't use. Beyond these, BM25's order has always been right. */
const candidateMinimum = 40
/** The same for scripts without spaces, whose word fragments occur in many passages. */
const unspacedMinimum = 50

/** Returns passages that contain the question's words. Words that no passage contains are also searched for in similar spellings. */
export async function searchKeywords(
  {
    search,
    getTermLookup,
  }: {
    search<Hit extends TableHit>(
      this: void,
      find: (table: Pick<LanceTable, "keyword">, hasOwners: boolean) => Promise<Hit[]>,
    ): Promise<Hit[]>
    /** Returns the words of the folders; `null` while they are unknown. */
    getTermLookup(this: void, vectorIds: string[]): Promise<TermLookup | null>
  },
  query: string,
  vectorIds: string[],
  limit: number,
  files?: FileSelection,
): Promise<KeywordHit[]> {
  const analysed = analyseQuery(query)
  if (vectorIds.length === 0 || analysed.groups.length === 0) return []
  const terms = await getTermLookup(vectorIds)
  const asked = terms ? respelled(analysed, terms) : analysed
  const forms = [...new Set(asked.groups.flat())]
  const wanted = Math.max(isUnspaced(asked.language) ? unspacedMinimum : candidateMinimum, limit)
  const candidates = await search((table, hasOwners) =>
    table.keyword(forms, vectorIds, wanted, hasOwners, files),
  )
  return rerank(asked, candidates).slice(0, limit)
}
