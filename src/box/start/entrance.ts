import { once } from "node:events"
import type { Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Express } from "express"
import { createHttpServer, mostUnaccepted } from "../http/http-server.ts"

/** Connections at one address: those who come from elsewhere never take all that the box can have. */
const mostFromOutside = 500
/** Of these, those of one other computer: it never keeps the others out. Browsers have a dozen for each window. */
const mostFromOneComputer = 100
/** Another computer that has asked nothing by then makes room. */
const firstRequestMs = 10_000
/** Connections that are still open this long after the box began to stop are cut. */
const closingGraceMs = 2_500

/** Where clients connect. Its end waits for what is still being answered, so nothing that answers may end before it. */
export interface Entrance extends AsyncDisposable {
  /** The port, known for certain once it listens. */
  port(): number
  /** @throws the system's error when the port is taken. */
  listen(app: Express): Promise<Server>
  /**
   * Has it listen at exactly these addresses besides its own; who is connected through one that isn't named any more is cut.
   * Answers those that can't be listened at.
   */
  alsoAt(addresses: readonly string[]): Promise<string[]>
  /** Accepts nothing more. */
  close(): void
}

export function createEntrance({ host, port: wanted }: { host: string; port: number }): Entrance {
  let port = wanted
  let server: Server | undefined
  let answer: Express | undefined
  const others = new Map<string, OtherEntrance>()
  const closed = Promise.withResolvers<void>()
  return {
    port: () => port,
    async listen(app) {
      const listening = createHttpServer(app)
      listening.listen({ port, host, backlog: mostUnaccepted })
      await once(listening, "listening")
      server = listening
      answer = app
      port = (listening.address() as AddressInfo).port
      return listening
    },
    async alsoAt(addresses) {
      for (const [address, other] of others) {
        if (addresses.includes(address)) continue
        others.delete(address)
        other.cut()
      }
      const failed: string[] = []
      for (const address of addresses) {
        if (others.has(address) || !server || !answer) continue
        try {
          others.set(address, await openOther({ host: address, port }, server, answer))
        } catch {
          failed.push(address)
        }
      }
      return failed
    },
    close() {
      for (const other of others.values()) other.close()
      // The time runs while the parts end: what stalled clients and slow parts take mustn't add up.
      const cut = setTimeout(() => server?.closeAllConnections(), closingGraceMs)
      server?.close(() => {
        clearTimeout(cut)
        closed.resolve()
      })
      server?.closeIdleConnections()
    },
    async [Symbol.asyncDispose]() {
      for (const other of others.values()) other.cut()
      if (!server) return // it never came to listening
      server.closeIdleConnections()
      await closed.promise
    },
  }
}

interface OtherEntrance {
  /** Accepts nothing more. */
  close(): void
  /** Ends it, and every connection through it, whatever is under way: WebSockets too, which a server itself forgets. */
  cut(): void
}

async function openOther(
  at: { host: string; port: number },
  first: Server,
  app: Express,
): Promise<OtherEntrance> {
  const server = createHttpServer(app)
  server.maxConnections = mostFromOutside
  const connections = new Set<Socket>()
  const ofComputer = new Map<string, number>()
  const silent = new WeakMap<Socket, NodeJS.Timeout>()
  server.on("connection", (socket) => {
    const computer = socket.remoteAddress ?? ""
    const others = ofComputer.get(computer) ?? 0
    if (others >= mostFromOneComputer) {
      socket.destroy()
      return
    }
    ofComputer.set(computer, others + 1)
    connections.add(socket)
    const overdue = setTimeout(() => socket.destroy(), firstRequestMs)
    silent.set(socket, overdue)
    socket.once("close", () => {
      clearTimeout(overdue)
      connections.delete(socket)
      const left = (ofComputer.get(computer) ?? 0) - 1
      if (left > 0) ofComputer.set(computer, left)
      else ofComputer.delete(computer)
    })
  })
  server.on("request", ({ socket }) => clearTimeout(silent.get(socket)))
  server.on("upgrade", (...upgrade) => {
    clearTimeout(silent.get(upgrade[0].socket))
    first.emit("upgrade", ...upgrade)
  })
  server.listen({ ...at, backlog: mostUnaccepted })
  await once(server, "listening")
  return {
    close: () => server.close(),
    cut() {
      server.close()
      for (const socket of connections) socket.destroy()
    },
  }
}
