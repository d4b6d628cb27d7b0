/**
 * For a test's HTTP server, so that it doesn't close a connection that a client is about to use again. On a busy machine, a connection may
 * be idle between two requests for longer than Node's 5 s.
 */
export const keptAlive = { keepAliveTimeout: 65_000 }
