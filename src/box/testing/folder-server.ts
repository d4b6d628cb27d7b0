import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Client } from "../../shared/client/http-client.ts"
import { api } from "../../shared/contract/api.ts"
import type { FileEntry } from "../../shared/contract/files.ts"
import { systemTimes } from "../core/age-clock.ts"
import { spawnNodeChild } from "../core/children/child.ts"
import type { Database } from "../core/database/database.ts"
import { createEventBus, type EventBus } from "../core/event-bus.ts"
import { silentLogger } from "../core/logging/logger.ts"
import { createTrash, type Trash } from "../core/files/trash.ts"
import type { EmbeddingEngine } from "../engines/engine.ts"
import { openPassageIndex, type PassageIndex } from "../engines/vectors/passage-index.ts"
import { createChatTitles } from "../features/chat/transcript/chat-titles.ts"
import { createFileNews } from "../features/files/file-news.ts"
import { createFilePages } from "../features/files/file-pages.ts"
import { filesHandlers } from "../features/files/routes.ts"
import { createFiles, type Files } from "../features/files/service.ts"
import { createFileStore } from "../features/files/store.ts"
import { createFolderAccess } from "../features/folders/access.ts"
import { createFolderSearch } from "../features/folders/folder-search.ts"
import { createFolderPlaces } from "../features/folders/places.ts"
import { foldersHandlers } from "../features/folders/routes.ts"
import { createFolders } from "../features/folders/service.ts"
import { startIngestion, type Ingestion, type IngestionDeps } from "../features/files/ingestion/ingestion.ts"
import type { Embedder } from "../features/files/passages/embed-passages.ts"
import { createPassageStore, type PassageStore } from "../features/files/passages/passage-store.ts"
import { chunk, chunkerVersion } from "../features/retrieval/chunker.ts"
import { serve } from "../http/serve.ts"
import { createPageViewer } from "../parsers/pages/page-viewer.ts"
import { createDocumentReader, type DocumentReader } from "../parsers/process/document-reader.ts"
import { createPushes, type Pushes } from "./pushes.ts"
import { openPeopledDatabase, serveFeatures } from "./served-features.ts"
import type { SocketMessage } from "../../shared/contract/socket.ts"
import { deletionHandlers } from "../features/deletions/routes.ts"
import { createDeletions } from "../features/deletions/service.ts"
import { endDeletions } from "../features/deletions/store.ts"

/** Users of the test database; the key of each is its name. Alice and bob share a workspace. */
const users = ["alice", "bob", "carol"]
const workspace = ["alice", "bob"]

export type TestEmbedder = Embedder & Pick<EmbeddingEngine, "dimensions">

/** A message, and whose apps would get it. */
interface Sent {
  userIds: readonly string[] | null
  message: SocketMessage
}

export interface FolderServerOptions {
  /** Kept when the server ends, so that another can start on it. */
  dataDir?: string
  embedder?: TestEmbedder
  /** How long a deletion can be undone, in ms; a minute unless given. */
  undoMs?: number
  reader?: Pick<DocumentReader, "read">
  chunker?: { chunk: IngestionDeps["chunk"]; version: number }
  /** As for ingestion; none by default. */
  retryAfterMs?: readonly number[]
  restMs?: number
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
  /** Nothing that was deleted can be undone any more; settles when it is gone for good, or can't go yet. */
  endDeletions(): Promise<void>
  clientOf(user: string): Client
  /** Settles with the first push for which `matches` holds, also one from before the call. */
  pushed(matches: (push: Sent) => boolean): Promise<Sent>
  /** Hears of all that is pushed; returns how to stop. */
  listen: Pushes["listen"]
  /** Settles when the file at this path of a folder is in the wanted state. */
  fileIs(path: string, state: FileEntry["status"]): Promise<FileEntry>
}

/** Folders, files and ingestion over HTTP with real parts, and callers that need no account. */
export async function startFolderServer(options: FolderServerOptions = {}): Promise<FolderServer> {
  await using stack = new AsyncDisposableStack()
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "casella-folders-")))
  if (options.dataDir === undefined) stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  await mkdir(dataDir, { recursive: true })
  const { db } = stack.use(await openPeopledDatabase(dataDir, users))
  const bus = createEventBus()
  const { push, listen } = createPushes()
  const sent: Sent[] = []
  listen((userIds, message) => sent.push({ userIds, message }))
  const pushed: FolderServer["pushed"] = (matches) =>
    new Promise((resolve) => {
      const seen = sent.find(matches)
      if (seen) return resolve(seen)
      const stop = listen((userIds, message) => {
        if (!matches({ userIds, message })) return
        stop()
        resolve({ userIds, message })
      })
    })

  const passages = createPassageStore(db)
  const { embedder } = options
  const index = stack.use(
    await openPassageIndex({
      directory: join(dataDir, "index"),
      passages: () => passages.all(embedder?.modelId ?? null),
      logger: silentLogger,
      ...(embedder
        ? { embedding: { modelId: embedder.modelId, dimensions: await embedder.dimensions() } }
        : {}),
    }),
  )
  const reader =
    options.reader ??
    stack.use(
      createDocumentReader({
        spawn: spawnNodeChild,
        logger: silentLogger,
        ocrLanguages: join(dataDir, "ocr-languages"),
      }),
    )
  const colleagues = (userId: string) => Promise.resolve(workspace.includes(userId) ? workspace : [userId])
  const places = createFolderPlaces(db, dataDir)
  const access = createFolderAccess({ db, dataDir, colleagues })
  const news = stack.use(
    createFileNews({
      store: createFileStore(db),
      push,
      bus,
      logger: silentLogger,
      audience: access.audience,
    }),
  )
  const ingestion = stack.use(
    await startIngestion({
      db,
      folders: places,
      reader,
      chunk: options.chunker?.chunk ?? chunk,
      chunkerVersion: options.chunker?.version ?? chunkerVersion,
      index,
      embedder: embedder ?? null,
      logger: silentLogger,
      changed: news.changed,
      retryAfterMs: options.retryAfterMs ?? [0],
      ...(options.restMs === undefined ? {} : { restMs: options.restMs }),
    }),
  )
  const deletions = createDeletions({ db, logger: silentLogger, undoMs: options.undoMs ?? 60_000 })
  const trash = createTrash(join(dataDir, "trash"))
  const files = stack.use(
    createFiles({
      db,
      folders: places,
      dataDir,
      dataDirectoryId: "folder-server",
      isOtherDatabase: false,
      logger: silentLogger,
      trash,
      news,
      place: access.place,
      ingestion,
      index,
      blocks: passages.blocks,
      noteDeletion: deletions.note,
    }),
  )
  deletions.handle("file", files.deletable)
  const search = createFolderSearch(db, async ({ query, vectorIds, topK }) => {
    const hits = await index.keyword(query, vectorIds, topK)
    const found = await passages.byIds(hits.map((hit) => hit.id))
    const results = found.map((one) => ({ ...one, score: 1, rank: {} }))
    return { results, others: [], strategy: "keyword", notices: [] }
  })
  const folders = createFolders({
    db,
    dataDir,
    push,
    access,
    colleagues,
    search,
    reserve: { orFree: (work) => work() },
    logger: silentLogger,
    times: systemTimes,
    chatTitles: createChatTitles(db),
    contents: { ...files, wakeIngestion: ingestion.wake },
    passagesById: (ids) => passages.byIds(ids),
    deletions,
  })
  deletions.handle("folder", folders.deletable)
  stack.use(deletions)
  await files.start()
  await folders.clean(Date.now())
  await deletions.start()

  const pageViewer = stack.use(createPageViewer({ spawn: spawnNodeChild, logger: silentLogger }))
  const { url, clientOf } = stack.use(
    await serveFeatures({ users, isOwner: (userId) => userId === "alice" }, (app, serving) => {
      serve(app, api.folders, foldersHandlers(folders), serving)
      serve(app, api.deletions, deletionHandlers(deletions), serving)
      serve(app, api.files, filesHandlers(files, createFilePages(pageViewer)), serving)
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
    clientOf,
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
    async endDeletions() {
      await endDeletions(db)
      await deletions.start()
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
