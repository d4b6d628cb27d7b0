import { avatarsPath } from "../core/data-layout.ts"
import { lazy } from "../core/lazy.ts"
import type { FetchedPictures } from "../core/fetched-pictures.ts"
import { createSafeFetch } from "../core/safe-fetch/safe-fetch.ts"
import { createCoreTools } from "../tools/core-tools.ts"
import { createToolbox } from "../tools/registry.ts"
import { createAssistants } from "../features/assistants/service.ts"
import { createReadableFiles } from "../features/folders/reading.ts"
import { createIntegrations } from "../features/integrations/service.ts"
import { createChatImports } from "../features/chat/import/service.ts"
import { createProjectChats } from "../features/chat/transcript/conversation-store.ts"
import { createProjects } from "../features/projects/service.ts"
import { createMemories } from "../features/memory/service.ts"
import type { Accounts } from "./accounts.ts"
import type { Base } from "./compose-options.ts"
import { composeFolderReading } from "./library/folder-reading.ts"
import { joinChats } from "./join-chats.ts"
import type { composeFiling } from "./filing.ts"
import type { Library } from "./library/library.ts"
import { composeReadingLibrary } from "./library/reading-library.ts"
import { composeChatPictures, composePreparer } from "./pictures.ts"
import type { Models } from "./models.ts"
import type { QuotaPart } from "./quotas.ts"

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
