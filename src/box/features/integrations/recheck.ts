import type { Logger } from "../../core/logging/logger.ts"
import { onBehalfOf } from "../../core/async-context.ts"
import type { Connections } from "../../tools/mcp/connections.ts"
import type { Server } from "../../tools/mcp/server.ts"
import type { Health } from "./health.ts"
import { getOwner } from "./servers.ts"

export interface RecheckDeps {
  health: Health
  connections: Connections
  logger: Logger
}

const limitMs = 60_000
/** Maximum number of consecutive checks of a server that announces changes while it is being checked. */
const maxLooks = 5

/** Checks a server as soon as it announces a change, instead of at its next use. */
export function createRecheck({ health, connections, logger }: RecheckDeps): (server: Server) => void {
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
