import type { Transport } from "@modelcontextprotocol/client"

/** Maximum messages from a server between two of our requests. */
const maxUnasked = 1000

/** Ends a connection whose server sends messages endlessly. Call this before the connection is opened. */
export function limitMessages(transport: Transport, end: () => void): void {
  let unasked = 0
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    if ("method" in message && "id" in message) unasked = 0
    return send(message, options)
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's transport is no event target
  transport.onmessage = () => {
    unasked++
    if (unasked === maxUnasked) end()
  }
}
