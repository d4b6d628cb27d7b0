import { AsyncLocalStorage } from "node:async_hooks"
import { randomUUID } from "node:crypto"

/** The header of a request that names it, and of its answer. */
export const requestIdHeader = "x-request-id"

const ids = new AsyncLocalStorage<string>()

/** The id that a caller gave a request, if it is one: nothing else of theirs comes into a log. */
export const requestIdOf = (given: string | string[] | undefined): string =>
  typeof given === "string" && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : randomUUID()

/** Serves a request: log lines that are written meanwhile, also by what it began, name it. */
export const inRequest = <T>(id: string, serve: () => T): T => ids.run(id, serve)

/** Does what goes on for nobody's request, however it was woken. */
export const outsideRequests = <T>(task: () => T): T => ids.exit(task)

export const currentRequestId = (): string | undefined => ids.getStore()
