import { avatarsPath } from "../core/data-layout.ts"
import type { EventBus } from "../core/event-bus.ts"
import type { FetchedPictures } from "../core/fetched-pictures.ts"
import { lazy } from "../core/lazy.ts"
import { createSafeFetch, type SafeFetch } from "../core/safe-fetch/safe-fetch.ts"
import { createAssistants } from "../features/assistants/service.ts"
import { createConversations, type ConversationsDeps } from "../features/chat/conversations/service.ts"
import { createChatImports } from "../features/chat/import/service.ts"
import { type Chat as ChatService, openChat } from "../features/chat/service.ts"
import { createProjectChats } from "../features/chat/transcript/conversation-store.ts"
import type { ChatPictures } from "../features/chat/turn/turn-pictures.ts"
import type { Files } from "../features/files/service.ts"
import { createReadableFiles } from "../features/folders/reading.ts"
import { createIntegrations } from "../features/integrations/service.ts"
import { createProjects } from "../features/projects/service.ts"
import { createQueue, type HideNamesInQueue, type Queue, type QueueDeps } from "../features/queue/service.ts"
import type { PicturePreparer } from "../parsers/vision/picture-preparer.ts"
import { createCoreTools } from "../tools/core-tools.ts"
import { createToolbox } from "../tools/registry.ts"
import type { Accounts } from "./accounts.ts"
import type { Base } from "./compose-options.ts"
import type { composeFiling } from "./filing.ts"
import type { Library } from "./library/library.ts"
import { composeFolderReading, composeReadingLibrary } from "./library/reading-library.ts"
import type { Models } from "./models.ts"
import type { QuotaPart } from "./quotas.ts"

/** Prepares images for models that accept them; loaded with the first image. */
function composePreparer({ spawn, logger, stack }: Base): Pick<PicturePreparer, "prepare"> {
  let opened: Promise<PicturePreparer> | undefined
  stack.defer(async () => (await opened)?.[Symbol.asyncDispose]())
  const open = lazy(() => {
    opened = import("../parsers/vision/picture-preparer.ts").then(({ createPicturePreparer }) =>
      createPicturePreparer({ spawn, logger }),
    )
    return opened
  })
  return { prepare: async (file, signal) => (await open()).prepare(file, signal) }
}

/** Images that are attached to chats; loaded in the same way. */
function composeChatPictures(
  preparer: Pick<PicturePreparer, "prepare">,
  files: Pick<Files, "bytes" | "read" | "text">,
  bus: EventBus,
): ChatPictures {
  const open = lazy(async () => (await import("./chat-pictures.ts")).createChatPictures(preparer, files, bus))
  return {
    show: async (...asked) => (await open()).show(...asked),
    read: async (...asked) => (await open()).read(...asked),
  }
}

/** Images of assistants and senders; loaded with the first one. */
function composeFetchedPictures(dataDir: string, safe: SafeFetch): FetchedPictures {
  const load = lazy(async () => {
    const { createFetchedPictures } = await import("../core/fetched-pictures.ts")
    return createFetchedPictures(avatarsPath(dataDir), safe)
  })
  return {
    get: async (...picture) => (await load()).get(...picture),
    forget: async (url) => (await load()).forget(url),
  }
}

interface ChatSources {
  base: Base
  accounts: Accounts
  models: Models
  library: Library
  quotas: QuotaPart
  filing: ReturnType<typeof composeFiling>
}

/** The box's tools, and those of integrations and MCP servers. */
function composeTools({ base, accounts, library, filing }: ChatSources) {
  const { bus, logger, port, secrets, stack } = base
  const { people, settings, outbound, systemSenders } = accounts
  const { db } = base.database
  const openMemories = lazy(async () => (await import("../features/memory/service.ts")).createMemories(db))
  const safe = stack.use(createSafeFetch(outbound))
  const coreTools = stack.use(
    createCoreTools({
      spawn: base.spawn,
      safe,
      pages: { safe: library.webPages, reader: library.webReader },
      memories: openMemories,
      readableFiles: createReadableFiles(library),
      webSearch: { settings: () => settings.current.webSearch, apiKey: settings.webSearchKey },
      filing: filing.toolDeps,
    }),
  )
  const integrations = stack.use(
    createIntegrations({
      db,
      values: accounts.values,
      secrets,
      outbound,
      logger,
      isOwner: people.isOwner,
      getName: people.getName,
      changed: (userId, server) => void systemSenders.integrationChanged(userId, server),
      port,
    }),
  )
  bus.subscribe("people.disabled", ({ userIds }) => void integrations.disconnect(userIds))
  const toolbox = createToolbox({ core: coreTools.tools, integrations: integrations.functions })
  return { openMemories, pictures: composeFetchedPictures(base.dataDir, safe), integrations, toolbox }
}

/** Assistants, and the projects whose chats they answer. */
function composeAssistants(
  { base, accounts: { people }, models: { usableModels }, library }: ChatSources,
  { pictures, toolbox }: ReturnType<typeof composeTools>,
) {
  const { push, deletions } = base
  const { db } = base.database
  const { findUnusableFolders } = library
  const assistants = createAssistants({
    db,
    forgetPicture: pictures.forget,
    colleagues: people.colleagues,
    userName: people.getName,
    findUnusableFolders,
    unknownTools: toolbox.unknown,
    folderNames: (userId, folderIds) => library.access.described(userId, folderIds),
    isModel: usableModels.has,
    noteDeletion: deletions.note,
    changed: (userIds) => push(userIds, { type: "assistants" }),
  })
  deletions.handle("assistant", assistants)
  /** Returns the assistant if the user can use it now. */
  const usableAssistant = async (userId: string, id: string | null) =>
    id === null ? null : assistants.findForChat(userId, id).catch(() => null)
  const projects = createProjects({
    db,
    findUnusableFolders,
    assistant: usableAssistant,
    noteDeletion: deletions.note,
    changed: (userId) => push([userId], { type: "projects" }),
    chats: createProjectChats(db),
  })
  deletions.handle("project", projects.deletable)
  return { assistants, usableAssistant, projects }
}

/** Deletes and restores chats together with their queued questions. `getQueue` returns the queue, which is created after its chats. */
export const createDeletedChats = (
  chat: Pick<ChatService, "remove" | "restore" | "clear">,
  getQueue: () => Pick<Queue, "hide" | "show" | "clear">,
): ConversationsDeps["deletedChats"] => ({
  hide: (userId, chatIds, also) =>
    chat.remove(userId, chatIds, async (transaction, hidden) => {
      for (const chatId of hidden) await getQueue().hide(userId, chatId, transaction)
      await also(transaction, hidden)
    }),
  restore: (userId, chatId, also) =>
    chat.restore(userId, chatId, async (transaction) => {
      await also(transaction)
      await getQueue().show(userId, chatId, transaction)
    }),
  async clear(userId, chatId) {
    await getQueue().clear(userId, chatId)
    await chat.clear(userId, chatId)
  },
})

type QueuedConversations = Pick<QueueDeps["chats"], "history">

/** The chats that a queue asks. */
export const createQueuedChats = (
  chat: ChatService,
  conversations: QueuedConversations,
): QueueDeps["chats"] => ({
  requireNamed: (caller, chatId, question) => chat.requireNamed(caller, chatId, question),
  busyWith: (userId, chatId) => chat.busyWith(userId, chatId),
  ask: (caller, request, inTurn) => chat.send(caller, request, inTurn),
  history: (ownerId, chatId, lastId) => conversations.history(ownerId, chatId, lastId),
})

/** Finds the folder of a chat for its queued questions, which wait for its files but not for images that their model can see. */
const composeQueuedFolder =
  (
    { models: { chatModels, usableModels }, library: { files, folders } }: ChatSources,
    { usableAssistant }: ReturnType<typeof composeAssistants>,
  ): QueueDeps["getChatFolder"] =>
  async (userId, chatId, { modelId, assistantId }) => {
    const own = await folders.findChatFolder(userId, chatId)
    if (own === null) return null
    const { id, fileCount, pendingCount } = own
    const whole = { id, files: fileCount, pending: pendingCount }
    if (pendingCount === 0) return whole
    const assistant = await usableAssistant(userId, assistantId)
    const wanted = modelId ?? assistant?.modelId ?? null
    const engine = (wanted === null ? null : await usableModels.open(wanted)) ?? chatModels.engine()
    if (engine?.model.vision !== true) return whole
    const { pendingPictures } = await import("./chat-pictures.ts")
    return { ...whole, pending: pendingCount - (await pendingPictures(files, userId, id)) }
  }

/** The models for programs that know the interfaces of other providers; loaded with the first request. */
const composeCompletions = (
  { base, models: { chatModels, usableModels }, library, quotas }: ChatSources,
  preparer: Pick<PicturePreparer, "prepare">,
) =>
  lazy(async () => {
    const { createCompletions } = await import("../features/completions/service.ts")
    return createCompletions({
      models: usableModels.list,
      async model(named) {
        const model = await usableModels.findOrChosen(named)
        return model && { name: model.name, engine: await chatModels.of(model.reference) }
      },
      preparePicture: preparer.prepare,
      quota: quotas,
      embedder: library.search.engine,
      logger: base.logger,
    })
  })

interface AnswerSources extends ChatSources {
  tools: ReturnType<typeof composeTools>
  parts: ReturnType<typeof composeAssistants>
  pictures: ChatPictures
  readingLibrary: ReturnType<typeof composeReadingLibrary>
  isRevoked(keyId: string): Promise<boolean>
}

/** The service that answers questions. */
async function composeAnswers(sources: AnswerSources): Promise<ChatService> {
  const { base, accounts, models, library, quotas } = sources
  const { openMemories, toolbox } = sources.tools
  const { assistants, projects } = sources.parts
  const { db } = base.database
  const { people, settings } = accounts
  const { access, folders } = library
  return base.stack.use(
    await openChat({
      db,
      dataDir: base.dataDir,
      bus: base.bus,
      push: base.push,
      logger: base.logger,
      engine: models.chatModels.engine,
      namedModel: models.usableModels.open,
      stayingFolders: (folderIds) => access.staying(folderIds),
      getChatFolder: async (userId, chatId) => (await folders.findChatFolder(userId, chatId))?.id ?? null,
      search: library.searchFolders,
      folderReading: composeFolderReading(library),
      library: sources.readingLibrary,
      wholeLimit: () => settings.current.wholeLimit,
      toolbox,
      missingFolders: library.findUnusableFolders,
      uploads: folders.attachable,
      pictures: sources.pictures,
      assistant: (userId, id) => assistants.findForChat(userId, id),
      project: projects.find,
      delegates: (userId) => assistants.delegates(userId),
      async facts(userId, question) {
        const { memories: found, isAll } = await (await openMemories()).relevant(userId, question)
        return { texts: found.map(({ text }) => text), isAll }
      },
      hasFactsOfScopedKeys: async (userId) => (await openMemories()).hasFactsOfScopedKeys(userId),
      textEvent: () => settings.current.textEvent,
      reserve: base.reserve,
      times: base.clock,
      objects: library.objects,
      canForget: base.known.canForget,
      disabledIds: people.disabledIds,
      whileValid: base.live.track,
      isRevoked: sources.isRevoked,
      isShared: base.shared !== null,
      countAnswer: quotas.countAnswer,
      recordTokens: quotas.recordTokens,
      endDeletion: (userId, chatId) => base.deletions.endNow(userId, "chat", chatId),
    }),
  )
}

export type Chat = Awaited<ReturnType<typeof composeChat>>

/** Assistants with their tools, and their chats. */
export async function composeChat(sources: ChatSources) {
  const { base, accounts, models, library } = sources
  const { bus, push, logger, dataDir, deletions, stack } = base
  const { people, keys } = accounts
  const { access, files, folders } = library
  const { db } = base.database
  const preparer = composePreparer(base)
  const tools = composeTools(sources)
  const { openMemories, pictures, integrations, toolbox } = tools
  const parts = composeAssistants(sources, tools)
  const { assistants, projects } = parts
  const readingLibrary = composeReadingLibrary(library)
  const isRevoked = async (keyId: string) => (await keys.revoked([keyId])).length > 0
  const chatPictures = composeChatPictures(preparer, files, bus)
  const answerSources = { ...sources, tools, parts, pictures: chatPictures, readingLibrary, isRevoked }
  const chat = await composeAnswers(answerSources)
  const chatChanged = (userId: string, chatId: string) =>
    push([userId], { type: "chat", chatId, status: "completed" })
  const conversations = createConversations({
    db,
    deletedChats: createDeletedChats(chat, () => queue),
    noteDeletion: deletions.note,
    project: projects.find,
    async awaitedFiles(userId, assistantId, asked) {
      const assistant = await parts.usableAssistant(userId, assistantId)
      const generated = asked.map(({ fileId }) => fileId)
      return readingLibrary.awaited({ userId, granted: assistant?.vectorIds ?? [], generated }, asked)
    },
    moved: (userId) => push([userId], { type: "projects" }),
    changed: chatChanged,
    onRead: (ownerId, chatId) => bus.publish("answer.read", { ownerId, chatId }),
    unknownTools: toolbox.unknown,
    chatFolders: folders,
    madeFiles: chat.madeFiles,
    async copyAttached(...wanted) {
      const { composeCopyAttached } = await import("./copy-attached.ts")
      return composeCopyAttached(files, folders)(...wanted)
    },
    visibleFolders: async (userId, vectorIds) => (await access.accessible(userId, vectorIds)).allowed,
    findPassagesById: library.passages.findByIds,
  })
  deletions.handle("chat", conversations.deletable)
  const queue = stack.use(
    createQueue({
      db,
      bus,
      push,
      logger,
      chats: createQueuedChats(chat, conversations),
      getChatFolder: composeQueuedFolder(sources, parts),
      isRevoked,
      disabledIds: people.disabledIds,
      onModelReplaced: models.chatModels.onReplaced,
    }),
  )
  const chatImports = stack.use(createChatImports({ db, dataDir, logger, changed: chatChanged }))
  await chatImports.begin()
  return {
    openMemories,
    pictures,
    integrations,
    toolbox,
    assistants,
    projects,
    chatImports,
    chat,
    conversations,
    queue,
    async hideNamesInQueue(...queued: Parameters<HideNamesInQueue>) {
      const { createNameHider } = await import("./queued-names.ts")
      return createNameHider(db, folders.attachable)(...queued)
    },
    completions: composeCompletions(sources, preparer),
  }
}
