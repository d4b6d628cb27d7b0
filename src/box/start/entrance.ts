import { once } from "node:events"
import type { Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Express } from "express"
import { createHttpServer, maxUnaccepted } from "../http/http-server.ts"

/** Maximum connections per listening address from other computers, so that they can't use all the connections the box can have. */
const maxFromOutside = 500
/** Maximum connections from one other computer, so that it can't block the rest. Browsers use about a dozen per window. */
const maxFromOneComputer = 100
/** A connection from another computer that sends no request within this time is closed. */
const firstRequestMs = 10_000
/** Connections still open this long after the box starts to shut down are closed. */
const closingGraceMs = 2_500

/** Accepts client connections. Disposal waits for responses in progress, so dispose of it before anything that answers requests. */
export interface Entrance extends AsyncDisposable {
  /** The port; final only after listening starts. */
  port(): number
  /** @throws the system's error when the port is taken. */
  listen(app: Express): Promise<Server>
  /**
   * Listens on exactly these addresses as well as its own, and closes connections through addresses no longer listed. Returns the addresses
   * that couldn't be opened.
   */
  setExtraAddresses(addresses: readonly string[]): Promise<string[]>
  /** Stops accepting connections. */
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
      listening.listen({ port, host, backlog: maxUnaccepted })
      await once(listening, "listening")
      server = listening
      answer = app
      port = (listening.address() as AddressInfo).port
      return listening
    },
    async setExtraAddresses(addresses) {
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
      // The timer runs while the other parts shut down, so that stalled clients and slow parts don't add to each other's time.
      const cut = setTimeout(() => server?.closeAllConnections(), closingGraceMs)
      server?.close(() => {
        clearTimeout(cut)
        closed.resolve()
      })
      server?.closeIdleConnections()
    },
    async [Symbol.asyncDispose]() {
      for (const other of others.values()) other.cut()
      if (!server) return // it never started listening
      server.closeIdleConnections()
      await closed.promise
    },
  }
}

interface OtherEntrance {
  /** Stops accepting connections. */
  close(): void
  /** Closes the server and all its connections, including active ones and WebSockets, which Node's server doesn't track. */
  cut(): void
}

async function openOther(
  at: { host: string; port: number },
  first: Server,
  app: Express,
): Promise<OtherEntrance> {
  const server = createHttpServer(app)
  server.maxConnections = maxFromOutside
  const connections = new Set<Socket>()
  const connectionsByComputer = new Map<string, number>()
  const silent = new WeakMap<Socket, NodeJS.Timeout>()
  server.on("connection", (socket) => {
    const computer = socket.remoteAddress ?? ""
    const others = connectionsByComputer.get(computer) ?? 0
    if (others >= maxFromOneComputer) {
      socket.destroy()
      return
    }
    connectionsByComputer.set(computer, others + 1)
    connections.add(socket)
    const overdue = setTimeout(() => socket.destroy(), firstRequestMs)
    silent.set(socket, overdue)
    socket.once("close", () => {
      clearTimeout(overdue)
      connections.delete(socket)
      const left = (connectionsByComputer.get(computer) ?? 0) - 1
      if (left > 0) connectionsByComputer.set(computer, left)
      else connectionsByComputer.delete(computer)
    })
  })
  server.on("request", ({ socket }) => clearTimeout(silent.get(socket)))
  server.on("upgrade", (...upgrade) => {
    clearTimeout(silent.get(upgrade[0].socket))
    first.emit("upgrade", ...upgrade)
  })
  server.listen({ ...at, backlog: maxUnaccepted })
  await once(server, "listening")
  return {
    close: () => server.close(),
    cut() {
      server.close()
      for (const socket of connections) socket.destroy()
    },
  }
}
