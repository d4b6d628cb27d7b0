import type { Notice, Passage, Strategy } from "../../../shared/contract/folders.ts"
import type { DbOf } from "../../core/database/database.ts"

export interface FolderQuery {
  query: string
  vectorIds: readonly string[]
  /** Instead of what the folders are set to. */
  topK?: number | undefined
  strategy?: Strategy | undefined
  /** The question is of a conversation that no model elsewhere may read. */
  staysHere?: boolean | undefined
  /** Finds passages of files that a model wrote, too, also where a folder isn't set to it. */
  includeGenerated?: boolean | undefined
}

export interface FolderSearchResult {
  results: Passage[]
  /** Passages that were found but aren't among the results, and why. */
  others: PassedOver[]
  /** The strategy that was used, which is `keyword` where there is no embedding model. */
  strategy: Strategy
  notices: Notice[]
}

export interface PassedOver extends Pick<Passage, "id" | "score" | "rank"> {
  reason: "below_filter" | "duplicate" | "not_best"
}

/** The search itself, which knows passages but no folders. */
export type SearchPassages = (request: {
  query: string
  vectorIds: string[]
  staysHere?: boolean | undefined
  topK: number
  strategy: Strategy
  /** By folder, the percentage of relevance below which its passages are dropped. */
  filters: ReadonlyMap<string, number>
  /** Folders whose files that a model wrote are found, too. */
  withGenerated: ReadonlySet<string>
}) => Promise<FolderSearchResult>

export type SearchFolders = (query: FolderQuery) => Promise<FolderSearchResult>

/**
 * Searches several folders as one, by their own settings: the largest `topK`, the strategy if they agree on one and
 * `hybrid` otherwise, and each folder's own `filter` for its passages.
 */
export function createFolderSearch(db: DbOf<"folders">, search: SearchPassages): SearchFolders {
  return async ({ query, vectorIds, topK, strategy, staysHere, includeGenerated = false }) => {
    const folders = await db
      .selectFrom("folders")
      .select(["id", "topK", "filter", "strategy", "includeGenerated"])
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
      withGenerated: new Set(
        folders.filter((folder) => includeGenerated || folder.includeGenerated === 1).map(({ id }) => id),
      ),
    })
  }
}
