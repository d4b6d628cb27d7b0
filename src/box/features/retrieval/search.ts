import type { Notice, Passage, Strategy } from "../../../shared/contract/folders.ts"
import type { Logger } from "../../core/logger.ts"
import type { TextEmbedder } from "../../engines/embedding/text-embedder.ts"
import type { PassageIndex } from "../../engines/vectors/passage-index.ts"
import { languageOfQuery } from "../../engines/vectors/search-text.ts"
import { fuse, type KeywordRanked, type Ranked, type SemanticRanked } from "./fusion.ts"
import { createModelTrust } from "./model-trust.ts"
import { createReranking, mostReranked, type Reranker } from "./reranking.ts"
import { repeats, wordingOf } from "./same-wording.ts"

/** What the database knows of a passage that may be shown. */
export type StoredPassage = Omit<Passage, "score" | "rank">

export interface SearchDeps {
  index: Pick<PassageIndex, "keyword" | "semantic" | "state">
  /** Absent when no embedding model is configured. */
  embedder?: TextEmbedder | undefined
  /** The reranking model in use. */
  reranker?: (() => Reranker | null) | undefined
  /** Passages by id, in any order; those that are gone are left out. */
  passagesById(this: void, ids: string[]): Promise<StoredPassage[]>
  logger: Pick<Logger, "warn">
}

export interface SearchRequest {
  query: string
  vectorIds: string[]
  topK: number
  strategy: Strategy
  /** Percentage of relevance below which passages are dropped. */
  filter: number
}

export interface SearchResult {
  /** Best first. */
  results: Passage[]
  /** The next best that aren't among the results, and why; some may be gone. */
  others: PassedOver[]
  /** The strategy that was used. */
  strategy: Strategy
  notices: Notice[]
}

export interface PassedOver extends Pick<Passage, "id" | "score" | "rank"> {
  reason: "below_filter" | "duplicate" | "not_best"
}

/** Passages ranked for each one that is asked for: some turn out to be copies, or gone. */
const rankedPerResult = 3
const rankedMinimum = 50
/** A model that is still loading must not keep anyone waiting: words answer in the meantime. */
const embedMs = 5_000
/** Longest wait for the reranking model, for the same reason. */
const rerankMs = 2_500

/** Searches passages by keyword, by meaning, or both. Never fails for the sake of the index: it says what is missing. */
export function createSearch({ index, embedder, reranker, passagesById, logger }: SearchDeps) {
  const trust = createModelTrust()
  const rerank = createReranking(rerankMs)

  const embedQuery = async (query: string, notices: Notice[]): Promise<Float32Array | undefined> => {
    if (!embedder) {
      notices.push(noModel)
      return undefined
    }
    try {
      const [embedding] = await embedder.embed([query], "query", AbortSignal.timeout(embedMs))
      return embedding
    } catch (error) {
      logger.warn({ err: error }, "the query could not be embedded")
      notices.push(modelUnavailable)
      return undefined
    }
  }

  const rank = async (
    request: SearchRequest,
    notices: Notice[],
  ): Promise<{ ranked: Ranked[]; strategy: Strategy }> => {
    const { query, vectorIds, topK } = request
    const wanted = Math.max(rankedMinimum, topK * rankedPerResult)
    const embedding = request.strategy === "keyword" ? undefined : await embedQuery(query, notices)
    const strategy = embedding ? request.strategy : "keyword"
    const [keyword, semantic]: [KeywordRanked[], SemanticRanked[]] = await Promise.all([
      strategy === "semantic" ? [] : index.keyword(query, vectorIds, wanted),
      embedding ? index.semantic(embedding, vectorIds, wanted) : [],
    ])
    const language = languageOfQuery(query)
    const weight = trust.weight(language)
    trust.observe(
      language,
      keyword.map((hit) => hit.id),
      semantic.map((hit) => hit.id),
    )
    return { ranked: fuse(keyword, semantic, weight), strategy }
  }

  /** Best first, by the reranking model if there is one; the first `topK` are the results. */
  const order = async (
    { query, topK }: SearchRequest,
    model: Reranker | null,
    found: Passage[],
    notices: Notice[],
  ): Promise<Passage[]> => {
    if (!model || found.length < 2) return found
    try {
      const { passages, read } = await rerank(model, query, found)
      if (read < Math.min(topK, found.length, mostReranked)) notices.push(rerankerLate)
      return passages
    } catch (error) {
      logger.warn({ err: error }, "the passages could not be reranked")
      notices.push(rerankerUnavailable)
      return found
    }
  }

  return {
    async search(request: SearchRequest): Promise<SearchResult> {
      const { topK, filter, vectorIds } = request
      const notices: Notice[] = index.state.status === "rebuilding" ? [rebuilding] : []
      if (vectorIds.length === 0) return { ...nothing, strategy: request.strategy, notices }
      try {
        const { ranked, strategy } = await rank(request, notices)
        const model = reranker?.() ?? null
        const wanted = model ? Math.max(topK, mostReranked) : topK
        const { results, others } = await collect(ranked, { topK: wanted, filter }, passagesById)
        const ordered = await order(request, model, results, notices)
        const left = ordered.slice(topK).map(toPassedOver)
        return {
          results: ordered.slice(0, topK),
          others: [...left, ...others].slice(0, mostOthers),
          strategy,
          notices,
        }
      } catch (error) {
        logger.warn({ err: error }, "the search index did not answer")
        return { ...nothing, strategy: "keyword", notices: [...notices, indexUnavailable] }
      }
    },
  }
}

const nothing = { results: [], others: [] }
const mostOthers = 40

/** The passages of a ranking as far as they still exist, those with the same text as one. */
async function collect(
  ranked: Ranked[],
  { topK, filter }: Pick<SearchRequest, "topK" | "filter">,
  passagesById: SearchDeps["passagesById"],
): Promise<Pick<SearchResult, "results" | "others">> {
  const results: Passage[] = []
  const wordings: string[] = []
  const others: PassedOver[] = []
  const batch = topK * 2
  const relevant = ranked.filter(({ score }) => score * 100 >= filter)
  let from = 0
  while (from < relevant.length && results.length < topK) {
    const some = relevant.slice(from, from + batch)
    const stored = new Map(
      (await passagesById(some.map(({ id }) => id))).map((passage) => [passage.id, passage]),
    )
    for (const hit of some) {
      if (results.length === topK) break
      from++
      const passage = stored.get(hit.id)
      if (!passage) continue
      const wording = wordingOf(passage.text)
      const same = results.find(({ fileId }, index) => {
        const known = wordings[index] ?? ""
        return wording === known || (fileId !== passage.fileId && repeats(wording, known))
      })
      if (same) {
        nameAlso(same, passage)
        others.push({ ...hit, reason: "duplicate" })
      } else {
        results.push({ ...passage, ...hit })
        wordings.push(wording)
      }
    }
  }
  for (const hit of relevant.slice(from)) others.push({ ...hit, reason: "not_best" })
  for (const hit of ranked.slice(relevant.length)) others.push({ ...hit, reason: "below_filter" })
  return { results, others }
}

function nameAlso(passage: Passage, { fileId, fileName, vectorId, relativePath }: StoredPassage): void {
  const known = [passage, ...(passage.alsoIn ?? [])]
  if (known.some((file) => file.fileId === fileId)) return
  passage.alsoIn = [...(passage.alsoIn ?? []), { fileId, fileName, vectorId, relativePath }]
}

const toPassedOver = ({ id, score, rank }: Passage): PassedOver => ({ id, score, rank, reason: "not_best" })

const noModel: Notice = {
  code: "no_embedding_model",
  message: "Searched by keywords only: no embedding model is installed.",
}
const modelUnavailable: Notice = {
  code: "embedding_unavailable",
  message: "Searched by keywords only: the embedding model did not answer.",
}
const rebuilding: Notice = {
  code: "index_rebuilding",
  message: "The search index is being built; some passages can't be found yet.",
}
const indexUnavailable: Notice = {
  code: "index_unavailable",
  message: "The search index did not answer. Try again in a minute.",
}
const rerankerUnavailable: Notice = {
  code: "reranker_unavailable",
  message: "Passages keep the order of the search: the reranking model did not answer.",
}
const rerankerLate: Notice = {
  code: "reranker_late",
  message: "Only some passages were put in a better order: the reranking model took too long.",
}
