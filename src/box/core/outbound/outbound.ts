import type { buildConnector, Dispatcher, RequestInit, Response } from "undici"
import type { AppError } from "../../../shared/contract/errors.ts"
import type { EgressPurpose } from "../../../shared/contract/privacy.ts"
import { onDemand } from "../on-demand.ts"
import { eitherSignal } from "../waiting/abort.ts"
import { note, type Noted, type RecordConnection } from "./connection-record.ts"
import { countRequest } from "./counting-handler.ts"
import { explainRefusal, refusalOfProgram, type LocalOnly } from "./local-only.ts"
import { isLoopbackAddress, isLoopbackHost } from "./loopback.ts"

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
