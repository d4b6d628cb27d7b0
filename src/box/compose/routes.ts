import type { RequestHandler } from "express"
import { createRoutes } from "../../serve/routes.ts"
import { api } from "../../shared/contract/api.ts"
import type { Endpoint } from "../../shared/contract/endpoint.ts"
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
  apps: Pick<ConnectedApps, "told">,
): Handlers<typeof api.page> => ({
  async firstScreen({ caller: { userId } }) {
    const news = apps.told(userId) // before anything is read: changes in the meantime are news
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
      activity: await chat.activity(userId),
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

/** All endpoints of the contract, with the parts that handle them. */
export function composeRoutes(
  base: Base,
  parts: Parts,
  authenticate: Authenticate,
  tickets: DownloadTickets,
): RequestHandler {
  const { config, live, logger, version, port, dataDir } = base
  const {
    people,
    keys,
    sessions,
    provider,
    settings,
    egress,
    addresses,
    notifications,
    onRevoked,
    onDisabled,
  } = parts
  const { models, modelNews, folders, files, pageViewer, openMemories, pictures, assistants, toolbox } = parts
  const { integrations, chat, queue, conversations, completions, storage, backups } = parts
  const routes = createRoutes()
  const serving = {
    authenticate,
    live,
    reserve: base.reserve,
    place: base.place,
    logger,
    noteCall: parts.keyCalls.note,
    audit: async (endpoint: Endpoint, request: AuditedRequest, work: () => Promise<unknown>) => {
      if (endpoint.method === "get" && endpoint.access !== "owner") return work()
      return (await parts.audit.get()).around(endpoint, request, work)
    },
  }
  serve(
    routes,
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
    serving,
  )
  serve(routes, api.providerSignIn, providerSignInHandlers({ provider }), serving)
  serve(routes, api.page, pageHandlers(parts, base.apps), serving)
  serve(routes, api.keys, keyHandlers(keys, parts.keyCalls), serving)
  serve(
    routes,
    api.people,
    peopleHandlers({ people, sessions, onRevoked, onDisabled, addresses, addressesCount: provider !== null }),
    serving,
  )
  serve(routes, api.quotas, quotaHandlers(parts.quotas.open), serving)
  serve(routes, api.settings, settingsHandlers(settings), serving)
  serve(routes, api.privacy, privacyHandlers({ log: egress, logger, walls: base.walls }), serving)
  serve(routes, api.notifications, notificationHandlers(notifications, pictures), serving)
  serve(routes, api.models, modelHandlers({ models, news: modelNews }), serving)
  serve(routes, api.modelServers, modelServerHandlers(parts.modelServers), serving)
  serve(routes, api.modelOptions, modelOptionHandlers(parts.modelOptions), serving)
  serve(routes, api.folders, foldersHandlers(folders), serving)
  serve(routes, api.files, filesHandlers(files, createFilePages(pageViewer)), serving)
  serve(routes, api.facts, factsHandlers(composeFacts(parts)), serving)
  serve(routes, api.tables, tablesHandlers(parts.tables), serving)
  serve(routes, api.memory, memoryHandlers(openMemories), serving)
  serve(routes, api.assistants, assistantHandlers(assistants, pictures), serving)
  serve(routes, api.tools, toolHandlers(toolbox), serving)
  serve(
    routes,
    api.integrations,
    integrationHandlers({ integrations, authenticate, isInApp: sessions.isInApp, logger }),
    serving,
  )
  serve(routes, api.chat, chatHandlers(chat, queue.stop), serving)
  serve(routes, api.queue, queueHandlers(queue), serving)
  serve(routes, api.automations, automationHandlers(parts.automations.get), serving)
  serve(routes, api.filing, filingHandlers(parts.filing.get), serving)
  serve(routes, api.questions, questionHandlers(parts.questions.get), serving)
  serve(routes, api.conversations, conversationHandlers(conversations), serving)
  serve(routes, api.chatImports, chatImportHandlers(parts.chatImports), serving)
  serve(routes, api.projects, projectHandlers(parts.projects), serving)
  serve(routes, api.deletions, deletionHandlers(parts.deletions), serving)
  serve(routes, api.completions, completionHandlers(completions), serving)
  serve(routes, api.mcpServer, mcpServerHandlers(parts.mcpServer), serving)
  serve(
    routes,
    api.storage,
    storageHandlers({
      dataDir,
      storage,
      backups,
      planned: parts.planned,
      held: lazy(async () => (await import("./open-held-items.ts")).openHeldItems(base, parts)),
      emptyTrash: files.emptyWholeTrash,
    }),
    serving,
  )
  serve(routes, api.support, supportHandlers(parts.support.get), serving)
  serve(routes, api.logs, logHandlers({ directory: logsPath(dataDir) }), serving)
  serve(routes, api.auditLog, auditHandlers(parts.audit.get), serving)
  serve(routes, api.operation, operationHandlers(composeOperation(base, parts)), serving)
  return routes.handle
}
