import { once } from "node:events"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Express } from "express"
import { createHttpServer } from "../http/http-server.ts"

/**
 * Connections that may wait to be accepted. Node's 511 are few where a thousand slow clients come again at once: whoever is
 * turned away tries again after 1 s, 3 s, 7 s and so on.
 */
const mostUnaccepted = 4_096
/** Connections that are still open this long after the box began to stop are cut. */
const closingGraceMs = 2_500

/** Where clients connect. Its end waits for what is still being answered, so nothing that answers may end before it. */
export interface Entrance extends AsyncDisposable {
  /** The port, known for certain once it listens. */
  port(): number
  /** @throws the system's error when the port is taken. */
  listen(app: Express): Promise<Server>
  /** Accepts nothing more. */
  close(): void
}

export function createEntrance({ host, port: wanted }: { host: string; port: number }): Entrance {
  let port = wanted
  let server: Server | undefined
  const closed = Promise.withResolvers<void>()
  return {
    port: () => port,
    async listen(app) {
      const listening = createHttpServer(app)
      listening.listen({ port, host, backlog: mostUnaccepted })
      await once(listening, "listening")
      server = listening
      port = (listening.address() as AddressInfo).port
      return listening
    },
    close() {
      // The time runs while the parts end: what stalled clients and slow parts take mustn't add up.
      const cut = setTimeout(() => server?.closeAllConnections(), closingGraceMs)
      server?.close(() => {
        clearTimeout(cut)
        closed.resolve()
      })
      server?.closeIdleConnections()
    },
    async [Symbol.asyncDispose]() {
      if (!server) return // it never came to listening
      server.closeIdleConnections()
      await closed.promise
    },
  }
}
