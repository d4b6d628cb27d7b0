import type { IncomingMessage } from "node:http"
import type { Authenticate } from "./authenticate.ts"
import type { Demand } from "../../shared/contract/endpoint.ts"
import { requireDemand, type Caller } from "./caller.ts"

/** Admits a request or throws: finds its caller, counts the request, and checks the required rights. */
export type Admit = (request: IncomingMessage, demand: Demand) => Promise<Caller>

/** Requests that are refused later are counted too, so that guessing is slow. */
export function createAdmit(
  authenticate: Authenticate,
  countRequest: (subject: string, perMinute: number | null) => Promise<void>,
): Admit {
  return async (request, demand) => {
    const caller = await authenticate(request)
    const subject = caller.key === null ? `user:${caller.userId}` : `key:${caller.key.id}`
    await countRequest(subject, caller.requestsPerMinute)
    requireDemand(caller, demand)
    return caller
  }
}
