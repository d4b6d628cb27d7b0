import type { BoxValues } from "../../core/database/box-values.ts"
import { indexPath } from "../../core/data-layout.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { EmbeddingEngine } from "../../engines/engine.ts"
import { createModelInUse, type ModelInUse } from "../../features/models/answering/models-in-use.ts"
import {
  type EmbeddingFamily,
  promptsFor,
  createTextEmbedder,
  vectorsName,
} from "../../engines/embedding/text-embedder.ts"
import {
  openPassageIndex,
  type PassageIndex,
  type PassageIndexOptions,
} from "../../engines/vectors/passage-index.ts"
import type { TableStore } from "../../engines/vectors/tables-location.ts"
import {
  type Ingestion,
  type IngestionDeps,
  startIngestion,
} from "../../features/files/ingestion/ingestion.ts"
import { createIndexStamp, createPassageStore } from "../../features/files/passages/passage-store.ts"
import { chunk, chunkerVersion } from "../../features/retrieval/chunker.ts"
import {
  createSearch,
  type SearchDeps,
  type SearchRequest,
  type SearchResult,
} from "../../features/retrieval/search.ts"
import type { Workers } from "../../http/workers/workers.ts"
import type { ModelOpener, OpenedEmbedder } from "../models.ts"

export interface OpenSearchOptions extends Pick<
  IngestionDeps,
  "db" | "folders" | "find" | "reader" | "changed" | "reread" | "getPassword" | "describer"
> {
  /** Boxes that run work for this one. */
  workers?: Workers | null
  values: BoxValues
  dataDir: string
  opener: Pick<ModelOpener, "embedding">
  /** The initial embedding model: a path, an address, or none. */
  model: string | null
  /** Which prompts each family of embedding models expects before a text. */
  families(): Promise<readonly EmbeddingFamily[]>
  /** Folders that no remote model may read. */
  staying(): Promise<readonly { id: string }[]>
  /** The reranking model in use. */
  reranker: SearchDeps["reranker"]
  /** Store of the index's tables; null: they are in the data directory. */
  tables: TableStore | null
  /** The location of the data directory. */
  dataDirectory?: PassageIndexOptions["dataDirectory"]
  logger: Logger
}

/** Index, search and ingestion. They belong to one embedding model and are replaced together with it. */
export interface OpenSearch extends ModelInUse<EmbeddingEngine>, AsyncDisposable {
  search(request: SearchRequest): Promise<SearchResult>
  index: Pick<PassageIndex, "put" | "removeFile" | "removeFolder">
  ingestion: Pick<Ingestion, "wake" | "retryEmbedding" | "requestReread" | "cancel" | "release">
  /**
   * Replaces the embedding model, or removes it. Requests in the meantime wait. The index is rebuilt in the background, and search is by
   * keyword until it is complete.
   */
  replace(model: string | null): Promise<void>
}

interface Parts extends AsyncDisposable {
  search: ReturnType<typeof createSearch>
  index: PassageIndex
  ingestion: Ingestion
  engine: EmbeddingEngine | null
}

export async function openSearch(options: OpenSearchOptions): Promise<OpenSearch> {
  /** The parts in use, or the previous ones while they are being replaced. */
  let parts = await openParts(options, options.model)
  let ready = Promise.resolve(parts)
  const { engine, onReplaced, set } = createModelInUse(parts.engine)

  async function follow(before: Promise<Parts>, model: string | null): Promise<Parts> {
    await (await before)[Symbol.asyncDispose]()
    // Without a model, only the index itself can fail: keyword search still works.
    parts = await openParts(options, model).catch((error: unknown) => {
      options.logger.error({ err: error }, "The embedding model can't be used; search is by keywords")
      return openParts(options, null)
    })
    parts.ingestion.wake() // for files that arrived in the meantime
    set(parts.engine)
    return parts
  }

  return {
    search: async (request) => (await ready).search.search(request),
    index: {
      put: async (passages) => (await ready).index.put(passages),
      removeFile: async (fileId) => (await ready).index.removeFile(fileId),
      removeFolder: async (folderId) => (await ready).index.removeFolder(folderId),
    },
    ingestion: {
      // Parts that are still being opened start from the database, so they need no notification.
      wake: () => parts.ingestion.wake(),
      retryEmbedding: () => parts.ingestion.retryEmbedding(),
      requestReread: () => parts.ingestion.requestReread(),
      cancel: (fileIds) => parts.ingestion.cancel(fileIds),
      release: async (folderId) => (await ready).ingestion.release(folderId),
    },
    engine,
    onReplaced,
    async replace(model) {
      ready = follow(ready, model)
      await ready
    },
    async [Symbol.asyncDispose]() {
      await (await ready)[Symbol.asyncDispose]()
    },
  }
}

async function openParts(options: OpenSearchOptions, model: string | null): Promise<Parts> {
  const { db, folders, dataDir, opener, reader, reranker, changed, dataDirectory, logger } = options
  await using stack = new AsyncDisposableStack()
  const opened = model === null ? null : await opener.embedding(model)
  if (opened) stack.use(opened.embedding)
  // The index can't use a model if the length of its vectors is unknown.
  const used =
    opened && opened.dimensions !== null
      ? await toUsed(opened, opened.dimensions, await options.families(), options)
      : null
  const passages = createPassageStore(db)
  const index = stack.use(
    await openPassageIndex({
      directory: indexPath(dataDir),
      ...(used ? { embedding: used.described } : {}),
      passages: () => passages.all(used?.described.modelId ?? null),
      dataDirectory,
      stamp: createIndexStamp(options.values),
      store: options.tables ?? undefined,
      logger,
    }),
  )
  const search = createSearch({
    index,
    embedder: used?.asked,
    reranker,
    findPassagesById: (ids) => passages.findByIds(ids),
    readLineStarts: passages.readLineStarts,
    names: {
      async holding(...wanted) {
        const { createNameSearch } = await import("../../features/files/names/name-search.ts") // loaded with the first search
        return createNameSearch(db)(...wanted)
      },
      findFirstPassages: passages.findFirstPassages,
    },
    logger,
  })
  const ingestion = stack.use(
    await startIngestion({
      db,
      folders,
      ...(options.find && { find: options.find }),
      reader,
      chunk,
      chunkerVersion,
      index,
      embedder: used?.embedder ?? null,
      logger,
      changed,
      ...(options.reread && { reread: options.reread }),
      workers: options.workers,
      ...(options.describer && { describer: options.describer }),
      ...(options.getPassword && { getPassword: options.getPassword }),
      ...(dataDirectory && { isInPlace: dataDirectory.isInPlace }),
    }),
  )
  const resources = stack.move()
  return {
    search,
    index,
    ingestion,
    engine: opened?.embedding ?? null,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function toUsed(
  { embedding, vectorsId, file }: OpenedEmbedder,
  dimensions: number,
  families: readonly EmbeddingFamily[],
  { staying, workers }: Pick<OpenSearchOptions, "staying" | "workers">,
) {
  const prompts = promptsFor([...embedding.names(), embedding.model.id], families)
  const modelId = vectorsName(vectorsId, prompts)
  const isRemote = embedding.model.kind === "remote"
  const getExcludedFolders = async () => new Set(isRemote ? (await staying()).map(({ id }) => id) : [])
  const texts = createTextEmbedder(embedding, prompts)
  const shared =
    workers &&
    file &&
    (await import("../../engines/embedding/elsewhere/embed-elsewhere.ts")).createWorkerEmbedder
  const ingested = shared ? createTextEmbedder(shared(embedding, file, workers), prompts) : texts
  return {
    embedder: {
      ...ingested,
      modelId,
      getExcludedFolders,
      concurrency: () => 1 + (shared ? workers.count("embed") : 0),
    },
    asked: isRemote ? { ...texts, getExcludedFolders } : texts,
    described: { modelId, dimensions },
  }
}
