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
const outsideRequests = <T>(task: () => T): T => ids.exit(task)

export const currentRequestId = (): string | undefined => ids.getStore()

/** The user and the work that a connection is made for, as far as known. */
export interface Cause {
  /** Null: the box itself. */
  userId: string | null
  chatId: string | null
  assistantId: string | null
  /** Name of the tool that a model called. */
  tool: string | null
}

const noCause: Cause = { userId: null, chatId: null, assistantId: null, tool: null }
const causes = new AsyncLocalStorage<Cause>()

/** Runs a task and attributes its connections to this cause; fields that aren't given are inherited. */
export const onBehalfOf = <T>(cause: Partial<Cause>, task: () => T): T =>
  causes.run({ ...currentCause(), ...cause }, task)

/** Runs background work that belongs to no user, whatever started it. */
export const runInBackground = <T>(task: () => T): T => outsideRequests(() => causes.run(noCause, task))

export const currentCause = (): Cause => causes.getStore() ?? noCause
