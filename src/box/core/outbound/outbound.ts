import type { Dispatcher, buildConnector, RequestInit, Response } from "undici"
import { AppError } from "../../../shared/contract/errors.ts"
import type { EgressOutcome, EgressPurpose } from "../../../shared/contract/privacy.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { currentCause, type Cause } from "../async-context.ts"
import { newId, timestamp } from "../ids.ts"
import { onDemand } from "../lazy.ts"
import { eitherSignal } from "../waiting/abort-and-timeout.ts"
import { isLoopbackHost, isLoopbackAddress } from "./loopback.ts"

/** Whether the box connects only to this computer. */
export interface LocalOnly {
  on: boolean
  /** Source of the setting: a flag or an environment variable at the start can't be overridden while the box runs. */
  decidedBy: "settings" | "start"
  /** Whether third-party programs may be started although local-only is on: their connections can't be controlled. */
  programs: boolean
}

const details = { action: "/settings/privacy" }

/** Returns why this address, or any other computer, can't be connected to; null if it can. This computer is always allowed. */
function explainRefusal(localOnly: LocalOnly, url?: URL): AppError | null {
  if (!localOnly.on || (url && isLoopbackHost(url.hostname))) return null
  return new AppError(
    "local_only",
    sentence("core.local_only", {
      host: url?.host ?? sentence("core.other_computers"),
      remedy: remedy(localOnly),
    }),
    { details },
  )
}

/** Returns why a program can't be started; null if it can. */
function refusalOfProgram(localOnly: LocalOnly): AppError | null {
  if (!localOnly.on || localOnly.programs) return null
  return new AppError(
    "local_only",
    sentence("core.local_only_program", { remedy: remedy(localOnly, "core.owner_can_allow_programs") }),
    { details },
  )
}

type OwnersRemedy = "core.owner_can_switch_off" | "core.owner_can_allow_programs"

const remedy = ({ decidedBy }: LocalOnly, owners: OwnersRemedy = "core.owner_can_switch_off") =>
  sentence(decidedBy === "start" ? "core.started_local_only" : owners)

export const isLocalOnlyRefusal = (error: unknown): boolean =>
  error instanceof AppError && error.code === "local_only"

/** Record of a connection: without path, query, headers and body. */
export interface ConnectionRecord extends Cause {
  id: string
  startedAt: string
  /** Null while it is open. */
  durationMs: number | null
  purpose: EgressPurpose
  host: string
  outcome: EgressOutcome
  /** Null if the box can't measure it. */
  bytesSent: number | null
  bytesReceived: number | null
}

/** Receives a record when its connection starts, and again with the same ID at intervals and at the end. Must not throw. */
type RecordConnection = (record: ConnectionRecord) => void

const maxHostLength = 255

/** A connection that is being recorded. Only the first end takes effect. */
export interface Noted {
  sent(bytes: number): void
  received(bytes: number): void
  end(outcome: Exclude<EgressOutcome, "open">): void
}

/** Interval at which the progress of a long connection is recorded, so that it is known after a crash. */
const reportIntervalMs = 5_000

/** Starts recording a connection. `countable`: its bytes will be reported. */
export function note(
  record: RecordConnection,
  { purpose, host, countable }: { purpose: EgressPurpose; host: string; countable: boolean },
): Noted {
  const started = performance.now()
  let reportedAt = started
  const now: ConnectionRecord = {
    ...currentCause(),
    id: newId(),
    startedAt: timestamp(),
    durationMs: null,
    purpose,
    host: host.slice(0, maxHostLength),
    outcome: "open",
    bytesSent: countable ? 0 : null,
    bytesReceived: countable ? 0 : null,
  }
  const count = (field: "bytesSent" | "bytesReceived") => (bytes: number) => {
    now[field] = (now[field] ?? 0) + bytes
    if (now.outcome !== "open" || performance.now() - reportedAt < reportIntervalMs) return
    reportedAt = performance.now()
    record({ ...now })
  }
  record({ ...now })
  return {
    sent: count("bytesSent"),
    received: count("bytesReceived"),
    end(outcome) {
      if (now.outcome !== "open") return
      now.outcome = outcome
      now.durationMs = Math.round(performance.now() - started)
      record({ ...now })
    },
  }
}

/** Counts the bytes that a request sends and receives, before encryption and in compressed form, and reports its outcome. */
function countRequest(
  noted: Noted,
  { method, path, headers }: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
): Dispatcher.DispatchHandler {
  let answered = false
  return {
    onRequestStart(controller, context) {
      noted.sent(`${method} ${path} HTTP/1.1\r\n\r\n`.length + sizeOfHeaders(headers))
      handler.onRequestStart?.(controller, context)
    },
    onBodySent(chunk) {
      noted.sent(chunk.length)
      handler.onBodySent?.(chunk)
    },
    onRequestSent: () => handler.onRequestSent?.(),
    onResponseStarted: () => handler.onResponseStarted?.(),
    onRequestUpgrade: (...upgrade) => handler.onRequestUpgrade?.(...upgrade),
    onResponseStart(controller, status, answeredHeaders, message) {
      answered = true
      noted.received(sizeOfHeaders(answeredHeaders))
      handler.onResponseStart?.(controller, status, answeredHeaders, message)
    },
    onResponseData(controller, chunk) {
      noted.received(chunk.length)
      handler.onResponseData?.(controller, chunk)
    },
    onResponseEnd(controller, trailers) {
      noted.end("ok")
      handler.onResponseEnd?.(controller, trailers)
    },
    onResponseError(controller, error) {
      noted.end(getOutcome(error, answered))
      handler.onResponseError?.(controller, error)
    },
  }
}

/** A caller that stops reading a response early isn't a failure; an unsafe address was never connected to. */
function getOutcome(error: Error & { code?: unknown }, answered: boolean): "ok" | "refused" | "failed" {
  const { code } = error
  if (answered) return typeof code === "string" ? "failed" : "ok"
  return error instanceof AppError && code === "forbidden_address" ? "refused" : "failed"
}

/** Counts `name: value` and the line end of each header. */
function sizeOfHeaders(headers: Dispatcher.DispatchOptions["headers"]): number {
  let size = 0
  for (const part of headerParts(headers)) size += Buffer.byteLength(String(part)) + 2
  return size
}

function headerParts(headers: Dispatcher.DispatchOptions["headers"]): unknown[] {
  if (headers === null || headers === undefined) return []
  if (Array.isArray(headers)) return headers
  const entries = Symbol.iterator in headers ? [...headers] : Object.entries(headers)
  return entries.flat(2)
}

export interface OutboundOptions {
  localOnly(): LocalOnly
  /** Records connections, except those to this computer. */
  record: RecordConnection
}

export interface OutboundRequest extends Omit<RequestInit, "dispatcher" | "redirect"> {
  purpose: EgressPurpose
  /** Dispatcher for callers with their own rules about addresses. */
  agent?: Dispatcher
}

/**
 * The only route from the box to other computers: a static test finds any other. Everything that it sends is recorded, and with local-only
 * on nothing leaves this computer.
 */
export interface Outbound extends AsyncDisposable {
  /** Returns why this address, or any other computer, can't be connected to now; null if it can. Never resolves names. */
  refusal(this: void, address?: string | URL): AppError | null
  /** Like `refusal`, for a third-party program. */
  programRefusal(): AppError | null
  /** Sends one request; redirects are returned, not followed. Throws the refusal, the signal's reason, or the errors of `fetch`. */
  fetch(address: string | URL, request: OutboundRequest): Promise<Response>
  /** Records a program that may connect by itself. Throws the refusal, like `noteForeign`. */
  noteProgram(name: string): Noted
  /** Records a connection that other code makes. */
  noteForeign(purpose: EgressPurpose, address: string): Noted
  /** Ends every running request that local-only forbids now. */
  cutOff(): void
}

const connectMs = 10_000

export function createOutbound({ localOnly, record }: OutboundOptions): Outbound {
  const usual = onDemand(openAgent, (agent) => agent.destroy())
  const running = new Map<AbortController, URL>()

  const refusal = (address?: string | URL) =>
    explainRefusal(localOnly(), address === undefined ? undefined : new URL(address))

  /** Must not await anything between the check and the registration that allows the request to be cut off. */
  async function send(
    url: URL,
    { agent, ...request }: Omit<OutboundRequest, "purpose">,
    noted: Noted,
  ): Promise<Response> {
    const cut = new AbortController()
    const signal = eitherSignal(request.signal, cut.signal)
    const end: Noted["end"] = (outcome) => {
      running.delete(cut)
      noted.end(outcome)
    }
    const counting: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
      dispatch(options, countRequest({ ...noted, end }, options, handler))
    running.set(cut, url)
    try {
      const dispatcher = (agent ?? (await usual.get())).compose(counting)
      const { fetch } = await import("undici")
      return await fetch(url, { ...request, redirect: "manual", signal, dispatcher })
    } catch (error) {
      end("failed") // has no effect if the connection has already reported its outcome
      throw error
    }
  }

  function begin(purpose: EgressPurpose, host: string, refused: AppError | null, countable: boolean): Noted {
    const noted = note(record, { purpose, host, countable })
    if (!refused) return noted
    noted.end("refused")
    throw refused
  }

  return {
    refusal,
    programRefusal: () => refusalOfProgram(localOnly()),

    async fetch(address, { purpose, ...request }) {
      const url = new URL(address)
      if (!isLoopbackHost(url.hostname))
        return send(url, request, begin(purpose, url.host, refusal(url), true))
      const { agent, ...own } = request
      const { fetch } = await import("undici")
      return fetch(url, { ...own, redirect: "manual", dispatcher: agent ?? (await usual.get()) })
    },

    noteProgram: (name) => begin("program", name, refusalOfProgram(localOnly()), false),
    noteForeign(purpose, address) {
      const { host, hostname } = new URL(address)
      return isLoopbackHost(hostname) ? nothing : begin(purpose, host, refusal(address), false)
    },

    cutOff() {
      for (const [cut, url] of running) {
        const reason = refusal(url)
        if (reason) cut.abort(reason)
      }
    },

    [Symbol.asyncDispose]: () => usual[Symbol.asyncDispose](),
  }
}

const nothing: Noted = { sent: () => undefined, received: () => undefined, end: () => undefined }

/** A name that means this computer is connected to this computer or not at all: it isn't recorded, and local-only allows it. */
async function openAgent(): Promise<Dispatcher> {
  const { Agent, buildConnector } = await import("undici")
  const connectTo = buildConnector({ timeout: connectMs })
  const connect: buildConnector.connector = (options, callback) =>
    connectTo(options, (error, socket) => {
      if (error) callback(error, null)
      else if (isLoopbackHost(options.hostname) && !isLoopbackAddress(socket.remoteAddress ?? "")) {
        socket.destroy()
        callback(new Error(`${options.hostname} isn't this computer.`), null)
      } else callback(null, socket)
    })
  return new Agent({ connect, keepAliveTimeout: 1000, keepAliveMaxTimeout: 1000 })
}
