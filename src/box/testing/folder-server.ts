import {
  noQuotas,
  createPushes,
  type Pushes,
  createTestDeletions,
  openPeopledDatabase,
  serveFeatures,
} from "./served-features.ts"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Client } from "../../shared/client/http-client.ts"
import { api } from "../../shared/contract/api.ts"
import type { FileEntry } from "../../shared/contract/files.ts"
import { systemTimes } from "../core/age-clock.ts"
import { spawnNodeChild } from "../core/children/child.ts"
import { trashPath } from "../core/data-layout.ts"
import type { Database } from "../core/database/database.ts"
import { createEventBus, type EventBus } from "../core/event-bus.ts"
import { silentLogger } from "../core/logging/logger.ts"
import type { SafeFetch } from "../core/safe-fetch/safe-fetch.ts"
import { createTrash, type Trash } from "../core/files/trash.ts"
import type { EmbeddingEngine } from "../engines/engine.ts"
import { openPassageIndex, type PassageIndex } from "../engines/vectors/passage-index.ts"
import { createChatTitles } from "../features/chat/transcript/conversation-store.ts"
import {
  createPictureDescriber,
  type DescriberDeps,
} from "../features/files/descriptions/describe-pictures.ts"
import { estimateImageCosts } from "../features/files/descriptions/image-costs.ts"
import { createFindBytes } from "../features/files/disk/find-stored.ts"
import { createFileNews } from "../features/files/file-changes.ts"
import { createFilePages, createFilePasswords } from "../features/files/read-files.ts"
import { filesHandlers } from "../features/files/routes.ts"
import { createFiles, type Files } from "../features/files/service.ts"
import { createFetchPage } from "../features/files/web-pages/fetch-page.ts"
import { createFileStore } from "../features/files/store.ts"
import { createFolderAccess } from "../features/folders/access.ts"
import { createFileFilter, selectFiles } from "../features/files/filtering/match-files.ts"
import { createFolderSearch } from "../features/folders/reading.ts"
import { createFolders } from "../features/folders/service.ts"
import { createStoredFolders } from "../features/folders/store.ts"
import { foldersHandlers } from "../features/folders/routes.ts"
import { startIngestion, type Ingestion, type IngestionDeps } from "../features/files/ingestion/ingestion.ts"
import type { Embedder } from "../features/files/passages/embed-passages.ts"
import { createPassageStore, type PassageStore } from "../features/files/passages/passage-store.ts"
import { chunk, chunkerVersion } from "../features/retrieval/chunker.ts"
import { serve } from "../http/serve.ts"
import { createPageViewer } from "../parsers/pages/page-viewer.ts"
import { createPictureFinder } from "../parsers/vision/picture-finder.ts"
import { createDocumentReader, type DocumentReader } from "../parsers/process/document-reader.ts"
import { deletionHandlers } from "../features/deletions/service.ts"

/** Users of the test database. Each user's key is the user's name. Alice and bob share a workspace. */
const users = ["alice", "bob", "carol"]
const workspace = ["alice", "bob"]

export type TestEmbedder = Embedder & Pick<EmbeddingEngine, "dimensions">

export interface FolderServerOptions {
  /** Kept when the server ends, so that another can start with it. */
  dataDir?: string
  embedder?: TestEmbedder
  /** How long a deletion can be undone, in ms. Default: one minute. */
  undoMs?: number
  reader?: Pick<DocumentReader, "read">
  chunker?: { chunk: IngestionDeps["chunk"]; version: number }
  /** Describes pictures with this model, as far as folders may leave this computer. Default: there is no model. */
  chatModel?: DescriberDeps["engine"]
  /** Timeout of a description, in ms. */
  describeMs?: number
  /** Passed to ingestion. Default: none. */
  retryAfterMs?: readonly number[]
  pauseMs?: number
  isInPlace?: () => boolean
  /** Fetches web pages. Default: there are none. */
  web?: Pick<SafeFetch, "fetch">
}

export interface FolderServer extends AsyncDisposable {
  url: string
  dataDir: string
  db: Database
  bus: EventBus
  trash: Trash
  index: PassageIndex
  passages: PassageStore
  ingestion: Ingestion
  files: Files
  /** Ends the undo period of all deletions. Settles when the data is gone for good or can't be removed yet. */
  endDeletions(): Promise<void>
  getClient(user: string): Client
  pushed: Pushes["pushed"]
  listen: Pushes["listen"]
  /** Settles when the file at this path in a folder has the wanted status. */
  fileIs(path: string, state: FileEntry["status"]): Promise<FileEntry>
}

interface Opening
  extends
    Omit<FolderServerOptions, "dataDir" | "reader">,
    Pick<IngestionDeps, "folders" | "changed" | "reread" | "getPassword" | "describer"> {
  db: Database
  dataDir: string
  reader: Pick<DocumentReader, "read">
  passages: PassageStore
  stack: AsyncDisposableStack
}

/** Opens an index and the ingestion that fills it. */
async function openIngestion({ db, dataDir, passages, stack, ...options }: Opening) {
  const { embedder = null, chunker = { chunk, version: chunkerVersion } } = options
  const index = stack.use(
    await openPassageIndex({
      directory: join(dataDir, "index"),
      passages: () => passages.all(embedder?.modelId ?? null),
      logger: silentLogger,
      ...(embedder && {
        embedding: { modelId: embedder.modelId, dimensions: await embedder.dimensions() },
      }),
    }),
  )
  const ingestion = stack.use(
    await startIngestion({
      db,
      folders: options.folders,
      reader: options.reader,
      chunk: chunker.chunk,
      chunkerVersion: chunker.version,
      index,
      embedder,
      logger: silentLogger,
      changed: options.changed,
      ...(options.reread && { reread: options.reread }),
      ...(options.getPassword && { getPassword: options.getPassword }),
      ...(options.describer && { describer: options.describer }),
      retryAfterMs: options.retryAfterMs ?? [0],
      ...(options.pauseMs === undefined ? {} : { pauseMs: options.pauseMs }),
      ...(options.isInPlace && { isInPlace: options.isInPlace }),
    }),
  )
  return { index, ingestion }
}

const noWeb: Pick<SafeFetch, "fetch"> = { fetch: () => Promise.reject(new Error("There is no web here.")) }

const openReader = (dataDir: string) =>
  createDocumentReader({
    spawn: spawnNodeChild,
    logger: silentLogger,
    ocrLanguages: join(dataDir, "ocr-languages"),
  })

/** Serves folders, files and ingestion over HTTP with real components, and callers that need no account. */
export async function startFolderServer(options: FolderServerOptions = {}): Promise<FolderServer> {
  await using stack = new AsyncDisposableStack()
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "casella-folders-")))
  if (options.dataDir === undefined) stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  await mkdir(dataDir, { recursive: true })
  const { db, state } = stack.use(await openPeopledDatabase(dataDir, users))
  const bus = createEventBus()
  const { push, pushed, listen } = createPushes()
  const passages = createPassageStore(db)
  const colleagues = (userId: string) => Promise.resolve(workspace.includes(userId) ? workspace : [userId])
  const storedFolders = createStoredFolders(db, dataDir)
  const access = createFolderAccess({
    db,
    databaseState: () => null,
    dataDir,
    hasOwnDirectories: true,
    colleagues,
  })
  const news = stack.use(
    createFileNews({
      store: createFileStore(db),
      push,
      bus,
      logger: silentLogger,
      audience: (folderId) => access.audience(folderId),
    }),
  )
  const passwords = createFilePasswords()
  const reader = options.reader ?? stack.use(openReader(dataDir))
  const describer = createPictureDescriber({
    db,
    engine: options.chatModel ?? (() => null),
    staying: (folderIds) => access.staying(folderIds),
    finder: stack.use(createPictureFinder({ spawn: spawnNodeChild, logger: silentLogger })),
    quota: noQuotas,
    logger: silentLogger,
    ...(options.describeMs !== undefined && { timeoutMs: options.describeMs }),
  })
  const { index, ingestion } = await openIngestion({
    ...options,
    reader,
    describer,
    getPassword: passwords.of,
    db,
    dataDir,
    passages,
    folders: storedFolders,
    changed: news.changed,
    reread: news.reread,
    stack,
  })
  const { deletions, endDeletions } = createTestDeletions(db, options.undoMs)
  const search = createFolderSearch(
    db,
    async ({ query, vectorIds, topK }) => {
      const hits = await index.keyword(query, vectorIds, topK)
      const found = await passages.findByIds(hits.map((hit) => hit.id))
      const results = found.map((one) => ({ ...one, score: 1, rank: {} }))
      return { results, others: [], strategy: "keyword", notices: [] }
    },
    (folders, filter) => selectFiles(createFileFilter(db), folders, filter),
  )
  const trash = createTrash(trashPath(dataDir), systemTimes, () => true)
  const files = stack.use(
    createFiles({
      db,
      folders: storedFolders,
      dataDir,
      dataDirectoryId: "folder-server",
      isOtherDatabase: false,
      logger: silentLogger,
      trash,
      objects: null,
      unusedObjects: null,
      news,
      locate: (userId, folderId, right) => access.locate(userId, folderId, right),
      ingestion,
      index,
      describer,
      noteDeletion: deletions.note,
      moving: () => Promise.resolve([]),
      blocks: passages.blocks,
      fetchPage: createFetchPage({ safe: options.web ?? noWeb, reader: stack.use(openReader(dataDir)) }),
      passwords,
      quota: noQuotas,
      requireToStay: () => Promise.resolve(),
    }),
  )
  deletions.handle("file", files.deletable)
  const folders = createFolders({
    db,
    dataDir,
    hasOwnDirectories: true,
    databaseState: state,
    access,
    colleagues,
    contents: files,
    ingestion,
    search,
    findPassagesById: passages.findByIds,
    push,
    reserve: { withReserve: (work) => work() },
    logger: silentLogger,
    times: systemTimes,
    chatTitles: createChatTitles(db),
    chatStaysHere: () => Promise.resolve(false),
    beforeDeletion: () => Promise.resolve(),
    async estimateImageCosts(folderId) {
      const folder = await storedFolders.find(folderId)
      if (!folder) throw new Error("There is no such folder.")
      const find = createFindBytes(null)
      return estimateImageCosts({ db, reader, find, getPassword: passwords.of, describer }, folder)
    },
    deletions,
  })
  deletions.handle("folder", folders.deletable)
  stack.use(deletions)
  await files.start()
  await folders.clean(Date.now())
  await deletions.start()

  const previewReader = stack.use(openReader(dataDir))
  const pageViewer = stack.use(createPageViewer({ spawn: spawnNodeChild, logger: silentLogger }))
  const { url, getClient } = stack.use(
    await serveFeatures({ users, isOwner: (userId) => userId === "alice" }, (routes, serving) => {
      serve(routes, api.folders, foldersHandlers(folders), serving)
      serve(routes, api.deletions, deletionHandlers(deletions), serving)
      serve(routes, api.files, filesHandlers(files, createFilePages(pageViewer), previewReader), serving)
    }),
  )
  const resources = stack.move()
  return {
    url,
    dataDir,
    db,
    bus,
    listen,
    trash,
    index,
    passages,
    ingestion,
    files,
    pushed,
    getClient,
    async fileIs(path, state) {
      const push = await pushed(
        ({ message }) =>
          message.type === "file" &&
          message.file.status === state &&
          message.file.relativePath.split("/").slice(1).join("/") === path,
      )
      if (push.message.type !== "file") throw new Error("unreachable")
      return push.message.file
    },
    endDeletions,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
