import { once } from "node:events"
import type { Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { networkInterfaces } from "node:os"
import type { Express } from "express"
import type { NetworkState } from "../../shared/contract/settings.ts"
import type { BoxConfig } from "../box-config.ts"
import type { Logger } from "../core/logging/logger.ts"
import { isLoopbackHost } from "../core/outbound/loopback.ts"
import { TerminalError } from "../core/terminal-error.ts"
import { createHttpServer, maxUnaccepted } from "../http/http-server.ts"

/** Requires allowed host names if the box listens for other computers. Throws `validation`. */
export function requireAllowedHosts(host: string, allowed: readonly string[]): void {
  if (!isLoopbackHost(host) && allowed.length === 0) {
    throw new TerminalError(
      "validation",
      `Listening on ${host} gives other computers access. State the host name that they use with --allow-host NAME.`,
    )
  }
}

/** Returns the name that a client on this computer uses for the box's listening address. */
export function addressName(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1"
  return host.includes(":") ? `[${host}]` : host
}

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

/** Controls whether other computers can reach the box; the owner can change it while the box runs. */
export interface NetworkAccess extends Disposable {
  /** Allows or blocks other computers. Settles after the change has taken effect and, when blocking, after their connections are closed. */
  set(on: boolean): Promise<void>
  /** The host names with port that other computers may use; empty while they are blocked. */
  hosts(): string[]
  state(): NetworkState
}

export interface NetworkAccessDeps {
  config: Pick<BoxConfig, "host">
  entrance: Pick<Entrance, "setExtraAddresses" | "port">
  logger: Logger
  /** This computer's network addresses. */
  addresses?: () => string[]
}

/** Poll interval, because a computer can join another network while the box runs. */
const pollIntervalMs = 30_000

export function createNetworkAccess({
  config,
  entrance,
  logger,
  addresses = ownAddresses,
}: NetworkAccessDeps): NetworkAccess {
  // A listening address chosen at startup applies for the whole run.
  const decided = !isLoopbackHost(config.host)
  let on = false
  let open: string[] = []
  let failed: string[] = []
  let timer: NodeJS.Timeout | undefined
  /** Changes run one after another, so the last one applies. */
  let changes: Promise<void> = Promise.resolve()

  async function check(): Promise<void> {
    const wanted = on ? addresses() : []
    if (wanted.join() === [...open, ...failed].join()) return
    // Remove the addresses before closing their connections, so that requests arriving in between aren't answered.
    open = open.filter((address) => wanted.includes(address))
    failed = await entrance.setExtraAddresses(wanted)
    open = wanted.filter((address) => !failed.includes(address))
    if (failed.length > 0)
      logger.warn({ failed }, "Casella can't be reached at some of this computer's addresses")
    if (open.length > 0) logger.warn({ addresses: open }, "Other computers can reach this server")
    else logger.info({}, "Other computers can't reach this server")
  }

  const soon = () => (changes = changes.then(check, check))
  const getHost = (address: string) => `${address}:${entrance.port()}`
  const getUrl = (address: string) => `http://${getHost(address)}`

  return {
    set(wanted) {
      if (decided) return Promise.resolve()
      on = wanted
      clearInterval(timer)
      if (on) timer = setInterval(() => void soon(), pollIntervalMs).unref()
      return soon()
    },
    hosts: () => open.map(getHost),
    state: () => ({
      on: on || decided,
      decidedBy: decided ? "start" : "settings",
      addresses: (on ? open : decided ? [] : addresses()).map(getUrl),
      failed: failed.map(getUrl),
    }),
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** Returns IPv4 addresses only, because people can type them. */
function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map(({ address }) => address)
    .toSorted()
}
