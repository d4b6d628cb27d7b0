import { socketPath } from "../contract/session.ts"
import type { SocketMessage } from "../contract/socket.ts"

export type SocketState = "connecting" | "open" | "closed"

export interface SocketClientOptions {
  /** Address of the box, such as `http://127.0.0.1:8484`. */
  baseUrl: string
  onMessage: (message: SocketMessage) => void
  /** `open` also means that anything that happened in the meantime must now be read over HTTP. */
  onState?: (state: SocketState) => void
  /** Creates the socket. The page's adds its secret; Node callers pass one that sends `x-api-key`. */
  open?: (url: string) => WebSocket
}

export interface SocketClient {
  /** Tries again immediately instead of after the pause. Does nothing while the socket is open or connecting. */
  reconnect(): void
  close(): void
}

const firstDelayMs = 250
const maxDelayMs = 10_000

/** Keeps a WebSocket to the box open, reconnecting with growing, jittered pauses until `close` is called. */
export function connectSocket(options: SocketClientOptions): SocketClient {
  const url = options.baseUrl.replace(/^http/, "ws") + socketPath
  const open = options.open ?? ((address: string) => new WebSocket(address))
  let socket: WebSocket | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let attempts = 0
  let closed = false

  function connect(): void {
    timer = undefined
    options.onState?.("connecting")
    const current = open(url)
    socket = current
    current.addEventListener("open", () => {
      attempts = 0
      options.onState?.("open")
    })
    current.addEventListener("message", (event: MessageEvent) => {
      const message = parseJson(String(event.data))
      if (isMessage(message)) options.onMessage(message)
    })
    // `close` follows, but without an error listener a failure in `ws` would end the Node program.
    current.addEventListener("error", () => undefined)
    current.addEventListener("close", () => {
      options.onState?.("closed")
      if (closed) return
      const delay = Math.min(maxDelayMs, firstDelayMs * 2 ** attempts++) * (0.5 + Math.random() / 2)
      timer = setTimeout(connect, delay)
    })
  }

  connect()
  return {
    reconnect() {
      if (timer === undefined) return
      clearTimeout(timer)
      connect()
    },
    close() {
      closed = true
      clearTimeout(timer)
      socket?.close()
    },
  }
}

/** Receivers ignore types that they don't know. */
const isMessage = (value: unknown): value is SocketMessage =>
  typeof value === "object" && value !== null && "type" in value

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not one of the box's messages: ignored like an unknown type
  }
}
