import { AppError } from "../../../shared/contract/errors.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { onBehalfOf } from "../../core/async-context.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { isLocalOnlyRefusal } from "../../core/outbound/outbound.ts"
import type { Connection } from "../../tools/mcp/connect.ts"
import type { Connections } from "../../tools/mcp/connections.ts"
import type { Offer } from "../../tools/mcp/definitions.ts"
import { NeedsSignIn, type Server } from "../../tools/mcp/server.ts"
import { serverId, getOwner } from "./servers.ts"
import { type ServerStore, type StoredServer, getChanges, isChanged } from "./store.ts"

/** Uses servers and remembers their last failures. */
export interface Health {
  /**
   * Connects, reads what the server offers and runs the task. Throws AppError; if the server wants its user to sign in again, that is
   * stored first.
   */
  use<T>(
    userId: string,
    server: Server,
    signal: AbortSignal,
    task: (connection: Connection, offer: Offer) => Promise<T>,
    options?: { fresh?: boolean },
  ): Promise<T>
  /** The reason for the failure when the server was last used. */
  problem(userId: string, key: string): Sentence | null
  /** Records why the server failed before it could be used. */
  fail(userId: string, key: string, problem: Sentence): void
  forget(userId: string, key: string): void
}

/**
 * @param onChanged called when a connected server offers something other than what its user approved
 */
export function createHealth(
  store: ServerStore,
  connections: Connections,
  logger: Logger,
  onChanged: (userId: string, server: StoredServer) => void,
): Health {
  const problems = new Map<string, Sentence>()

  /** Most calls find the same offer already stored. */
  async function keep(userId: string, key: string, offer: Offer): Promise<void> {
    const before = await store.find(userId, key)
    if (before?.signedOut === false && JSON.stringify(before.offer) === JSON.stringify(offer)) return
    await store.change(userId, key, { offer, signedOut: false })
    if (before === null || before.linkedAt === null) return
    const after = { ...before, offer }
    if (!isChanged(after) || JSON.stringify(getChanges(before)) === JSON.stringify(getChanges(after))) return
    // Calls in progress were meant for the server as it was before the change.
    void connections.end(serverId(userId, key))
    onChanged(userId, after)
  }

  return {
    async use(userId, server, signal, task, options = {}) {
      try {
        const result = await connections.use(server, signal, async (connection) => {
          const offer = await connection.offer(signal, options)
          await keep(userId, server.key, offer)
          return task(connection, offer)
        })
        problems.delete(server.id)
        return result
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof NeedsSignIn) {
          await store.change(userId, server.key, { signedOut: true })
          throw new AppError("unavailable", sentence("integrations.sign_in_again"), { cause: error })
        }
        if (error instanceof AppError && !isLocalOnlyRefusal(error)) problems.set(server.id, error.sentence)
        logger.warn({ err: error, key: server.key }, "An MCP server failed")
        throw error
      }
    },
    fail: (userId, key, problem) => void problems.set(serverId(userId, key), problem),
    problem: (userId, key) => problems.get(serverId(userId, key)) ?? null,
    forget: (userId, key) => void problems.delete(serverId(userId, key)),
  }
}

const limitMs = 60_000
/** Maximum number of consecutive checks of a server that announces changes while it is being checked. */
const maxLooks = 5

/** Checks a server as soon as it announces a change, instead of at its next use. */
export function createRecheck(
  health: Health,
  connections: Connections,
  logger: Logger,
): (server: Server) => void {
  /** Servers that are being checked, and whether they have announced a change since the check started. */
  const checking = new Map<string, boolean>()

  /** Checks until the server announces no change during a check. Disconnects a server that always announces one. */
  async function check(server: Server): Promise<void> {
    const signal = AbortSignal.timeout(limitMs)
    try {
      for (let checkCount = 0; checkCount < maxLooks; checkCount++) {
        checking.set(server.id, false)
        await onBehalfOf({ userId: getOwner(server.id) }, () =>
          health.use(getOwner(server.id), server, signal, () => Promise.resolve(), { fresh: true }),
        )
        if (checking.get(server.id) !== true) return
      }
      await connections.end(server.id)
    } catch (error) {
      logger.info({ err: error, key: server.key }, "Reading a changed MCP server failed")
    }
  }

  return (server) => {
    if (checking.has(server.id)) checking.set(server.id, true)
    else void check(server).finally(() => checking.delete(server.id))
  }
}
