import { realpath } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import express, { type Router } from "express"
import { api } from "../shared/contract/api.ts"
import type { ChildWalls } from "../shared/contract/privacy.ts"
import type { SpawnChild } from "./core/children/child.ts"
import { avatarsPath, databaseFile, logsPath, ocrLanguagesPath, trashPath } from "./core/data-layout.ts"
import type { AgeClock } from "./core/age-clock.ts"
import type { KnownDatabase } from "./core/data-directory/known-database.ts"
import { createBoxValues } from "./core/database/box-values.ts"
import type { Place } from "./core/data-directory/watch-place.ts"
import type { OpenDatabase } from "./core/database/database.ts"
import type { DiskReserve } from "./core/disk/disk-reserve.ts"
import { databaseAdoption } from "./adopt-database.ts"
import type { EventBus } from "./core/event-bus.ts"
import type { Push } from "./core/push.ts"
import { createDatabaseChecker } from "./core/database/integrity/check-database.ts"
import type { Logger } from "./core/logging/logger.ts"
import { createFetchedPictures } from "./core/fetched-pictures.ts"
import { byItself } from "./core/outbound/on-behalf-of.ts"
import { createOutbound } from "./core/outbound/outbound.ts"
import type { SecretStore } from "./core/secret-store.ts"
import { createSafeFetch } from "./core/safe-fetch/safe-fetch.ts"
import { createTrash } from "./core/files/trash.ts"
import { createKeys } from "./features/accounts/keys.ts"
import { createPeople } from "./features/accounts/people.ts"
import { pageAddresses } from "./features/accounts/page-addresses.ts"
import { accountHandlers, keyHandlers, peopleHandlers } from "./features/accounts/routes.ts"
import { createSessions } from "./features/accounts/sessions.ts"
import { notificationHandlers } from "./features/notifications/routes.ts"
import { createIngestionBatches } from "./features/files/ingestion/ingestion-batches.ts"
import { startOwnSenders } from "./features/notifications/own-senders.ts"
import { createNotifications } from "./features/notifications/service.ts"
import { createCoreTools } from "./tools/core-tools.ts"
import { createToolbox } from "./tools/registry.ts"
import { assistantHandlers, toolHandlers } from "./features/assistants/routes.ts"
import { createAssistants } from "./features/assistants/service.ts"
import { createChatTitles } from "./features/chat/transcript/chat-titles.ts"
import { chatHandlers } from "./features/chat/routes.ts"
import { openChat } from "./features/chat/service.ts"
import { completionHandlers } from "./features/completions/routes.ts"
import { createCompletions } from "./features/completions/service.ts"
import { conversationHandlers } from "./features/chat/conversations/routes.ts"
import { createConversations } from "./features/chat/conversations/service.ts"
import { createFileNews } from "./features/files/file-news.ts"
import { createFilePages } from "./features/files/file-pages.ts"
import { filesHandlers } from "./features/files/routes.ts"
import { createFiles } from "./features/files/service.ts"
import { createFileStore } from "./features/files/store.ts"
import { createFolderAccess } from "./features/folders/access.ts"
import { createFolderSearch } from "./features/folders/folder-search.ts"
import { createFolderPlaces } from "./features/folders/places.ts"
import { createReadableFiles } from "./features/folders/readable-files.ts"
import { foldersHandlers } from "./features/folders/routes.ts"
import { createFolders } from "./features/folders/service.ts"
import { integrationHandlers } from "./features/integrations/routes.ts"
import { createIntegrations } from "./features/integrations/service.ts"
import { logHandlers } from "./features/logs/routes.ts"
import { createPassageStore } from "./features/files/passages/passage-store.ts"
import { memoryHandlers } from "./features/memory/routes.ts"
import { createMemories } from "./features/memory/service.ts"
import { createChatModel } from "./features/models/chat-model.ts"
import { readEmbeddingFamilies } from "./features/models/catalogue.ts"
import { createDownloadNews } from "./features/models/downloads/download-news.ts"
import { createDownloads } from "./features/models/downloads/downloads.ts"
import { createInstalledModels } from "./features/models/installed-models.ts"
import { openModelChoice } from "./features/models/model-choice.ts"
import { createModelNews } from "./features/models/model-news.ts"
import { createRerankModel } from "./features/models/rerank-model.ts"
import { createModelStore } from "./features/models/model-store.ts"
import { programFolders } from "./features/models/program-folders.ts"
import { modelHandlers } from "./features/models/routes.ts"
import { createModels } from "./features/models/service.ts"
import { openEgressLog } from "./features/privacy/egress-log.ts"
import { privacyHandlers } from "./features/privacy/routes.ts"
import { queueHandlers } from "./features/queue/routes.ts"
import { createQueue } from "./features/queue/service.ts"
import { openSettings, settingsHandlers } from "./features/settings/settings.ts"
import { createBackups } from "./features/storage/backups.ts"
import { createDatabaseWatch } from "./features/storage/database-watch.ts"
import { readLog } from "./features/logs/read-log.ts"
import { removeCutOffBackups } from "./features/storage/partial-elsewhere.ts"
import { storageHandlers } from "./features/storage/routes.ts"
import { createStorage } from "./features/storage/service.ts"
import { createSpaceKeeper } from "./features/storage/space-keeper.ts"
import { supportHandlers } from "./features/support/routes.ts"
import { createSupport } from "./features/support/service.ts"
import type { BoxConfig } from "./box-config.ts"
import type { Authenticate } from "./http/authenticate.ts"
import type { ConnectedApps } from "./http/connected-apps.ts"
import type { DownloadTickets } from "./http/download-tickets.ts"
import type { LiveConnections } from "./http/live-connections.ts"
import { serve } from "./http/serve.ts"
import { createModelOpener, isAddress } from "./open-models.ts"
import { openSearch } from "./open-search.ts"
import { createPageViewer } from "./parsers/pages/page-viewer.ts"
import { createDocumentReader } from "./parsers/process/document-reader.ts"

export interface ComposeOptions {
  config: BoxConfig
  database: OpenDatabase
  bus: EventBus
  push: Push
  live: LiveConnections
  apps: ConnectedApps
  logger: Logger
  spawn: SpawnChild
  /** Which walls stand around what it starts. */
  walls: () => ChildWalls[]
  /** Tokens and keys of other services. */
  secrets: SecretStore
  clock: AgeClock
  version: string
  /** Port the box listens on, known once it does. */
  port: () => number
  /** The start has read and checked all of the database. */
  databaseChecked: boolean
  reserve: DiskReserve
  place: Place
  dataDirectoryId: string
  known: KnownDatabase
}

/** Lines of the box's log that a report to support offers. */
const ticketLogLines = 100
const dayMs = 24 * 3_600_000

/** Puts all features together. The only file that knows every part. */
export async function compose(options: ComposeOptions) {
  const { config, database, bus, push, live, apps, logger, spawn, version, port, secrets, clock, known } =
    options
  const { db } = database
  // Without links: paths in it are told to clients, and compared with what the system says of open files.
  const dataDir = await realpath(config.dataDir)
  await using stack = new AsyncDisposableStack()

  const onRevoked = (credentialId: string) => live.close(credentialId)
  const onDisabled = (userId: string) => bus.publish("people.disabled", { userIds: [userId] })
  const people = createPeople(db)
  const keys = createKeys(db, onRevoked)
  const sessions = createSessions(db, onRevoked, clock)
  const values = createBoxValues(db)
  const settings = await openSettings({
    db,
    values,
    secrets,
    logger,
    mayForget: known.mayForget,
    startedLocalOnly: config.localOnly,
    localOnlyChanged: () => localOnlyChanged(),
  })
  const chatTitles = createChatTitles(db)
  const egress = stack.use(
    await openEgressLog({
      db,
      logger,
      ageNow: clock.now,
      names: { people: people.names, chats: chatTitles, assistants: (ids) => assistants.names(ids) },
    }),
  )
  const outbound = stack.use(createOutbound({ localOnly: settings.localOnly, record: egress.record }))
  const allowedHosts = () => [...config.allowedHosts, ...settings.current.allowedHosts]
  const addresses = () => pageAddresses({ host: config.host, port: port(), allowedHosts: allowedHosts() })
  const notifications = createNotifications({
    db,
    logger,
    deliver: apps.sendTo,
    isConnected: apps.has,
    mutedCategories: async (userId) => (await settings.personal(userId)).mutedCategories,
    workspacesOf: async (userId) => (await people.memberships(userId)).map(({ id }) => id),
  })

  const ownSenders = stack.use(
    startOwnSenders({ bus, ownerIds: people.ownerIds, logger, send: notifications.send }),
  )
  const places = createFolderPlaces(db, dataDir)
  const access = createFolderAccess({ db, dataDir, colleagues: people.colleagues })
  const batches = stack.use(
    createIngestionBatches({ db, logger, folder: access.listed, finished: ownSenders.ingested }),
  )

  const modelStore = createModelStore(values, dataDir, logger)
  const nameOf = async (path: string) =>
    (await modelStore.adopted()).find((model) => model.path === path)?.name
  const opener = createModelOpener({ config, values, spawn, logger, outbound, nameOf })
  const modelChoice = await openModelChoice({
    store: modelStore,
    startModels: { chat: config.model, embedding: config.embeddingModel, rerank: null },
    use: {
      async chat(path) {
        chatModel.replace(path === null ? null : await opener.chat(path))
        chatModel.load()
      },
      embedding: (path) => search.replace(path),
      async rerank(path) {
        await rerankModel.replace(path === null ? null : await opener.rerank(path))
        rerankModel.load()
      },
    },
  })
  const chatPath = modelChoice.inUse("chat")
  const chatModel = stack.use(createChatModel(chatPath === null ? null : await opener.chat(chatPath)))
  const rerankPath = modelChoice.inUse("rerank")
  const rerankModel = stack.use(
    createRerankModel(rerankPath === null ? null : await opener.rerank(rerankPath)),
  )
  const modelsDirectory = join(dataDir, "models")
  const downloads = stack.use(
    createDownloads({
      directory: modelsDirectory,
      mirror: () => settings.current.modelMirror,
      outbound,
      changed: createDownloadNews({ bus, push, ownerIds: people.ownerIds, logger }),
      useNow: (path) => models.useIfFree(path),
      logger,
    }),
  )
  const models = createModels({
    dataDir,
    directory: modelsDirectory,
    installed: createInstalledModels({ directory: modelsDirectory, store: modelStore }),
    choice: modelChoice,
    downloads,
    programFolders: programFolders({ directory: homedir(), env: process.env, platform: process.platform }),
    gpuBytes: opener.gpuBytes,
    gpuTrial: opener.gpuTrial,
  })
  const news = stack.use(
    createFileNews({ store: createFileStore(db), push, bus, logger, audience: access.audience }),
  )
  const reader = stack.use(createDocumentReader({ spawn, logger, ocrLanguages: ocrLanguagesPath(dataDir) }))
  const pageViewer = stack.use(createPageViewer({ spawn, logger }))
  const search = stack.use(
    await openSearch({
      db,
      folders: places,
      values,
      dataDir,
      opener,
      model: modelChoice.inUse("embedding"),
      families: () => readEmbeddingFamilies(dataDir, logger),
      reranker: rerankModel.engine,
      reader,
      place: options.place,
      changed: (fileIds) => {
        news.changed(fileIds)
        batches.changed(fileIds)
      },
      logger,
    }),
  )
  const modelNews = stack.use(
    createModelNews({ chat: chatModel, embedding: search, rerank: rerankModel }, push),
  )
  const searchFolders = createFolderSearch(db, search.search)
  const trash = createTrash(trashPath(dataDir), clock)
  const files = stack.use(
    createFiles({
      db,
      folders: places,
      dataDir,
      dataDirectoryId: options.dataDirectoryId,
      isOtherDatabase: known.isOther,
      logger,
      trash,
      news,
      async place(userId, folderId, right) {
        if (right === "write") options.place.requireKept() // also once an upload has come, which takes its time
        return access.place(userId, folderId, right)
      },
      ingestion: search.ingestion,
      index: search.index,
      blocks: (fileId) => createPassageStore(db).blocks(fileId),
    }),
  )
  const folders = createFolders({
    db,
    dataDir,
    bus,
    push,
    access,
    colleagues: people.colleagues,
    contents: { ...files, wakeIngestion: search.ingestion.wake },
    search: searchFolders,
    reserve: options.reserve,
    logger,
    times: clock,
    chatTitles,
    passagesById: (ids) => createPassageStore(db).byIds(ids),
  })
  const unusableFolders = async (userId: string, vectorIds: readonly string[]) => {
    const { allowed } = await access.accessible(userId, vectorIds)
    return vectorIds.filter((id) => !allowed.includes(id))
  }
  const memories = createMemories(db)
  const safe = stack.use(createSafeFetch(outbound))
  const pictures = createFetchedPictures(avatarsPath(dataDir), safe)
  const webSearch = { settings: () => settings.current.webSearch, apiKey: settings.webSearchKey }
  const coreTools = stack.use(
    createCoreTools({
      spawn,
      logger,
      safe,
      memories,
      readableFiles: createReadableFiles({ db, access, files }),
      webSearch,
    }),
  )
  const integrations = stack.use(
    createIntegrations({
      db,
      secrets,
      outbound,
      logger,
      isOwner: people.isOwner,
      nameOf: async (userId) => (await people.user(userId))?.name ?? "",
      changed: (userId, server) => void ownSenders.integrationChanged(userId, server),
      port,
    }),
  )
  bus.subscribe("people.disabled", ({ userIds }) => void integrations.endOf(userIds))
  const toolbox = createToolbox({ core: coreTools.tools, integrations: integrations.functions })
  const assistants = createAssistants({
    db,
    forgetPicture: pictures.forget,
    colleagues: people.colleagues,
    userName: async (userId) => (await people.user(userId))?.name ?? "",
    unusableFolders,
    unknownTools: toolbox.unknown,
    folderNames: access.described,
  })
  const chat = stack.use(
    await openChat({
      db,
      dataDir,
      bus,
      push,
      logger,
      engine: chatModel.engine,
      search: searchFolders,
      toolbox,
      missingFolders: unusableFolders,
      uploads: folders.attachable,
      assistant: assistants.forChat,
      delegates: assistants.delegates,
      async facts(userId, question) {
        const { memories: found, isAll } = await memories.relevant(userId, question)
        return { texts: found.map(({ text }) => text), isAll }
      },
      textEvent: () => settings.current.textEvent,
      reserve: options.reserve,
      times: clock,
      mayForget: known.mayForget,
      disabledIds: people.disabledIds,
      whileValid: live.track,
    }),
  )
  const conversations = createConversations({
    db,
    removeChat: (userId, chatId, also) =>
      chat.remove(userId, chatId, async (transaction) => {
        await also(transaction)
        await queue.forget(userId, chatId, transaction)
      }),
    chatFolders: folders,
    visibleFolders: async (userId, vectorIds) => (await access.accessible(userId, vectorIds)).allowed,
    passagesById: (ids) => createPassageStore(db).byIds(ids),
  })
  const queue = stack.use(
    createQueue({
      db,
      bus,
      push,
      logger,
      chats: { busyWith: chat.busyWith, ask: chat.send, history: conversations.history },
      async ownFolder(userId, chatId) {
        const own = await folders.findOfChat(userId, chatId)
        return own && { id: own.id, files: own.fileCount, pending: own.pendingCount }
      },
      requireUsable: chat.requireUsable,
      isRevoked: async (keyId) => (await keys.revoked([keyId])).length > 0,
      onModelReplaced: chatModel.onReplaced,
      disabledIds: people.disabledIds,
    }),
  )
  const completions = createCompletions({ engine: chatModel.engine, embedder: search.engine })

  const checker = stack.use(createDatabaseChecker(spawn))
  const databaseWatch = stack.use(
    createDatabaseWatch({
      findFaults: (signal) => checker.findFaults(join(dataDir, databaseFile), signal),
      damaged: ownSenders.databaseDamaged,
      logger,
    }),
  )
  const backups = stack.use(
    createBackups({ dataDir, copyDatabase: database.copyTo, checker, adoption: databaseAdoption, logger }),
  )
  const spaceKeeper = stack.use(createSpaceKeeper({ dataDir, database, logger }))
  const storage = createStorage({
    dataDir: config.dataDir,
    backups,
    checker,
    adoption: databaseAdoption,
    health: databaseWatch.health,
  })
  const support = stack.use(
    createSupport({
      db,
      secrets,
      outbound,
      authUrl: config.authUrl,
      version,
      logger,
      lastLogLines: async (userId) =>
        (await people.isOwner(userId)) ? readLog(logsPath(dataDir), "info", ticketLogLines) : [],
      changed: (userId) => push([userId], { type: "support" }),
      refused: ownSenders.ticketRefused,
      statusChanged: ownSenders.ticketChanged,
    }),
  )

  /** Whatever one part stumbles over, such as a row that can't be read, the others and the box go on. */
  const begin = (part: string, work: () => Promise<unknown>) =>
    work().catch((error: unknown) =>
      logger.error({ err: error, part }, "A part of the box couldn't begin its work"),
    )

  const cleanFolders = () => begin("folders", () => folders.clean(clock.now()))
  let cleaning: NodeJS.Timeout | undefined
  stack.defer(() => clearInterval(cleaning))

  const localOnlyListeners = new Set<() => void>()

  /** Settles once nothing goes on that local-only forbids. */
  async function localOnlyChanged(): Promise<void> {
    outbound.cutOff()
    await integrations.endRefused()
    await support.wakeHeld()
    modelNews.look()
    push(null, { type: "settings" })
    for (const listener of localOnlyListeners) listener()
    // A model elsewhere that couldn't be asked about itself so far.
    const embedding = modelChoice.inUse("embedding")
    if (!settings.localOnly().on && embedding !== null && isAddress(embedding))
      void byItself(() => search.replace(embedding))
  }

  const resources = stack.move()
  return {
    people,
    keys,
    sessions,
    settings,
    unreadCount: notifications.unreadCount,
    updateAvailable: ownSenders.updateAvailable,
    changesMissing: ownSenders.changesMissing,
    dataMoved: ownSenders.dataMoved,
    outbound,
    onLocalOnly(listener: () => void) {
      localOnlyListeners.add(listener)
      return () => void localOnlyListeners.delete(listener)
    },

    /** All endpoints of the contract. */
    routes(authenticate: Authenticate, tickets: DownloadTickets): Router {
      const router = express.Router({ caseSensitive: true })
      const serving = { authenticate, live, reserve: options.reserve, place: options.place, logger }
      serve(
        router,
        api.account,
        accountHandlers({ people, sessions, authenticate, tickets, version, port }),
        serving,
      )
      serve(router, api.keys, keyHandlers(keys), serving)
      serve(
        router,
        api.people,
        peopleHandlers({ people, sessions, onRevoked, onDisabled, addresses }),
        serving,
      )
      serve(router, api.settings, settingsHandlers(settings), serving)
      serve(router, api.privacy, privacyHandlers({ log: egress, logger, walls: options.walls }), serving)
      serve(router, api.notifications, notificationHandlers(notifications, pictures), serving)
      serve(router, api.models, modelHandlers({ models, news: modelNews }), serving)
      serve(router, api.folders, foldersHandlers(folders), serving)
      serve(router, api.files, filesHandlers(files, createFilePages(pageViewer)), serving)
      serve(router, api.memory, memoryHandlers(memories), serving)
      serve(router, api.assistants, assistantHandlers(assistants, pictures), serving)
      serve(router, api.tools, toolHandlers(toolbox), serving)
      serve(
        router,
        api.integrations,
        integrationHandlers({ integrations, authenticate, isInApp: sessions.isInApp, logger }),
        serving,
      )
      serve(router, api.chat, chatHandlers(chat, queue.stop), serving)
      serve(router, api.queue, queueHandlers(queue), serving)
      serve(router, api.conversations, conversationHandlers(conversations), serving)
      serve(router, api.completions, completionHandlers(completions, logger), serving)
      serve(router, api.storage, storageHandlers({ dataDir, storage, backups, trash }), serving)
      serve(router, api.support, supportHandlers(support), serving)
      serve(router, api.logs, logHandlers({ directory: logsPath(dataDir) }), serving)
      return router
    },

    /** Begins background work, once requests are accepted: following directories, loading the model. */
    async start(): Promise<void> {
      await begin("files", files.start)
      await cleanFolders()
      cleaning = setInterval(() => void cleanFolders(), dayMs).unref()
      if (known.mayForget) await begin("integrations", integrations.sweep)
      await begin("sessions", sessions.shortenFuture)
      await begin("downloads", downloads.start)
      chatModel.load()
      rerankModel.load()
      await begin("chat", chat.start)
      await begin("queue", queue.start)
      await begin("support", support.start)
      void begin("backups", () => removeCutOffBackups(dataDir))
      databaseWatch.start(options.databaseChecked)
      spaceKeeper.start()
    },

    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
