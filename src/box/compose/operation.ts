import type { createModelNews } from "../features/models/model-news.ts"
import type { operationHandlers } from "../features/operation/routes.ts"
import type { Accounts } from "./accounts.ts"
import type { Base } from "./compose-options.ts"
import type { Library } from "./library/library.ts"

type Parts = Pick<Accounts, "notifications"> &
  Pick<Library, "files" | "storesAnswer"> & {
    modelNews: Pick<ReturnType<typeof createModelNews>, "state">
    haveModelsStarted(): boolean
  }

/** The state of all parts, for monitoring programs. */
export function composeOperation(base: Base, parts: Parts): Parameters<typeof operationHandlers>[0] {
  const { database, dataDir, dataDirectory, stopping, traffic, bus, apps, workers, version } = base
  const { files, storesAnswer, notifications, modelNews, haveModelsStarted } = parts
  return {
    readiness: {
      dataDir,
      dataDirectory,
      storesAnswer,
      async askDatabase() {
        await database.db.selectFrom("users").select("id").limit(1).execute()
        await database.requireChangesAccepted?.()
      },
      models: modelNews.state,
      haveModelsStarted,
      stopping,
    },
    metrics: {
      version,
      dataDir,
      traffic,
      bus,
      openSockets: apps.count,
      workers,
      waitingForDatabase: database.waiting,
      models: modelNews.state,
      files: files.countByStatus,
      unreadNotifications: () => notifications.unreadOfAll(),
    },
  }
}
