import type { Logger } from "../../core/logging/logger.ts"
import { onBehalfOf } from "../../core/outbound/on-behalf-of.ts"
import type { Connections } from "../../tools/mcp/connections.ts"
import type { Server } from "../../tools/mcp/server.ts"
import type { Health } from "./health.ts"
import { ownerOf } from "./servers.ts"

export interface LookAgainDeps {
  health: Health
  connections: Connections
  logger: Logger
}

const limitMs = 60_000
/** Maximum number of consecutive checks of a server that announces changes while it is being checked. */
const mostLooks = 5

/** Checks a server as soon as it announces a change, instead of at its next use. */
export function createLookAgain({ health, connections, logger }: LookAgainDeps): (server: Server) => void {
  /** Servers that are being checked, and whether they have announced a change since the check started. */
  const looking = new Map<string, boolean>()

  /** Checks until the server announces no change during a check. Disconnects a server that always announces one. */
  async function look(server: Server): Promise<void> {
    const signal = AbortSignal.timeout(limitMs)
    try {
      for (let looks = 0; looks < mostLooks; looks++) {
        looking.set(server.id, false)
        await onBehalfOf({ userId: ownerOf(server.id) }, () =>
          health.use(ownerOf(server.id), server, signal, () => Promise.resolve(), { fresh: true }),
        )
        if (looking.get(server.id) !== true) return
      }
      await connections.end(server.id)
    } catch (error) {
      logger.info({ err: error, key: server.key }, "A changed server wasn't read")
    }
  }

  return (server) => {
    if (looking.has(server.id)) looking.set(server.id, true)
    else void look(server).finally(() => looking.delete(server.id))
  }
}
