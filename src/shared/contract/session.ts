/**
 * The header with which a page proves that it is the page that signed in. The session cookie is sent to every port of the computer, so it
 * is useless without the secret, which the browser keeps for exactly one origin.
 */
export const sessionSecretHeader = "x-session-secret"

/** Path of the WebSocket. */
export const socketPath = "/api/public/ws"

/** The subprotocol that the box accepts for a WebSocket. */
export const socketProtocol = "casella"

const secretPrefix = "casella.secret."

/** Subprotocols that a page requests, because it can't set headers for a WebSocket. The box never returns the one with the secret. */
export const socketProtocols = (secret: string | null): string[] =>
  secret === null ? [socketProtocol] : [socketProtocol, secretPrefix + secret]

/** Returns the secrets among the subprotocols in a request's header. */
export const secretsIn = (protocols: string): string[] =>
  protocols
    .split(",")
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol.startsWith(secretPrefix))
    .map((protocol) => protocol.slice(secretPrefix.length))

/** Name of the query parameter that authorises a single download by the browser itself. */
export const downloadTicket = "ticket"
