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

export function createConnections({
  fetches,
  outbound,
  logger,
  onChange,
  idleMs = fiveMinutes,
}: ConnectionsOptions): Connections {
  const entries = new Map<string, Entry>()
  const failures = createFailures()

  function makeRoom(): void {
    if (entries.size < maxOpen) return
    const unused = [...entries].find(([, { users }]) => users === 0)
    if (!unused) throw new AppError("unavailable", sentence("tools.too_many_servers"))
    void end(unused[0])
  }

  function open(server: Server): Entry {
    failures.requireFew(server.id)
    makeRoom()
    const { target } = server
    // The program's own connections can't be seen, so only the fact that it ran is recorded.
    const noted = target.kind === "command" ? outbound.noteProgram(basename(target.command)) : null
    const stop = new AbortController()
    const entry: Entry = {
      server,
      users: 0,
      idle: undefined,
      stop,
      opening: connectTo(server, stop.signal),
    }
    entries.set(server.id, entry)
    entry.opening.then(
      (connection) =>
        void connection.closed.then(() => {
          noted?.end("ok")
          if (!forget(server.id, entry)) return
          failures.note(server.id)
          logger.warn({ key: server.key }, "A tool server ended by itself")
        }),
      (error: unknown) => {
        noted?.end("failed")
        forget(server.id, entry)
        const isFailure = error instanceof AppError && !isLocalOnlyRefusal(error)
        if (isFailure && !stop.signal.aborted) failures.note(server.id)
      },
    )
    return entry
  }

  /** The protocol's code is loaded when the first server is used. */
  async function connectTo(server: Server, signal: AbortSignal): Promise<Connection> {
    const { connect } = await import("./connect.ts")
    signal.throwIfAborted()
    return connect(server, fetches, signal, {
      onWarning: (error) =>
        logger.warn({ err: error, key: server.key }, "A tool server may outlive a box that is killed"),
      onChange: () => onChange?.(server),
    })
  }

  /** Removes the entry. Returns whether it was still current. */
  function forget(id: string, entry: Entry): boolean {
    clearTimeout(entry.idle)
    return entries.get(id) === entry && entries.delete(id)
  }

  async function end(id: string): Promise<void> {
    const entry = entries.get(id)
    failures.forget(id)
    if (!entry) return
    forget(id, entry)
    entry.stop.abort(new AppError("unavailable", sentence("tools.server_ended")))
    const connection = await entry.opening.catch(() => null) // the error is reported to the caller that waits for it
    await connection?.[Symbol.asyncDispose]()
  }

  return {
    async use(server, signal, task) {
      signal.throwIfAborted()
      const entry = entries.get(server.id) ?? open(server)
      clearTimeout(entry.idle)
      entry.users++
      try {
        return await task(await entry.opening)
      } catch (error) {
        const { explain } = await import("./explain.ts")
        throw explain(error)
      } finally {
        entry.users--
        if (entry.users === 0 && entries.get(server.id) === entry)
          entry.idle = setTimeout(() => void end(server.id), idleMs).unref()
      }
    },
    end,
    async endMatching(matches) {
      await Promise.all(
        [...entries.values()].filter(({ server }) => matches(server)).map(({ server }) => end(server.id)),
      )
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...entries.keys()].map(end))
    },
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
