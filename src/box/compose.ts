import express, { type Router } from "express"
import { api } from "../shared/contract/api.ts"
import type { SpawnChild } from "./core/child.ts"
import type { OpenDatabase } from "./core/database.ts"
import type { EventBus } from "./core/event-bus.ts"
import type { Logger } from "./core/logger.ts"
import { createKeys } from "./features/accounts/keys.ts"
import { createPeople } from "./features/accounts/people.ts"
import { accountHandlers, keyHandlers } from "./features/accounts/routes.ts"
import { createSessions } from "./features/accounts/sessions.ts"
import { notificationHandlers } from "./features/notifications/routes.ts"
import { createNotifications } from "./features/notifications/service.ts"
import { openSettings, settingsHandlers } from "./features/settings/settings.ts"
import type { BoxConfig } from "./box-config.ts"
import type { Authenticate } from "./http/authenticate.ts"
import type { ConnectedApps } from "./http/connected-apps.ts"
import type { LiveConnections } from "./http/live-connections.ts"
import { serve } from "./http/serve.ts"

export interface ComposeOptions {
  config: BoxConfig
  database: OpenDatabase
  bus: EventBus
  live: LiveConnections
  apps: ConnectedApps
  logger: Logger
  spawn: SpawnChild
  version: string
  /** Port the box listens on, known once it does. */
  port: () => number
}

/** Puts all features together. The only file that knows every part. */
export async function compose(options: ComposeOptions) {
  const { database, bus, live, apps, logger, version, port } = options
  const { db } = database
  const stack = new AsyncDisposableStack()

  const onRevoked = (credentialId: string) => {
    bus.publish("credential.revoked", { credentialId })
    live.close(credentialId)
  }
  const people = createPeople(db)
  const keys = createKeys(db, onRevoked)
  const sessions = createSessions(db, onRevoked)
  const settings = await openSettings(db)
  const notifications = createNotifications({
    db,
    logger,
    deliver: apps.sendTo,
    mutedCategories: async (userId) => (await settings.personal(userId)).mutedCategories,
    workspacesOf: async (userId) => (await people.memberships(userId)).map(({ id }) => id),
  })

  return {
    people,
    keys,
    sessions,
    settings,
    unreadCount: notifications.unreadCount,

    /** All endpoints of the contract. */
    routes(authenticate: Authenticate): Router {
      const router = express.Router({ caseSensitive: true })
      const serving = { authenticate, live, logger }
      serve(router, api.account, accountHandlers({ people, sessions, version, port }), serving)
      serve(router, api.keys, keyHandlers(keys), serving)
      serve(router, api.settings, settingsHandlers(settings), serving)
      serve(router, api.notifications, notificationHandlers(notifications), serving)
      return router
    },

    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
