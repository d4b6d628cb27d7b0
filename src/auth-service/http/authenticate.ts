import type { IncomingMessage } from "node:http"
import type { KeyPermissions } from "../../shared/contract/cloud-account.ts"
import type { Demand } from "../../shared/contract/endpoint.ts"
import { ServiceError } from "../../shared/contract/service-errors.ts"

/** The owner of a credential. */
export interface Caller {
  userId: string
  email: string
  name: string
  staff: boolean
  /** Null means the default. */
  requestsPerMinute: number | null
  /** The cloud key as it was when it was read; null for a JWT. */
  key: { id: string; revision: number; permissions: KeyPermissions | null } | null
}

/** @throws ServiceError if the caller doesn't meet the demand. */
function requireDemand(caller: Caller, { action, staff = false, jwtOnly = false }: Demand): void {
  if (jwtOnly && caller.key !== null) {
    throw new ServiceError("UNAUTHORIZED", "Only a signed-in user may do this: send the JWT from sign-in.")
  }
  const permissions = caller.key?.permissions ?? null
  if (action !== undefined && permissions !== null && permissions["tickets"]?.includes(action) !== true) {
    throw new ServiceError("FORBIDDEN", `This key lacks the permission tickets.${action}.`)
  }
  if (staff && !caller.staff) {
    throw new ServiceError("FORBIDDEN", "Only support staff may read or change the queue.")
  }
}

type Authenticate = (request: IncomingMessage) => Promise<Caller>

/** Exceeds the length of any JWT or key of this service. */
const maxCredentialLength = 4096

/**
 * Finds the caller of a request. Accepts only one `Authorization: Bearer` with a cloud JWT or a cloud key: no `x-api-key`, no session token
 * and no credential of a box.
 */
export function createAuthenticate({
  verifyJwt,
  callerOfUser,
  callerOfKey,
}: {
  /** Returns the id of the user that a JWT of this service identifies; null if it is forged, expired or from another issuer. */
  verifyJwt(jwt: string): Promise<string | null>
  /** Returns the user with this id, unless blocked. */
  callerOfUser(userId: string): Promise<Caller | null>
  /** Returns the owner of an active cloud key, unless blocked. */
  callerOfKey(key: string): Promise<Caller | null>
}): Authenticate {
  return async (request) => {
    const credential = readBearer(request)
    let caller: Caller | null
    if (credential.split(".").length === 3) {
      const userId = await verifyJwt(credential)
      caller = userId === null ? null : await callerOfUser(userId)
    } else {
      caller = await callerOfKey(credential)
    }
    if (caller !== null) return caller
    throw new ServiceError(
      "UNAUTHORIZED",
      "The credential is invalid, expired or disabled, or its account isn't available.",
    )
  }
}

function readBearer(request: IncomingMessage): string {
  const headers = getValues(request, "authorization")
  const [, credential] = /^Bearer ([^\s,]+)$/i.exec(headers[0] ?? "") ?? []
  if (headers.length !== 1 || credential === undefined || credential.length > maxCredentialLength) {
    throw new ServiceError(
      "UNAUTHORIZED",
      "Send one header Authorization: Bearer with a cloud key, or with the JWT from sign-in.",
    )
  }
  if (/^boxe?_/.test(credential)) {
    throw new ServiceError(
      "UNAUTHORIZED",
      "This is an API key of Casella. Use a cloud key of this service instead.",
    )
  }
  return credential
}

/** All values of a header in the request; Node joins or drops repeated ones. */
export function getValues(request: IncomingMessage, name: string): string[] {
  const { rawHeaders } = request
  return rawHeaders.filter(
    (_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  )
}

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
