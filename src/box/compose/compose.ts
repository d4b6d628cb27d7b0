import { realpath } from "node:fs/promises"
import { setTimeout as wait } from "node:timers/promises"
import type { RequestHandler } from "express"
import { runInBackground } from "../core/async-context.ts"
import { DatabaseAway, DatabaseBusy } from "../core/database/database.ts"
import { createDeletions } from "../features/deletions/service.ts"
import { createModelNews } from "../features/models/model-news.ts"
import { removeCutOffBackups } from "../features/storage/backup-files.ts"
import type { Authenticate, DownloadTickets } from "../http/authenticate.ts"
import { isAddress, composeModels } from "./models.ts"
import { composeAutomations } from "./automations.ts"
import { composeAccounts } from "./accounts.ts"
import { composeChat } from "./chat.ts"
import type { Base, ComposeOptions } from "./compose-options.ts"
import { composeLibrary } from "./library/library.ts"
import { composeMcpServer } from "./mcp-server.ts"
import { composeFiling } from "./filing.ts"
import { composeQuestions } from "./questions.ts"
import { composeQuotas } from "./quotas.ts"
import { composeRoutes, type Parts } from "./routes.ts"
import { composeMaintenance } from "./upkeep.ts"

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const partRetryMs = 2_000

/** Wires all features together. Only the files in this directory know every part. */
export async function compose(options: ComposeOptions) {
  const { push, logger, stopping } = options
  await using stack = new AsyncDisposableStack()
  const deletions = createDeletions({ db: options.database.db, logger, undoMs: options.undoMs })
  const base: Base = { ...options, dataDir: await realpath(options.config.dataDir), deletions, stack }
  const accounts = await composeAccounts(base, {
    localOnlyChanged: () => localOnlyChanged(),
    assistantNames: (ids) => chats.assistants.names(ids),
  })
  const models = await composeModels({
    base,
    accounts,
    replaceEmbedding: (reference) => library.search.replace(reference),
  })
  const quotas = composeQuotas(base, accounts)
  const library = await composeLibrary({ base, accounts, models, quotas })
  const modelNews = stack.use(
    createModelNews({ chat: models.chatModels, embedding: library.search, rerank: models.rerankModel }, push),
  )
  const questions = composeQuestions(base, accounts)
  const filing = composeFiling(base, accounts, library)
  const chats = await composeChat({ base, accounts, models, library, quotas, filing })
  stack.use(deletions) // created last, so that it ends before the parts that it deletes from
  let haveModelsStarted = false
  const parts: Parts = {
    automations: composeAutomations(base, () => parts),
    questions,
    filing,
    deletions,
    quotas,
    ...accounts,
    ...models,
    ...library,
    modelNews,
    ...chats,
    mcpServer: composeMcpServer(base, accounts, library, chats, questions),
    ...composeMaintenance(base, accounts),
    haveModelsStarted: () => haveModelsStarted,
  }
  const { people, keys, sessions, settings, notifications, systemSenders, outbound } = parts
  const { modelChoice, search, integrations, wakeHeldReports } = parts

  const startSteps = createStartSteps(base, parts, () => (haveModelsStarted = true))

  const localOnlyListeners = new Set<() => void>()

  /** Settles when everything that local-only forbids has stopped. */
  async function localOnlyChanged(): Promise<void> {
    outbound.cutOff()
    await integrations.endRefused()
    await wakeHeldReports()
    modelNews.refresh()
    push(null, { type: "settings" })
    for (const listener of localOnlyListeners) listener()
    await library.describeMissing()
    // A remote embedding model that couldn't be queried until now.
    const embedding = modelChoice.activeModel("embedding")
    if (!settings.localOnly().on && embedding !== null && isAddress(embedding))
      void runInBackground(() => search.replace(embedding))
  }

  const resources = stack.move()
  return {
    people,
    keys,
    sessions,
    settings,
    notifications,
    systemSenders,
    outbound,
    onLocalOnly(listener: () => void) {
      localOnlyListeners.add(listener)
      return () => void localOnlyListeners.delete(listener)
    },

    routes: (authenticate: Authenticate, tickets: DownloadTickets): RequestHandler =>
      composeRoutes(base, parts, authenticate, tickets),

    /**
     * Starts background work, such as following directories and loading the model. It begins when requests are accepted, and runs until the
     * box stops.
     */
    async start(): Promise<void> {
      for (const next of startSteps) {
        if (stopping.aborted) return
        await next()
      }
    },

    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/**
 * Steps that start background work. They run one after another, so that a box with much data doesn't start it all at once.
 * @param modelsStarted called when the models that load with the box have been requested
 */
function createStartSteps(base: Base, parts: Parts, modelsStarted: () => void): readonly (() => unknown)[] {
  const { logger, clock, known, dataDirectory, stopping, stack } = base
  const { sessions, folders, integrations, deletions } = parts

  /**
   * If one part fails, for example on an unreadable row, the other parts and the box continue. If the database can't be used now, the part
   * starts when it can.
   */
  async function begin(part: string, work: () => Promise<unknown>): Promise<void> {
    while (!stopping.aborted) {
      try {
        await work()
        return
      } catch (error) {
        logger.error({ err: error, part }, "A part of the server couldn't start")
        if (!(error instanceof DatabaseAway || error instanceof DatabaseBusy)) return
      }
      await wait(partRetryMs, undefined, { signal: stopping }).catch(() => undefined)
    }
  }

  const cleanFolders = () => dataDirectory.isInPlace() && begin("folders", () => folders.clean(clock.now()))
  const describe = async () => {
    await parts.removeUnusedDescriptions()
    await parts.describeMissing()
  }
  const trimAudit = () =>
    dataDirectory.isInPlace() && begin("audit log", async () => (await parts.audit.get()).trim())
  const compactCounts = () =>
    void begin("counts", async () => {
      if (base.file) return // a file has no changes to add up
      await (await import("../core/database/postgres/compact-counts.ts")).compactCounts(base.database.db)
    })
  let cleaning: NodeJS.Timeout | undefined
  let compacting: NodeJS.Timeout | undefined
  stack.defer(() => {
    clearInterval(cleaning)
    clearInterval(compacting)
  })

  function daily() {
    void cleanFolders()
    void trimAudit()
    if (dataDirectory.isInPlace()) void begin("descriptions", describe)
  }

  return [
    () => begin("files", parts.files.start),
    // After files, because they first end changes that another database recorded, which the next start wouldn't do.
    () => begin("known database", known.start),
    cleanFolders,
    () => void begin("tables", parts.tables.sweep),
    () => (cleaning = setInterval(daily, dayMs).unref()),
    () => known.canForget && begin("integrations", () => integrations.sweep()),
    () => begin("model servers", parts.modelServers.sweep),
    () => begin("sessions", sessions.shortenFuture),
    () => parts.provider && void begin("provider", parts.provider.refresh),
    () => begin("downloads", () => parts.downloads.start()),
    () => parts.chatModels.load(),
    () => parts.rerankModel.load(),
    modelsStarted,
    () => begin("chat", () => parts.chat.start()),
    () => void begin("queue", parts.queue.start),
    () => void begin("automations", parts.automations.start),
    () => begin("questions", parts.questions.start),
    () => begin("filing", parts.filing.start),
    () => begin("snoozed notifications", parts.snoozing.start),
    () => begin("support", parts.startSupport),
    () => void begin("deletions", () => deletions.start()),
    () => known.canForget && parts.unusedObjects?.start(),
    () => begin("backups", () => removeCutOffBackups(base.dataDir)),
    () => void begin("planned backups", parts.startPlanned),
    () => base.file && parts.databaseWatch.start(base.databaseChecked), // a server maintains its own
    () => parts.spaceReclaimer?.start(),
    trimAudit,
    compactCounts,
    () => (compacting = setInterval(compactCounts, hourMs).unref()),
  ]
}
