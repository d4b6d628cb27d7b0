import { basename } from "node:path"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { isLocalOnlyRefusal, type Outbound } from "../../core/outbound/outbound.ts"
import type { Connection } from "./connect.ts"
import type { Server, ServerFetches } from "./server.ts"

export interface ConnectionsOptions {
  fetches: ServerFetches
  outbound: Pick<Outbound, "noteProgram">
  logger: Logger
  /** Called when a server announces a change in what it offers. */
  onChange?: (server: Server) => void
  /** An idle connection is closed, and its process ended, after this time, in ms. */
  idleMs?: number
}

/** Owns every connection and process of the box's MCP servers. They are opened on first use, closed when idle, and limited in number. */
export interface Connections extends AsyncDisposable {
  /** Runs a task with a server's connection. Throws AppError or `NeedsSignIn`. */
  use<T>(server: Server, signal: AbortSignal, task: (connection: Connection) => Promise<T>): Promise<T>
  /** Closes a server's connection and ends its process. Anything that is using it fails. */
  end(id: string): Promise<void>
  endMatching(matches: (server: Server) => boolean): Promise<void>
}

interface Entry {
  server: Server
  opening: Promise<Connection>
  users: number
  idle: NodeJS.Timeout | undefined
  stop: AbortController
}

const fiveMinutes = 300_000
const maxOpen = 16
/** A server that ends or fails to start this many times within `failuresMs` isn't started again for that long. */
const maxFailures = 3
const failuresMs = 60_000

export const createConnections = (deps: ConnectionsOptions): Connections => new ServerConnections(deps)

class ServerConnections implements Connections {
  readonly #deps: ConnectionsOptions
  readonly #idleMs: number
  readonly #entries = new Map<string, Entry>()
  readonly #failures = createFailures()

  constructor(deps: ConnectionsOptions) {
    this.#deps = deps
    this.#idleMs = deps.idleMs ?? fiveMinutes
  }

  async use<T>(
    server: Server,
    signal: AbortSignal,
    task: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted()
    const entry = this.#entries.get(server.id) ?? this.#open(server)
    clearTimeout(entry.idle)
    entry.users++
    try {
      return await task(await entry.opening)
    } catch (error) {
      const { explain } = await import("./explain.ts")
      throw explain(error)
    } finally {
      entry.users--
      if (entry.users === 0 && this.#entries.get(server.id) === entry)
        entry.idle = setTimeout(() => void this.end(server.id), this.#idleMs).unref()
    }
  }

  #open(server: Server): Entry {
    this.#failures.requireFew(server.id)
    this.#makeRoom()
    const { target } = server
    // The program's own connections can't be seen, so only the fact that it ran is recorded.
    const noted = target.kind === "command" ? this.#deps.outbound.noteProgram(basename(target.command)) : null
    const stop = new AbortController()
    const entry: Entry = {
      server,
      users: 0,
      idle: undefined,
      stop,
      opening: this.#connectTo(server, stop.signal),
    }
    this.#entries.set(server.id, entry)
    entry.opening.then(
      (connection) =>
        void connection.closed.then(() => {
          noted?.end("ok")
          if (!this.#forget(server.id, entry)) return
          this.#failures.note(server.id)
          this.#deps.logger.warn({ key: server.key }, "An MCP server ended unexpectedly")
        }),
      (error: unknown) => {
        noted?.end("failed")
        this.#forget(server.id, entry)
        const isFailure = error instanceof AppError && !isLocalOnlyRefusal(error)
        if (isFailure && !stop.signal.aborted) this.#failures.note(server.id)
      },
    )
    return entry
  }

  #makeRoom(): void {
    if (this.#entries.size < maxOpen) return
    const unused = [...this.#entries].find(([, { users }]) => users === 0)
    if (!unused) throw new AppError("unavailable", sentence("tools.too_many_servers"))
    void this.end(unused[0])
  }

  /** The protocol's code is loaded when the first server is used. */
  async #connectTo(server: Server, signal: AbortSignal): Promise<Connection> {
    const { connect } = await import("./connect.ts")
    signal.throwIfAborted()
    return connect(server, this.#deps.fetches, signal, {
      onWarning: (error) =>
        this.#deps.logger.warn(
          { err: error, key: server.key },
          "An MCP server may keep running if Casella is killed",
        ),
      onChange: () => this.#deps.onChange?.(server),
    })
  }

  /** Removes the entry. Returns whether it was still current. */
  #forget(id: string, entry: Entry): boolean {
    clearTimeout(entry.idle)
    return this.#entries.get(id) === entry && this.#entries.delete(id)
  }

  async end(id: string): Promise<void> {
    const entry = this.#entries.get(id)
    this.#failures.forget(id)
    if (!entry) return
    this.#forget(id, entry)
    entry.stop.abort(new AppError("unavailable", sentence("tools.server_ended")))
    const connection = await entry.opening.catch(() => null) // the error is reported to the caller that waits for it
    await connection?.[Symbol.asyncDispose]()
  }

  async endMatching(matches: (server: Server) => boolean): Promise<void> {
    await Promise.all(
      [...this.#entries.values()]
        .filter(({ server }) => matches(server))
        .map(({ server }) => this.end(server.id)),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#entries.keys()].map((id) => this.end(id)))
  }
}

/** Counts each server's recent failures. */
function createFailures() {
  const failed = new Map<string, number[]>()
  const recent = (id: string) => (failed.get(id) ?? []).filter((at) => at > performance.now() - failuresMs)
  return {
    note: (id: string) => void failed.set(id, [...recent(id), performance.now()]),
    forget: (id: string) => void failed.delete(id),
    /** Throws `unavailable` after too many failures. */
    requireFew(id: string): void {
      const few = recent(id)
      if (few.length === 0) failed.delete(id)
      if (few.length >= maxFailures) throw new AppError("unavailable", sentence("tools.server_keeps_failing"))
    },
  }
}
