import type { RequestHandler } from "express"
import { createRoutes } from "../../serve/routes.ts"
import { api } from "../../shared/contract/api.ts"
import type { Contract, Endpoint } from "../../shared/contract/endpoint.ts"
import { logsPath } from "../core/data-layout.ts"
import { lazy } from "../core/lazy.ts"
import {
  describeCaller,
  accountHandlers,
  keyHandlers,
  peopleHandlers,
  providerSignInHandlers,
} from "../features/accounts/routes.ts"
import { assistantHandlers, toolHandlers } from "../features/assistants/routes.ts"
import { auditHandlers } from "../features/audit/routes.ts"
import { automationHandlers } from "../features/automations/routes.ts"
import { chatHandlers, chatImportHandlers, conversationHandlers } from "../features/chat/routes.ts"
import { completionHandlers } from "../features/completions/routes.ts"
import { deletionHandlers, type Deletions } from "../features/deletions/service.ts"
import { factsHandlers } from "../features/facts/routes.ts"
import { createFilePages } from "../features/files/read-files.ts"
import { filesHandlers } from "../features/files/routes.ts"
import { filingHandlers } from "../features/filing/routes.ts"
import { foldersHandlers } from "../features/folders/routes.ts"
import { integrationHandlers } from "../features/integrations/routes.ts"
import { logHandlers } from "../features/logs/routes.ts"
import { mcpServerHandlers } from "../features/mcp-server/routes.ts"
import { memoryHandlers } from "../features/memory/routes.ts"
import type { createModelNews } from "../features/models/model-news.ts"
import { modelHandlers, modelOptionHandlers, modelServerHandlers } from "../features/models/routes.ts"
import { notificationHandlers } from "../features/notifications/routes.ts"
import { operationHandlers } from "../features/operation/routes.ts"
import { privacyHandlers } from "../features/privacy/routes.ts"
import { projectHandlers } from "../features/projects/service.ts"
import { questionHandlers } from "../features/questions/routes.ts"
import { queueHandlers } from "../features/queue/service.ts"
import { quotaHandlers } from "../features/quotas/routes.ts"
import { settingsHandlers } from "../features/settings/settings.ts"
import { storageHandlers } from "../features/storage/routes.ts"
import { supportHandlers } from "../features/support/routes.ts"
import { tablesHandlers } from "../features/tables/routes.ts"
import { sessionPort, type Authenticate, type DownloadTickets } from "../http/authenticate.ts"
import { type Handlers, serve, type AuditedRequest } from "../http/serve.ts"
import type { ConnectedApps } from "../http/sockets.ts"
import type { Accounts } from "./accounts.ts"
import type { composeAutomations } from "./automations.ts"
import type { Chat } from "./chat.ts"
import type { Base } from "./compose-options.ts"
import type { composeFiling } from "./filing.ts"
import type { Library } from "./library/library.ts"
import { composeFacts } from "./library/reading-library.ts"
import type { composeMcpServer } from "./mcp-server.ts"
import type { Models } from "./models.ts"
import { composeOperation } from "./operation.ts"
import type { composeQuestions } from "./questions.ts"
import type { QuotaPart } from "./quotas.ts"
import type { Maintenance } from "./upkeep.ts"

type FirstScreenParts = Pick<Accounts, "people" | "settings" | "notifications"> &
  Pick<Library, "folders"> &
  Pick<Chat, "assistants" | "projects" | "chat" | "conversations" | "queue"> & {
    modelNews: Pick<ReturnType<typeof createModelNews>, "state">
    automations: Pick<ReturnType<typeof composeAutomations>, "has">
  }

/** The same number of each that the page first requests. */
const firstConversations = { limit: 100, offset: 0 }
const firstPinned = { limit: 50, offset: 0 }
const firstAssistants = { limit: 200, offset: 0 }
const firstProjects = { limit: 200, offset: 0 }

/** Returns everything that the page needs to be drawn: one request instead of eight. */
const pageHandlers = (
  parts: FirstScreenParts,
  apps: Pick<ConnectedApps, "countMessages">,
): Handlers<typeof api.page> => ({
  async firstScreen({ caller: { userId } }) {
    const news = apps.countMessages(userId) // before anything is read: changes in the meantime are news
    const {
      people,
      chat,
      folders,
      conversations,
      queue,
      assistants,
      projects,
      modelNews,
      settings,
      notifications,
      automations,
    } = parts
    return {
      me: await describeCaller(people, userId),
      folders: await folders.list(userId),
      conversations: await conversations.list(userId, firstConversations, {}),
      pinned: await conversations.list(userId, firstPinned, { pinned: true }),
      activity: await chat.activity(userId, true),
      queues: { chats: await queue.chats(userId) },
      assistants: await assistants.list(userId, firstAssistants),
      projects: await projects.list(userId, firstProjects),
      models: modelNews.state(),
      settings: { settings: await settings.of(userId) },
      unread: { count: await notifications.unreadCount(userId) },
      hasAutomations: await automations.has(userId),
      news,
    }
  },
})

/** All parts of the box. */
export type Parts = Accounts &
  Models &
  Library &
  Chat &
  Maintenance & {
    modelNews: ReturnType<typeof createModelNews>
    deletions: Deletions
    quotas: QuotaPart
    automations: ReturnType<typeof composeAutomations>
    questions: ReturnType<typeof composeQuestions>
    filing: ReturnType<typeof composeFiling>
    /** Whether the models that load with the box have been requested. */
    haveModelsStarted(): boolean
    mcpServer: ReturnType<typeof composeMcpServer>
  }

/** Serves the endpoints of a contract. */
type Serve = <C extends Contract>(contract: C, handlers: Handlers<C>) => void

/** All endpoints of the contract, with the parts that handle them. */
export function composeRoutes(
  base: Base,
  parts: Parts,
  authenticate: Authenticate,
  tickets: DownloadTickets,
): RequestHandler {
  const routes = createRoutes()
  const serving = {
    authenticate,
    live: base.live,
    reserve: base.reserve,
    dataDirectory: base.dataDirectory,
    logger: base.logger,
    noteCall: parts.keyCalls.note,
    audit: async (endpoint: Endpoint, request: AuditedRequest, work: () => Promise<unknown>) => {
      if (endpoint.method === "get" && endpoint.access !== "owner") return work()
      return (await parts.audit.get()).around(endpoint, request, work)
    },
  }
  const add: Serve = (contract, handlers) => serve(routes, contract, handlers, serving)
  addAccounts(add, base, parts, { authenticate, tickets })
  addModels(add, parts)
  addFolders(add, parts)
  addAssistants(add, base, parts, authenticate)
  addChats(add, parts)
  addOperation(add, base, parts)
  return routes.handle
}

/** Users, their keys, settings and notifications. */
function addAccounts(
  add: Serve,
  { config, version, port, apps, logger, walls }: Base,
  parts: Parts,
  { authenticate, tickets }: { authenticate: Authenticate; tickets: DownloadTickets },
): void {
  const { people, keys, sessions, provider, settings, addresses, onRevoked, onDisabled } = parts
  add(
    api.account,
    accountHandlers({
      people,
      sessions,
      authenticate,
      tickets,
      version,
      leaveProvider: async (idToken) => (await provider?.leave(idToken)) ?? null,
      port: () => sessionPort(config.publicUrl, port()),
    }),
  )
  add(api.providerSignIn, providerSignInHandlers(provider))
  add(api.page, pageHandlers(parts, apps))
  add(api.keys, keyHandlers(keys, parts.keyCalls))
  add(
    api.people,
    peopleHandlers({ people, sessions, onRevoked, onDisabled, addresses, addressesCount: provider !== null }),
  )
  add(api.quotas, quotaHandlers(parts.quotas.open))
  add(api.settings, settingsHandlers(settings))
  add(api.privacy, privacyHandlers(parts.egress, logger, walls))
  add(api.notifications, notificationHandlers(parts.notifications, parts.pictures))
}

function addModels(add: Serve, { models, modelNews, modelServers, modelOptions }: Parts): void {
  add(api.models, modelHandlers(models, modelNews))
  add(api.modelServers, modelServerHandlers(modelServers))
  add(api.modelOptions, modelOptionHandlers(modelOptions))
}

/** Folders, their files, and what is found in them. */
function addFolders(add: Serve, parts: Parts): void {
  const { folders, files, pageViewer, webReader } = parts
  add(api.folders, foldersHandlers(folders))
  add(api.files, filesHandlers(files, createFilePages(pageViewer), webReader))
  add(api.facts, factsHandlers(composeFacts(parts)))
  add(api.tables, tablesHandlers(parts.tables))
}

/** Assistants, their tools and their memory. */
function addAssistants(add: Serve, { logger }: Base, parts: Parts, authenticate: Authenticate): void {
  const { assistants, toolbox, integrations, sessions, pictures } = parts
  add(api.memory, memoryHandlers(parts.openMemories))
  add(api.assistants, assistantHandlers(assistants, pictures))
  add(api.tools, toolHandlers(toolbox))
  add(api.integrations, integrationHandlers(integrations, authenticate, sessions.isInApp, logger))
}

/** Chats, and what other programs and automations do with them. */
function addChats(add: Serve, parts: Parts): void {
  const { chat, queue, conversations, completions } = parts
  add(api.chat, chatHandlers(chat, queue.stop))
  add(api.queue, queueHandlers(queue, parts.hideNamesInQueue))
  add(api.automations, automationHandlers(parts.automations.get))
  add(api.filing, filingHandlers(parts.filing.get))
  add(api.questions, questionHandlers(parts.questions.get))
  add(api.conversations, conversationHandlers(conversations))
  add(api.chatImports, chatImportHandlers(parts.chatImports))
  add(api.projects, projectHandlers(parts.projects))
  add(api.deletions, deletionHandlers(parts.deletions))
  add(api.completions, completionHandlers(completions))
  add(api.mcpServer, mcpServerHandlers(parts.mcpServer))
}

/** Storage, support, logs and monitoring. */
function addOperation(add: Serve, base: Base, parts: Parts): void {
  const { dataDir } = base
  const { storage, backups, planned, files } = parts
  add(
    api.storage,
    storageHandlers({
      dataDir,
      storage,
      backups,
      planned,
      held: lazy(async () => (await import("./open-held-items.ts")).openHeldItems(base, parts)),
      emptyTrash: files.emptyWholeTrash,
    }),
  )
  add(api.support, supportHandlers(parts.support.get))
  add(api.logs, logHandlers(logsPath(dataDir)))
  add(api.auditLog, auditHandlers(parts.audit.get))
  add(api.operation, operationHandlers(composeOperation(base, parts)))
}
