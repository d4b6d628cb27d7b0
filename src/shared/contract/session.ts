/**
 * How the app's page proves that it is the page that signed in. Its cookie reaches every port of the computer, so it opens
 * nothing without the secret, which the browser keeps for exactly one origin.
 */
export const sessionSecretHeader = "x-session-secret"

/** Address of the WebSocket (decisions.md 11). */
export const socketPath = "/api/public/ws"

/** What the box answers to a WebSocket. */
export const socketProtocol = "casella"

const secretPrefix = "casella.secret."

/** Subprotocols that a page asks for: it can't give a WebSocket headers. The box never answers the one with the secret. */
export const socketProtocols = (secret: string | null): string[] =>
  secret === null ? [socketProtocol] : [socketProtocol, secretPrefix + secret]

/** The secrets among the subprotocols of a request, as they stand in its header. */
export const secretsIn = (protocols: string): string[] =>
  protocols
    .split(",")
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol.startsWith(secretPrefix))
    .map((protocol) => protocol.slice(secretPrefix.length))

/** Name of the parameter that lets the browser itself download something, once. */
export const downloadTicket = "ticket"
