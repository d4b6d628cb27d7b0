import { AppError } from "../../../shared/contract/errors.ts"
import type { Notice, Passage, Strategy } from "../../../shared/contract/folders.ts"
import { createNotice, sentence } from "../../../shared/sentences/sentences.ts"
import { includesFile, type GeneratedFiles } from "../../core/files/generated-files.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { abortAfter } from "../../core/waiting/abort-and-timeout.ts"
import type { TextEmbedder } from "../../engines/embedding/text-embedder.ts"
import type { FileSelection, PassageIndex } from "../../engines/vectors/passage-index.ts"
import type { LineStarts } from "./cited-line.ts"
import type { OmittedPassage, StoredPassage } from "./collect.ts"
import type { FileNames } from "./file-names.ts"
import { rankPassages, createReranking, maxReranked, type Reranker } from "./ranking.ts"

export interface SearchDeps {
  index: Pick<PassageIndex, "keyword" | "semantic" | "state">
  /** Absent if no embedding model is configured. */
  embedder?: (TextEmbedder & RemoteEmbedderLimits) | undefined
  /** The reranking model in use. */
  reranker?: (() => Reranker | null) | undefined
  /** Maximum wait in milliseconds for the reranking model. A model that is slow or still loading mustn't keep anyone waiting. */
  rerankMs?: number
  /** Passages by ID, in any order; deleted ones are left out. */
  findPassagesById(this: void, ids: string[]): Promise<StoredPassage[]>
  /** Line numbers of these passages. Documents without lines have none. */
  readLineStarts?(this: void, ids: string[]): Promise<ReadonlyMap<string, LineStarts>>
  names: FileNames
  logger: Pick<Logger, "warn">
}

interface RemoteEmbedderLimits {
  /** IDs of the folders whose passages the model may not read; absent for a model on this computer. */
  getExcludedFolders?(): Promise<ReadonlySet<string>>
}

export interface SearchRequest {
  query: string
  vectorIds: string[]
  /** Whether the question belongs to a chat that no remote model may read. */
  staysHere?: boolean | undefined
  topK: number
  strategy: Strategy
  /** Minimum relevance in percent for a folder's passages; no minimum by default. */
  filters?: ReadonlyMap<string, number>
  /** The files that a filter lets through; all files of the folders by default. */
  files?: FileSelection | undefined
  /** Model-written files that can be found, by folder; none by default. */
  generated?: ReadonlyMap<string, GeneratedFiles>
}

export interface SearchResult {
  /** Best first. */
  results: Passage[]
  /** The next best passages that aren't among the results, with the reason. Some may be deleted. */
  others: OmittedPassage[]
  /** The strategy that was used. */
  strategy: Strategy
  notices: Notice[]
}

/** Passages to rank for each wanted one, because some turn out to be copies or deleted. */
const rankedPerResult = 3
const rankedMinimum = 40
/** Passages to rank if some must come first, because those with the quoted words, date or amount may be far down. */
const rankedForMatches = 200
/** Factor by which the search goes deeper if too few ranked passages can be shown, and its maximum depth. */
const deeper = 4
const maxResults = 1_000
/** Timeout in milliseconds for embedding the question. While a model is loading, keyword search must answer. */
const embedMs = 5_000

/** Loaded with the first search, because it loads the words of many languages. */
const exactMatches = () => import("./exact-matches.ts")

/** Searches passages by keyword, by meaning, or both. Reports missing models; without the index itself it throws. */
export class Search {
  readonly #deps: SearchDeps
  readonly #rerankMs: number
  readonly #rerank: ReturnType<typeof createReranking>

  constructor(deps: SearchDeps) {
    this.#deps = deps
    this.#rerankMs = deps.rerankMs ?? 2_500
    this.#rerank = createReranking(this.#rerankMs)
  }

  /** Throws `AppError`, usually `unavailable` or `disk_full`, if the index doesn't respond. */
  async search(request: SearchRequest): Promise<SearchResult> {
    const { topK, vectorIds } = request
    const notices: Notice[] =
      this.#deps.index.state.status === "rebuilding" ? [createNotice("index_rebuilding")] : []
    if (vectorIds.length === 0) return { ...nothing, strategy: request.strategy, notices }
    try {
      const model = this.#deps.reranker?.() ?? null
      const wanted = model ? Math.max(topK, maxReranked) : topK
      const { results, others, strategy } = await this.#find(request, wanted, notices)
      const ordered = await this.#order(request.query, model, results, notices)
      const left = ordered.slice(topK).map(toOmittedPassage)
      return {
        results: await citeLines(request.query, ordered.slice(0, topK), this.#deps.readLineStarts),
        others: [...left, ...others].slice(0, maxOthers),
        strategy,
        notices,
      }
    } catch (error) {
      const isExplained = error instanceof AppError && error.cause === undefined // for example, while the server stops
      if (!isExplained) this.#deps.logger.warn({ err: error }, "The search index didn't respond")
      if (error instanceof AppError) throw error
      throw new AppError("unavailable", sentence("search.no_answer"), { cause: error })
    }
  }

  /** Returns the wanted number of passages if there are enough. It searches deeper if filters, copies or deletions remove some. */
  async #find(request: SearchRequest, wanted: number, notices: Notice[]) {
    const { query, vectorIds, files, filters, strategy: asked } = request
    // The index may still contain a deleted file, which is in a hidden folder while the deletion can be undone.
    const findPassagesById = async (ids: string[]) =>
      (await this.#deps.findPassagesById(ids)).filter(
        ({ vectorId, fileId, generated }) =>
          vectorIds.includes(vectorId) &&
          (!generated || includesFile(request.generated?.get(vectorId) ?? [], fileId)),
      )
    const getFilter = (vectorId: string) => filters?.get(vectorId) ?? 0
    const lowestFilter = Math.min(...vectorIds.map(getFilter))
    const { createExactMatcher, moveMatchesFirst } = await exactMatches()
    const matcher = createExactMatcher(query)
    const embedding = asked === "keyword" ? undefined : await this.#embedQuery(request, notices)
    const strategy = embedding ? asked : "keyword"
    const ranking = { query, embedding, isSemanticOnly: strategy === "semantic", vectorIds, files }
    // loaded with the first search
    const { matchNames } = await import("./file-names.ts")
    const { orderByName } = await import("./order-by-name.ts")
    const { collect } = await import("./collect.ts")
    const named = await matchNames(query, vectorIds, this.#deps.names, files)
    let depth = Math.max(matcher ? rankedForMatches : rankedMinimum, request.topK * rankedPerResult)
    for (;;) {
      const { ranked, complete } = await rankPassages(this.#deps.index, ranking, depth)
      const byName =
        named.size > 0
          ? await orderByName(ranked, named, {
              findPassagesById,
              findFirstPassages: this.#deps.names.findFirstPassages,
            })
          : ranked
      const texts = new Map(
        matcher ? (await findPassagesById(getIds(byName))).map(({ id, text }) => [id, text]) : [],
      )
      const best = matcher
        ? moveMatchesFirst(byName, ({ id }) => matcher.getLevel(texts.get(id) ?? ""))
        : byName
      const found = await collect(best, { wanted, getFilter, lowestFilter, findPassagesById })
      const last = ranked.at(-1)?.score ?? 0
      const enough = found.results.length >= request.topK
      if (enough || complete || depth >= maxResults || last * 100 < lowestFilter) {
        return { ...found, strategy }
      }
      depth = Math.min(depth * deeper, maxResults)
    }
  }

  async #embedQuery(
    { query, vectorIds, staysHere }: SearchRequest,
    notices: Notice[],
  ): Promise<Float32Array | undefined> {
    if (!this.#deps.embedder) {
      notices.push(createNotice("no_embedding_model"))
      return undefined
    }
    try {
      const forbidden = await this.#deps.embedder.getExcludedFolders?.()
      // Passages of these folders have no vectors with which the question could be compared.
      if (forbidden && (staysHere || vectorIds.every((id) => forbidden.has(id)))) {
        notices.push(createNotice("embedding_elsewhere"))
        return undefined
      }
      const [embedding] = await this.#deps.embedder.embed([query], "query", abortAfter(embedMs))
      return embedding
    } catch (error) {
      this.#deps.logger.warn({ err: error }, "The query couldn't be embedded")
      notices.push(createNotice("embedding_unavailable"))
      return undefined
    }
  }

  /** Best first, according to the reranking model if there is one. The first `topK` are the results. */
  async #order(
    query: string,
    model: Reranker | null,
    found: Passage[],
    notices: Notice[],
  ): Promise<Passage[]> {
    if (!model || found.length < 2) return found
    try {
      const { passages, read } = await this.#rerank(model, query, found)
      if (read < Math.min(found.length, maxReranked)) notices.push(createNotice("reranker_late"))
      const { createExactMatcher, moveMatchesFirst } = await exactMatches()
      const matcher = createExactMatcher(query)
      return matcher ? moveMatchesFirst(passages, ({ text }) => matcher.getLevel(text)) : passages
    } catch (error) {
      this.#deps.logger.warn({ err: error }, "The passages couldn't be reranked")
      notices.push(createNotice("reranker_unavailable"))
      return found
    }
  }
}

export const createSearch = (deps: SearchDeps): Search => new Search(deps)

const nothing = { results: [], others: [] }
const maxOthers = 40

const getIds = (ranking: readonly { id: string }[]) => ranking.map(({ id }) => id)

/** Cites each passage by the line that shares the most words with the query. */
async function citeLines(
  query: string,
  passages: Passage[],
  readLineStarts: SearchDeps["readLineStarts"],
): Promise<Passage[]> {
  const ids = getIds(passages.filter(({ location }) => location.line !== undefined))
  const starts = ids.length > 0 ? await readLineStarts?.(ids) : undefined
  if (!starts) return passages
  const { citedLine } = await import("./cited-line.ts")
  return passages.map((passage) => {
    const cited = citedLine(passage.text, starts.get(passage.id) ?? [], query)
    const { line: _line, heading: _heading, ...locationInFile } = passage.location
    return cited ? { ...passage, location: { ...locationInFile, ...cited } } : passage
  })
}

const toOmittedPassage = ({ id, score, rank }: Passage): OmittedPassage => ({
  id,
  score,
  rank,
  reason: "not_best",
})
