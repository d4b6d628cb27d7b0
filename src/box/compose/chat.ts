import { avatarsPath } from "../core/data-layout.ts"
import type { DbOf } from "../core/database/database.ts"
import type { EventBus } from "../core/event-bus.ts"
import type { FetchedPictures } from "../core/fetched-pictures.ts"
import { lazy } from "../core/lazy.ts"
import { createSafeFetch } from "../core/safe-fetch/safe-fetch.ts"
import { createAssistants } from "../features/assistants/service.ts"
import { createConversations, type ConversationsDeps } from "../features/chat/conversations/service.ts"
import { createChatImports } from "../features/chat/import/service.ts"
import { type ChatDeps, openChat } from "../features/chat/service.ts"
import { createProjectChats } from "../features/chat/transcript/conversation-store.ts"
import type { ChatPictures } from "../features/chat/turn/turn-pictures.ts"
import type { Deletions } from "../features/deletions/service.ts"
import type { Files } from "../features/files/service.ts"
import { createReadableFiles } from "../features/folders/reading.ts"
import { createIntegrations } from "../features/integrations/service.ts"
import { createMemories } from "../features/memory/service.ts"
import { createProjects } from "../features/projects/service.ts"
import { createQueue, type QueueDeps } from "../features/queue/service.ts"
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

interface ChatsDeps {
  chat: Omit<ChatDeps, "db" | "endDeletion">
  conversations: Omit<
    ConversationsDeps,
    "db" | "deletedChats" | "madeFiles" | "noteDeletion" | "project" | "unknownTools" | "onRead"
  >
  queue: Pick<QueueDeps, "getChatFolder" | "onModelReplaced">
  db: DbOf<"chat" | "queue">
  deletions: Deletions
  stack: AsyncDisposableStack
}

/** Connects chat, the list of chats and the message queue, which depend on one another. */
export async function joinChats({ db, deletions, stack, ...deps }: ChatsDeps) {
  const { bus, push, logger, disabledIds, isRevoked } = deps.chat
  const endDeletion = (userId: string, chatId: string) => deletions.endNow(userId, "chat", chatId)
  const chat = stack.use(await openChat({ ...deps.chat, db, endDeletion }))
  const conversations = createConversations({
    ...deps.conversations,
    db,
    noteDeletion: deletions.note,
    project: deps.chat.project,
    unknownTools: deps.chat.toolbox.unknown,
    onRead: (ownerId, chatId) => bus.publish("answer.read", { ownerId, chatId }),
    madeFiles: chat.madeFiles,
    deletedChats: {
      hide: (userId, chatIds, also) =>
        chat.remove(userId, chatIds, async (transaction, hidden) => {
          for (const chatId of hidden) await queue.hide(userId, chatId, transaction)
          await also(transaction, hidden)
        }),
      restore: (userId, chatId, also) =>
        chat.restore(userId, chatId, async (transaction) => {
          await also(transaction)
          await queue.show(userId, chatId, transaction)
        }),
      async clear(userId, chatId) {
        await queue.clear(userId, chatId)
        await chat.clear(userId, chatId)
      },
    },
  })
  deletions.handle("chat", conversations.deletable)
  const chats: QueueDeps["chats"] = {
    requireTools: (caller, question) => chat.requireTools(caller, question),
    busyWith: (userId, chatId) => chat.busyWith(userId, chatId),
    ask: (caller, request, fromQueue) => chat.send(caller, request, fromQueue),
    history: (ownerId, chatId, lastId) => conversations.history(ownerId, chatId, lastId),
  }
  const queue = stack.use(
    createQueue({ ...deps.queue, db, bus, push, logger, chats, disabledIds, isRevoked }),
  )
  return { chat, conversations, queue }
}

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

export type Chat = Awaited<ReturnType<typeof composeChat>>

/** Assistants with their tools, and their chats. */
export async function composeChat(
  base: Base,
  accounts: Accounts,
  models: Models,
  library: Library,
  quotas: QuotaPart,
  filing: ReturnType<typeof composeFiling>,
) {
  const { bus, push, live, logger, spawn, port, secrets, clock, known, dataDir, deletions, stack } = base
  const { people, keys, settings, outbound, systemSenders } = accounts
  const { access, passages, search, searchFolders, files, folders, findUnusableFolders } = library
  const { chatModels, usableModels } = models
  const namedModel = async (named: string) => {
    const model = await usableModels.find(named)
    return model && chatModels.of(model.reference)
  }
  const { db } = base.database
  const memories = createMemories(db)
  const preparer = composePreparer(base)
  const safe = stack.use(createSafeFetch(outbound))
  const loadPictures = lazy(async () => {
    const { createFetchedPictures } = await import("../core/fetched-pictures.ts")
    return createFetchedPictures(avatarsPath(dataDir), safe)
  })
  const pictures: FetchedPictures = {
    get: async (...picture) => (await loadPictures()).get(...picture),
    forget: async (url) => (await loadPictures()).forget(url),
  }
  const webSearch = { settings: () => settings.current.webSearch, apiKey: settings.webSearchKey }
  const coreTools = stack.use(
    createCoreTools({
      spawn,
      safe,
      pages: { safe: library.webPages, reader: library.webReader },
      memories,
      readableFiles: createReadableFiles({ access, files }),
      webSearch,
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
      getName: async (userId) => (await people.user(userId))?.name ?? "",
      changed: (userId, server) => void systemSenders.integrationChanged(userId, server),
      port,
    }),
  )
  bus.subscribe("people.disabled", ({ userIds }) => void integrations.getEnd(userIds))
  const toolbox = createToolbox({ core: coreTools.tools, integrations: integrations.functions })
  const assistants = createAssistants({
    db,
    forgetPicture: pictures.forget,
    colleagues: people.colleagues,
    userName: async (userId) => (await people.user(userId))?.name ?? "",
    findUnusableFolders,
    unknownTools: toolbox.unknown,
    folderNames: access.described,
    isModel: async (id) => (await usableModels.find(id)) !== null,
    noteDeletion: deletions.note,
    changed: (userIds) => push(userIds, { type: "assistants" }),
  })
  deletions.handle("assistant", assistants.deletable)
  /** Returns the assistant if the user can use it now. */
  const usableAssistant = async (userId: string, id: string | null) =>
    id === null ? null : assistants.findForChat(userId, id).catch(() => null)
  const projectsChanged = (userId: string) => push([userId], { type: "projects" })
  const chatChanged = (userId: string, chatId: string) =>
    push([userId], { type: "chat", chatId, status: "completed" })
  const projects = createProjects({
    db,
    findUnusableFolders,
    assistant: usableAssistant,
    noteDeletion: deletions.note,
    changed: projectsChanged,
    chats: createProjectChats(db),
  })
  deletions.handle("project", projects.deletable)
  /** Whether the model that would answer accepts images. */
  async function sees(
    userId: string,
    { modelId, assistantId }: { modelId: string | null; assistantId: string | null },
  ): Promise<boolean> {
    const assistant = await usableAssistant(userId, assistantId)
    const wanted = modelId ?? assistant?.modelId ?? null
    const model = (wanted === null ? null : await namedModel(wanted)) ?? chatModels.engine()
    return model?.model.vision === true
  }
  const readingLibrary = composeReadingLibrary(library)
  const { chat, conversations, queue } = await joinChats({
    db,
    chat: {
      dataDir,
      bus,
      push,
      logger,
      engine: chatModels.engine,
      namedModel,
      stayingFolders: (ids) => access.staying(ids),
      getChatFolder: async (userId, chatId) => (await folders.findChatFolder(userId, chatId))?.id ?? null,
      search: searchFolders,
      folderReading: composeFolderReading(library),
      library: readingLibrary,
      wholeLimit: () => settings.current.wholeLimit,
      toolbox,
      missingFolders: findUnusableFolders,
      uploads: folders.attachable,
      pictures: composeChatPictures(preparer, files, bus),
      assistant: assistants.findForChat,
      project: projects.find,
      delegates: assistants.delegates,
      async facts(userId, question) {
        const { memories: found, isAll } = await memories.relevant(userId, question)
        return { texts: found.map(({ text }) => text), isAll }
      },
      textEvent: () => settings.current.textEvent,
      reserve: base.reserve,
      times: clock,
      objects: library.objects,
      canForget: known.canForget,
      disabledIds: people.disabledIds,
      whileValid: live.track,
      isRevoked: async (keyId) => (await keys.revoked([keyId])).length > 0,
      isShared: base.shared !== null,
      countAnswer: quotas.countAnswer,
      recordTokens: quotas.recordTokens,
    },
    conversations: {
      async awaitedFiles(userId, assistantId, asked) {
        const assistant = await usableAssistant(userId, assistantId)
        const generated = asked.map(({ fileId }) => fileId)
        return readingLibrary.awaited({ userId, granted: assistant?.vectorIds ?? [], generated }, asked)
      },
      moved: projectsChanged,
      changed: chatChanged,
      chatFolders: folders,
      async copyAttached(...wanted) {
        const { composeCopyAttached } = await import("./copy-attached.ts")
        return composeCopyAttached(files, folders)(...wanted)
      },
      visibleFolders: async (userId, vectorIds) => (await access.accessible(userId, vectorIds)).allowed,
      findPassagesById: passages.findByIds,
    },
    queue: {
      async getChatFolder(userId, chatId, question) {
        const own = await folders.findChatFolder(userId, chatId)
        if (own === null) return null
        const { id, fileCount, pendingCount } = own
        const whole = { id, files: fileCount, pending: pendingCount }
        if (pendingCount === 0 || !(await sees(userId, question))) return whole
        const { pendingPictures } = await import("./chat-pictures.ts")
        return { ...whole, pending: pendingCount - (await pendingPictures(files, userId, id)) }
      },
      onModelReplaced: chatModels.onReplaced,
    },
    deletions,
    stack,
  })
  const chatImports = stack.use(
    createChatImports({
      db,
      dataDir,
      logger,
      changed: chatChanged,
    }),
  )
  await chatImports.begin()
  const completions = lazy(async () => {
    const { createCompletions } = await import("../features/completions/service.ts")
    return createCompletions({
      models: usableModels.list,
      async model(named) {
        const model = await usableModels.findOrChosen(named)
        return model && { name: model.name, engine: await chatModels.of(model.reference) }
      },
      preparePicture: preparer.prepare,
      quota: quotas,
      embedder: search.engine,
      logger,
    })
  })
  return {
    memories,
    pictures,
    integrations,
    toolbox,
    assistants,
    projects,
    chatImports,
    chat,
    conversations,
    queue,
    completions,
  }
}
