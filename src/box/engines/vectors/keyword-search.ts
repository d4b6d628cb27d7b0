import type { TableHit } from "./part-search.ts"
import type { LanceTable } from "./lance/lance-table.ts"
import { rerank, type KeywordHit } from "./rerank.ts"
import { respelled } from "./terms/spelling.ts"
import type { TermLookup } from "./terms/term-dictionary.ts"
import { analyseQuery } from "./text/search-text.ts"
import { isUnspaced } from "./text/words.ts"

interface Deps {
  search<Hit extends TableHit>(
    this: void,
    find: (table: LanceTable, hasOwners: boolean) => Promise<Hit[]>,
  ): Promise<Hit[]>
  /** Returns the words of the folders; `null` while they are unknown. */
  getTermLookup(this: void, vectorIds: string[]): Promise<TermLookup | null>
}

/** Minimum number of passages that are reranked by criteria that BM25 doesn't use. Beyond these, BM25's order has always been right. */
const candidateMinimum = 40
/** The same for scripts without spaces, whose word fragments occur in many passages. */
const unspacedMinimum = 50

/** Returns passages that contain the question's words. Words that no passage contains are also searched for in similar spellings. */
export async function searchKeywords(
  { search, getTermLookup }: Deps,
  query: string,
  vectorIds: string[],
  limit: number,
): Promise<KeywordHit[]> {
  const analysed = analyseQuery(query)
  if (vectorIds.length === 0 || analysed.groups.length === 0) return []
  const terms = await getTermLookup(vectorIds)
  const asked = terms ? respelled(analysed, terms) : analysed
  const forms = [...new Set(asked.groups.flat())]
  const wanted = Math.max(isUnspaced(asked.language) ? unspacedMinimum : candidateMinimum, limit)
  const candidates = await search((table, hasOwners) => table.keyword(forms, vectorIds, wanted, hasOwners))
  return rerank(asked, candidates).slice(0, limit)
}
