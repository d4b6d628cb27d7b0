import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { runInBackground } from "../../core/async-context.ts"
import { tablesPath, temporaryPath, trashPath, ocrLanguagesPath } from "../../core/data-layout.ts"
import { DatabaseUnusable, type DbOf } from "../../core/database/database.ts"
import { createTrash } from "../../core/files/trash.ts"
import { onDemand, lazy } from "../../core/lazy.ts"
import { knownObject } from "../../core/objects/object-rows.ts"
import type { Outbound } from "../../core/outbound/outbound.ts"
import { createSafeFetch } from "../../core/safe-fetch/safe-fetch.ts"
import type { TableStore } from "../../engines/vectors/tables-location.ts"
import { restrictToLocal, createProjectChats } from "../../features/chat/transcript/conversation-store.ts"
import { createTranscriptStore } from "../../features/chat/transcript/transcript-store.ts"
import { mustStay } from "../../features/chat/turn/staying-chats.ts"
import type { PictureDescriber } from "../../features/files/descriptions/describe-pictures.ts"
import { createFindBytes } from "../../features/files/disk/find-stored.ts"
import { createFileNews } from "../../features/files/file-changes.ts"
import type { StoredFolders } from "../../features/files/folder-places.ts"
import { createIngestionBatches } from "../../features/files/ingestion/ingestion-batches.ts"
import { createPassageStore } from "../../features/files/passages/passage-store.ts"
import { createFilePasswords, type FilePasswords } from "../../features/files/read-files.ts"
import { type Files, createFiles } from "../../features/files/service.ts"
import { createFileStore } from "../../features/files/store.ts"
import type { FetchPage } from "../../features/files/web-pages/fetch-page.ts"
import { listMovingTrashIds } from "../../features/filing/moves-in-progress.ts"
import { createFolderAccess, type FolderAccess } from "../../features/folders/access.ts"
import type { MatchFiles } from "../../features/files/filtering/match-files.ts"
import { createFolderSearch } from "../../features/folders/reading.ts"
import { createFolders, type FoldersDeps } from "../../features/folders/service.ts"
import { createStoredFolders } from "../../features/folders/store.ts"
import { readEmbeddingFamilies } from "../../features/models/catalogue.ts"
import { createProjectStore } from "../../features/projects/store.ts"
import type { Tables } from "../../features/tables/service.ts"
import type { PageViewer } from "../../parsers/pages/page-viewer.ts"
import { createDocumentReader, type DocumentReader } from "../../parsers/process/document-reader.ts"
import type { Accounts } from "../accounts.ts"
import type { Base } from "../compose-options.ts"
import type { Models } from "../models.ts"
import type { QuotaPart } from "../quotas.ts"
import type { Objects } from "./open-objects.ts"
import { openSearch } from "./open-search.ts"

/**
 * Opens the object store for the files of the box's own folders; without one, they are in directories.
 * @throws DatabaseUnusable if the files are elsewhere than configured, or the box may not write to the store
 */
async function composeObjects(
  base: Base,
  outbound: Outbound,
  storedFolders: Pick<StoredFolders, "all">,
): Promise<Objects> {
  const { files } = base.config
  if (files !== null)
    return (await import("./open-objects.ts")).openObjects(base, files, outbound, storedFolders)
  if ((await knownObject(base.database.db)) !== null)
    throw new DatabaseUnusable(
      'Files of this Casella are on an object store. Give its address with --files, or move the files back with "move --files directory".',
    )
  return { objects: null, unusedObjects: null, answers: () => Promise.resolve(true) }
}

/** Opens the object store for the tables of the search index; null: they are in the data directory. */
async function composeTableStore(base: Base, outbound: Outbound): Promise<TableStore | null> {
  const { vectors } = base.config
  if (vectors === null) return null
  return (await import("./open-objects.ts")).openTableStore(base, vectors, outbound)
}

/** Tables in the spreadsheets of folders. */
async function composeTables(
  { dataDir, known, spawn, bus, logger, stack }: Base,
  files: Pick<Files, "spreadsheets" | "getFolders">,
): Promise<Omit<Tables, typeof Symbol.asyncDispose>> {
  // another database may use the same revisions for other contents
  if (known.isOther) await rm(tablesPath(dataDir), { recursive: true, force: true })
  const maker = stack.use(onDemand(openMaker, async (made) => made[Symbol.asyncDispose]()))
  const asker = stack.use(onDemand(openAsker, async (made) => made[Symbol.asyncDispose]()))
  const made = stack.use(onDemand(openTables, async (tables) => tables[Symbol.asyncDispose]()))
  return {
    list: async (...asked) => (await made.get()).list(...asked),
    query: async (...asked) => (await made.get()).query(...asked),
    sweep: async () => (await made.get()).sweep(),
  }

  /** Opened with the first sweep, when the box is ready. */
  async function openTables() {
    const { createTableDatabases } = await import("../../features/tables/keeping/kept-tables.ts")
    const { createTables } = await import("../../features/tables/service.ts")
    return createTables({
      maker: maker.get,
      asker: asker.get,
      kept: createTableDatabases(tablesPath(dataDir)),
      spreadsheets: files.spreadsheets,
      getFolders: files.getFolders,
      bus,
      logger,
    })
  }

  async function openMaker() {
    const { createTableMaker } = await import("../../features/tables/making/table-maker.ts")
    return createTableMaker(spawn, join(temporaryPath(dataDir), "tables"))
  }

  async function openAsker() {
    const { createTableAsker } = await import("../../features/tables/asking/table-asker.ts")
    return createTableAsker(spawn)
  }
}

/** Someone waits for a web page; no one waits for a document in a folder. */
const pageLimits = { processorMs: 10_000, timeoutMs: 60_000, characters: 2_000_000 }

/** Reads files here, or on standby boxes if there are any. */
async function composeReader({
  spawn,
  logger,
  dataDir,
  workers,
  stack,
}: Base): Promise<Pick<DocumentReader, "read">> {
  const ocrLanguages = ocrLanguagesPath(dataDir)
  const reader = stack.use(createDocumentReader({ spawn, logger, ocrLanguages }))
  if (workers === null) return reader
  const { createOffloadingReader } = await import("../../parsers/elsewhere/read-elsewhere.ts")
  return createOffloadingReader(reader, workers, ocrLanguages)
}

/** Describes pictures in documents; opened with the first picture. */
function composeDescriber(
  base: Base,
  models: Pick<Models, "chatModels">,
  access: FolderAccess,
  quotas: QuotaPart,
): PictureDescriber {
  const opened = base.stack.use(
    onDemand(
      async () => (await import("./open-describer.ts")).openDescriber(base, models, access, quotas),
      async (made) => made[Symbol.asyncDispose](),
    ),
  )
  return {
    getObstacle: async (folderId) => (await opened.get()).getObstacle(folderId),
    describe: async (...picture) => (await opened.get()).describe(...picture),
    estimate: async () => (await opened.get()).estimate(),
    removeUnused: async () => (await opened.get()).removeUnused(),
  }
}

/** Fetches and reads web pages. */
function composeWebPages({ spawn, logger, stack }: Base, { outbound, settings }: Accounts) {
  const webPages = stack.use(
    createSafeFetch(outbound, { ownHosts: () => settings.current.allowedPrivateHosts }),
  )
  const webReader = stack.use(createDocumentReader({ spawn, logger, slots: 1, limits: pageLimits }))
  const load = lazy(async () => {
    const { createFetchPage } = await import("../../features/files/web-pages/fetch-page.ts")
    return createFetchPage({ safe: webPages, reader: webReader })
  })
  const fetchPage: FetchPage = async (...page) => (await load())(...page)
  return { webPages, webReader, fetchPage }
}

/** Shows pages of documents; opened with the first page. */
function composePageViewer({ spawn, logger, stack }: Base): Pick<PageViewer, "sizes" | "picture"> {
  const viewer = stack.use(
    onDemand(
      async () => (await import("../../parsers/pages/page-viewer.ts")).createPageViewer({ spawn, logger }),
      async (made) => made[Symbol.asyncDispose](),
    ),
  )
  return {
    sizes: async (...page) => (await viewer.get()).sizes(...page),
    picture: async (...page) => (await viewer.get()).picture(...page),
  }
}

/** Returns whether a chat must stay on this computer because of what it has read or of its project. */
function composeChatStaysHere(
  db: DbOf<"chat" | "projects">,
  access: FolderAccess,
): FoldersDeps["chatStaysHere"] {
  const deps = {
    box: {
      stayingFolders: (folderIds: readonly string[]) => access.staying(folderIds),
      getChatFolder: () => Promise.resolve(null), // about to be created
    },
    transcript: createTranscriptStore(db),
  }
  const chats = createProjectChats(db)
  const projects = createProjectStore(db)
  return async (userId, chatId, newProjectId) => {
    if (await mustStay(deps, userId, chatId)) return true
    const stored = await chats.getProject(userId, chatId)
    const projectId = stored ? stored.projectId : newProjectId
    const project = projectId ? await projects.find(userId, projectId) : undefined
    return project !== undefined && (await access.staying(project.vectorIds)).length > 0
  }
}

interface LibrarySources {
  base: Base
  accounts: Accounts
  models: Models
  quotas: QuotaPart
}

/** Where folders and their files are stored, and who has access to them. */
async function composeFolderStorage(base: Base, { people, outbound }: Accounts) {
  const { dataDir } = base
  const { db, state: databaseState } = base.database
  const { colleagues } = people
  const storedFolders = createStoredFolders(db, dataDir)
  const { objects, unusedObjects, answers } = await composeObjects(base, outbound, storedFolders)
  const tableStore = await composeTableStore(base, outbound)
  const hasOwnDirectories = objects === null
  const access = createFolderAccess({ db, databaseState, dataDir, hasOwnDirectories, colleagues })
  return {
    storedFolders,
    objects,
    unusedObjects,
    tableStore,
    hasOwnDirectories,
    access,
    /** Whether the object stores work. */
    storesAnswer: async () => (await answers()) && (await (tableStore?.answers() ?? true)),
  }
}

type FolderStorage = Awaited<ReturnType<typeof composeFolderStorage>>

/** Notifies apps, features and people of changes in files. */
function composeFileNews(
  { database, push, bus, logger, stack }: Base,
  { systemSenders }: Accounts,
  access: FolderAccess,
) {
  const { db } = database
  const batches = stack.use(
    createIngestionBatches({
      db,
      logger,
      folder: (folderId) => access.listed(folderId),
      finished: (batch) => systemSenders.ingested(batch),
    }),
  )
  const news = stack.use(
    createFileNews({
      store: createFileStore(db),
      push,
      bus,
      logger,
      audience: (folderId) => access.audience(folderId),
    }),
  )
  return { batches, news }
}

interface SearchSources extends LibrarySources {
  storage: FolderStorage
  fileNews: ReturnType<typeof composeFileNews>
  passwords: FilePasswords
  reader: Pick<DocumentReader, "read">
  describer: PictureDescriber
}

/** Indexes files and searches in them. */
async function composeSearch({
  base,
  accounts,
  models,
  storage,
  fileNews,
  passwords,
  reader,
  describer,
}: SearchSources) {
  const { dataDir, dataDirectory, logger, stack } = base
  const { db } = base.database
  const { storedFolders, objects, tableStore, access } = storage
  const { batches, news } = fileNews
  const search = stack.use(
    await openSearch({
      db,
      getPassword: passwords.of,
      describer,
      folders: storedFolders,
      find: createFindBytes(objects),
      values: accounts.values,
      dataDir,
      opener: models.opener,
      model: models.modelChoice.activeModel("embedding"),
      families: () => readEmbeddingFamilies(dataDir, logger),
      staying: () => access.staying(),
      reranker: models.rerankModel.engine,
      reader,
      workers: base.workers,
      tables: tableStore,
      dataDirectory,
      changed: (fileIds) => {
        news.changed(fileIds)
        batches.changed(fileIds)
      },
      reread: news.reread,
      logger,
    }),
  )
  const filtering = () => import("../../features/files/filtering/match-files.ts") // loaded with the first filter
  const matchFiles: MatchFiles = async (folderIds, filter) =>
    (await filtering()).createFileFilter(db)(folderIds, filter)
  const searchFolders = createFolderSearch(db, search.search, async (folders, filter) =>
    (await filtering()).selectFiles(matchFiles, folders, filter),
  )
  return { search, matchFiles, searchFolders }
}

export type Library = Awaited<ReturnType<typeof composeLibrary>>

/** Folders, their files, and search in them. */
export async function composeLibrary(sources: LibrarySources) {
  const { base, accounts, quotas } = sources
  const { push, logger, dataDir, dataDirectoryId, dataDirectory, deletions, stack } = base
  const { people, chatTitles } = accounts
  const { db, state: databaseState } = base.database
  const storage = await composeFolderStorage(base, accounts)
  const { storedFolders, objects, unusedObjects, hasOwnDirectories, access, storesAnswer } = storage
  const fileNews = composeFileNews(base, accounts, access)
  const reader = await composeReader(base)
  const { webPages, webReader, fetchPage } = composeWebPages(base, accounts)
  const pageViewer = composePageViewer(base)
  const passwords = createFilePasswords()
  const describer = composeDescriber(base, sources.models, access, quotas)
  const found = await composeSearch({ ...sources, storage, fileNews, passwords, reader, describer })
  const { search, matchFiles, searchFolders } = found
  const passages = createPassageStore(db)
  const chatStaysHere = composeChatStaysHere(db, access)
  const trash = createTrash(trashPath(dataDir), base.clock, dataDirectory.isInPlace)
  const files = stack.use(
    createFiles({
      db,
      folders: storedFolders,
      dataDir,
      dataDirectoryId,
      isOtherDatabase: base.known.isOther,
      logger,
      trash,
      objects,
      unusedObjects,
      news: fileNews.news,
      async locate(userId, folderId, right) {
        if (right === "write") dataDirectory.requireIntact() // checked again after an upload has arrived, because an upload takes time
        return access.locate(userId, folderId, right)
      },
      ingestion: search.ingestion,
      index: search.index,
      describer,
      noteDeletion: deletions.note,
      moving: () => listMovingTrashIds(db),
      blocks: passages.blocks,
      fetchPage,
      passwords,
      quota: quotas,
      async requireToStay(userId, chatId, folderId) {
        if ((await access.staying([folderId])).length > 0) return
        if (await chatStaysHere(userId, chatId, undefined))
          throw new AppError("forbidden", sentence("filing.chat_stays_here"))
      },
    }),
  )
  deletions.handle("file", files.deletable)
  const folders = createFolders({
    db,
    dataDir,
    hasOwnDirectories,
    databaseState,
    access,
    colleagues: people.colleagues,
    contents: files,
    ingestion: search.ingestion,
    search: searchFolders,
    findPassagesById: passages.findByIds,
    push,
    reserve: base.reserve,
    logger,
    times: base.clock,
    chatTitles,
    chatStaysHere,
    async beforeDeletion(folderId) {
      if ((await access.staying([folderId])).length > 0) await restrictToLocal(db, folderId)
    },
    async estimateImageCosts(folderId) {
      const folder = await storedFolders.find(folderId)
      if (!folder) throw new AppError("not_found", sentence("folders.none_such"))
      const { estimateImageCosts } = await import("../../features/files/descriptions/image-costs.ts")
      const find = createFindBytes(objects)
      return estimateImageCosts({ db, reader, find, getPassword: passwords.of, describer }, folder)
    },
    deletions,
  })
  deletions.handle("folder", folders.deletable)
  /** Describes pictures again that couldn't be described, unless no folder wants that. */
  async function describeMissing(): Promise<void> {
    try {
      const wanted = (await storedFolders.active()).some(({ wantsDescriptions }) => wantsDescriptions)
      if (wanted) search.ingestion.requestReread()
    } catch (error) {
      logger.warn({ err: error }, "Images without a description are looked for later")
    }
  }
  stack.defer(sources.models.chatModels.onReplaced(() => void runInBackground(describeMissing)))
  return {
    access,
    objects,
    unusedObjects,
    storesAnswer,
    webPages,
    webReader,
    pageViewer,
    passages,
    search,
    searchFolders,
    matchFiles,
    describeMissing,
    removeUnusedDescriptions: describer.removeUnused,
    trash,
    files,
    folders,
    tables: await composeTables(base, files),
    async findUnusableFolders(userId: string, vectorIds: readonly string[]) {
      const { allowed } = await access.accessible(userId, vectorIds)
      return vectorIds.filter((id) => !allowed.includes(id))
    },
  }
}
