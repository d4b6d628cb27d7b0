import { ServiceError } from "../../shared/contract/service-errors.ts"
import type { Demand } from "../../shared/contract/endpoint.ts"
import type { KeyPermissions } from "../../shared/contract/cloud-account.ts"

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
export function requireDemand(caller: Caller, { action, staff = false, jwtOnly = false }: Demand): void {
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
