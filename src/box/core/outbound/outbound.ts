import type { buildConnector, Dispatcher, RequestInit, Response } from "undici"
import type { AppError } from "../../../shared/contract/errors.ts"
import type { EgressPurpose } from "../../../shared/contract/privacy.ts"
import { onDemand } from "../on-demand.ts"
import { eitherSignal } from "../waiting/abort.ts"
import { note, type Noted, type RecordConnection } from "./connection-record.ts"
import { countRequest } from "./counting-handler.ts"
import { refusalOf, refusalOfProgram, type LocalOnly } from "./local-only.ts"
import { isLoopbackAddress, isLoopbackHost } from "./loopback.ts"

export interface OutboundOptions {
  localOnly(): LocalOnly
  /** Writes connections down; those to this computer itself are none. */
  record: RecordConnection
}

export interface OutboundRequest extends Omit<RequestInit, "dispatcher" | "redirect"> {
  purpose: EgressPurpose
  /** What connects, if it has rules of its own about addresses. */
  agent?: Dispatcher
}

/**
 * The only way from the box to other machines: a static test finds every other one. What it sends is written down, and
 * with local-only on nothing leaves.
 */
export interface Outbound extends AsyncDisposable {
  /** Why this address, or any other computer, can't be connected to now; null when it can. Looks up no name. */
  refusal(this: void, address?: string | URL): AppError | null
  /** Like `refusal`, for a program of somebody else's. */
  programRefusal(): AppError | null
  /** One request; redirects are answered, not followed. Throws the refusal, the signal's reason, or what `fetch` throws. */
  fetch(address: string | URL, request: OutboundRequest): Promise<Response>
  /** Writes down a program that may connect by itself. Throws the refusal, like the next one. */
  noteProgram(name: string): Noted
  /** Writes down a connection that something else makes. */
  noteForeign(purpose: EgressPurpose, address: string): Noted
  /** Ends every request that local-only forbids since it was switched on. */
  cutOff(): void
}

const connectMs = 10_000

export function createOutbound({ localOnly, record }: OutboundOptions): Outbound {
  const usual = onDemand(openAgent, (agent) => agent.destroy())
  const running = new Map<AbortController, URL>()

  const refusal = (address?: string | URL) =>
    refusalOf(localOnly(), address === undefined ? undefined : new URL(address))

  /** From the check that it may leave until it can be cut off nothing is waited for. */
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
      end("failed") // unless the connection itself has said it already
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

/** A name that means this computer is connected to here or nowhere: it isn't written down, and local-only lets it pass. */
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
