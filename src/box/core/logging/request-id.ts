import { AsyncLocalStorage } from "node:async_hooks"
import { randomUUID } from "node:crypto"

/** Header with the ID of a request, in the request and its response. */
export const requestIdHeader = "x-request-id"

const ids = new AsyncLocalStorage<string>()

/** Returns the caller's ID for a request if it is valid; no other text from the caller is written to a log. */
export const getRequestId = (given: string | string[] | undefined): string =>
  typeof given === "string" && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : randomUUID()

/** Serves a request. Log lines that are written during it, or by work that it starts, include its ID. */
export const withRequestId = <T>(id: string, serve: () => T): T => ids.run(id, serve)

/** Runs work that belongs to no request, whatever started it. */
export const outsideRequests = <T>(task: () => T): T => ids.exit(task)

export const currentRequestId = (): string | undefined => ids.getStore()
