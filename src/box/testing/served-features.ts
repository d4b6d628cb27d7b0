import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import express from "express"
import { createRoutes, type Routes } from "../../serve/routes.ts"
import { createClient, type Client } from "../../shared/client/http-client.ts"
import { AppError } from "../../shared/contract/errors.ts"
import type { SocketMessage } from "../../shared/contract/socket.ts"
import { Sentence } from "../../shared/sentences/sentence.ts"
import type { DbOf, OpenDatabase } from "../core/database/database.ts"
import { openTestDatabase } from "../core/database/testing/test-database.ts"
import type { Push } from "../core/event-bus.ts"
import { timestamp } from "../core/ids.ts"
import { silentLogger } from "../core/logging/logger.ts"
import { createDeletions } from "../features/deletions/service.ts"
import { endDeletions } from "../features/deletions/store.ts"
import { createLiveConnections, type LiveConnections } from "../http/live-connections.ts"
import type { serve } from "../http/serve.ts"
import { keptAlive } from "../../shared/testing/kept-alive.ts"

/** Quotas without any limits. */
export const noQuotas = {
  requireRoom: () => Promise.resolve(),
  withRoom: <T>(_userId: string, _wanted: unknown, work: () => Promise<T>) => work(),
  countAnswer: () => Promise.resolve(),
  recordTokens: () => Promise.resolve(),
}

/** A message and the users whose apps would receive it. */
interface Sent {
  userIds: readonly string[] | null
  message: SocketMessage
}

/** Records what the box would send to connected apps. */
export interface Pushes {
  push: Push
  /** Returns a function that removes the listener. */
  listen(listener: Push): () => void
  /** Settles with the first push that `matches` accepts, including earlier ones. */
  pushed(matches: (push: Sent) => boolean): Promise<Sent>
}

export function createPushes(): Pushes {
  const listeners = new Set<Push>()
  const sent: Sent[] = []
  function listen(listener: Push) {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return {
    listen,
    push(userIds, message) {
      sent.push({ userIds, message })
      for (const listener of listeners) listener(userIds, message)
    },
    pushed: (matches) =>
      new Promise((resolve) => {
        const seen = sent.find(matches)
        if (seen) return resolve(seen)
        const stop = listen((userIds, message) => {
          if (!matches({ userIds, message })) return
          stop()
          resolve({ userIds, message })
        })
      }),
  }
}

/** Deletions that can be undone for `undoMs`, or until a test ends them. */
export function createTestDeletions(db: DbOf<"deletions">, undoMs = 60_000) {
  const deletions = createDeletions({ db, logger: silentLogger, undoMs })
  return {
    deletions,
    async endDeletions() {
      await endDeletions(db)
      await deletions.start()
    },
  }
}

/** Opens a real database that contains these users. */
export async function openPeopledDatabase(dataDir: string, users: readonly string[]): Promise<OpenDatabase> {
  const database = await openTestDatabase(join(dataDir, "casella.sqlite"))
  await database.db
    .insertInto("users")
    .values(users.map((id) => ({ id, email: `${id}@example.com`, name: id, createdAt: timestamp() })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return database
}

export interface ServedFeatures extends AsyncDisposable {
  url: string
  getClient(user: string): Client
}

export interface ServedOptions {
  users: readonly string[]
  isOwner(userId: string): boolean
  live?: LiveConnections
}

/**
 * Serves some of the box's features over HTTP as the box does, for callers that need no account. Each user's key is the user's name; a key
 * that ends in `-app` is treated as the app.
 */
export async function serveFeatures(
  { users, isOwner, live = createLiveConnections() }: ServedOptions,
  bind: (routes: Routes, serving: Parameters<typeof serve>[3]) => void,
): Promise<ServedFeatures> {
  const app = express()
  const routes = createRoutes()
  app.use(routes.handle)
  bind(routes, {
    live,
    logger: silentLogger,
    async authenticate({ headers }: IncomingMessage) {
      const key = headers.authorization?.replace("Bearer ", "") ?? headers["x-api-key"]?.toString() ?? ""
      const userId = key.replace("-app", "")
      if (!users.includes(userId)) throw new AppError("unauthorized", Sentence.asIs("Who are you?"))
      const origin = key.endsWith("-app") ? ("APP" as const) : ("API" as const)
      return { userId, credentialId: key, via: "key", origin, scopes: null, isOwner: isOwner(userId) }
    },
  })
  const server = createServer(keptAlive, app).listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    getClient: (user) => createClient({ baseUrl: url, headers: { "x-api-key": user } }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
