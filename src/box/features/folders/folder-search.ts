import type { Notice, Passage, Strategy } from "../../../shared/contract/folders.ts"
import type { DbOf } from "../../core/database/database.ts"
import { generatedIn, type GeneratedFiles } from "../../core/files/generated-files.ts"
import { includesGenerated } from "./access.ts"

export interface FolderQuery {
  query: string
  vectorIds: readonly string[]
  /** Overrides the folders' settings. */
  topK?: number | undefined
  strategy?: Strategy | undefined
  /** Whether the question belongs to a chat that no remote model may read. */
  staysHere?: boolean | undefined
  /** Model-written files to search, in addition to those that a folder includes; none by default. */
  generated?: GeneratedFiles | undefined
}

export interface FolderSearchResult {
  results: Passage[]
  /** Passages that were found but aren't among the results, with the reason. */
  others: OmittedPassage[]
  /** The strategy that was used; `keyword` if there is no embedding model. */
  strategy: Strategy
  notices: Notice[]
}

export interface OmittedPassage extends Pick<Passage, "id" | "score" | "rank"> {
  reason: "below_filter" | "duplicate" | "not_best"
}

/** The search itself, which knows passages but not folders. */
export type SearchPassages = (request: {
  query: string
  vectorIds: string[]
  staysHere?: boolean | undefined
  topK: number
  strategy: Strategy
  /** Relevance in percent by folder; passages below it are dropped. */
  filters: ReadonlyMap<string, number>
  /** Model-written files that can be found, by folder. */
  generated: ReadonlyMap<string, GeneratedFiles>
}) => Promise<FolderSearchResult>

export type SearchFolders = (query: FolderQuery) => Promise<FolderSearchResult>

/**
 * Searches several folders as one, using their own settings: the largest `topK`, the strategy if they all agree and `hybrid` otherwise, and
 * each folder's own `filter` for its passages.
 */
export function createFolderSearch(db: DbOf<"folders">, search: SearchPassages): SearchFolders {
  return async ({ query, vectorIds, topK, strategy, staysHere, generated = [] }) => {
    const folders = await db
      .selectFrom("folders")
      .select(["id", "topK", "filter", "strategy", "includeGenerated", "chatId"])
      .where("id", "in", [...vectorIds])
      .execute()
    const strategies = new Set(folders.map((folder) => folder.strategy))
    const [agreed] = strategies
    const wanted = strategy ?? (agreed && strategies.size === 1 ? agreed : "hybrid")
    if (folders.length === 0) return { results: [], others: [], strategy: wanted, notices: [] }
    return search({
      query,
      staysHere,
      vectorIds: folders.map((folder) => folder.id),
      topK: topK ?? Math.max(...folders.map((folder) => folder.topK)),
      strategy: wanted,
      filters: new Map(folders.map((folder) => [folder.id, folder.filter])),
      generated: new Map(
        folders.map((folder) => [
          folder.id,
          generatedIn({ includeGenerated: includesGenerated(folder) }, generated),
        ]),
      ),
    })
  }
}
