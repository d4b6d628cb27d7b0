import type { TableHit } from "./part-search.ts"
import type { LanceTable } from "./lance/lance-table.ts"
import { rerank, type KeywordHit } from "./rerank.ts"
import { analyseQuery, type AnalysedQuery } from "./text/search-text.ts"
import { respelled, unseenWords } from "./spelling.ts"

type Search = <Hit extends TableHit>(find: (table: LanceTable) => Promise<Hit[]>) => Promise<Hit[]>

/** Passages that are ordered again by what BM25 can't see; beyond these it has always been right. */
const candidateMinimum = 40

/** The passages that hold the question's words, or, where no passage has one, words that are spelt much like it. */
export async function searchKeywords(
  search: Search,
  query: string,
  vectorIds: string[],
  limit: number,
): Promise<KeywordHit[]> {
  const analysed = analyseQuery(query)
  if (vectorIds.length === 0 || analysed.groups.length === 0) return []
  const wanted = Math.max(candidateMinimum, limit)
  const holding = ({ groups }: AnalysedQuery) =>
    search((table) => table.keyword([...new Set(groups.flat())], vectorIds, wanted))
  const candidates = await holding(analysed)
  const unseen = unseenWords(analysed, candidates)
  // Looking up how a word may be spelt takes ten times as long as looking whether some passage has it as it is.
  const holders = await Promise.all(
    unseen.map((forms) => search((table) => table.keyword(forms, vectorIds, 1))),
  )
  const unknown = unseen.filter((_, index) => holders[index]?.length === 0)
  if (unknown.length === 0) return rerank(analysed, candidates).slice(0, limit)
  const similar = await search((table) => table.similar(unknown.flat(), vectorIds, candidateMinimum))
  const better = respelled(analysed, unknown, similar)
  return rerank(better ?? analysed, better ? await holding(better) : candidates).slice(0, limit)
}
