import { createClient } from "../../shared/client/http-client.ts"
import { AppError } from "../../shared/contract/errors.ts"

/** The box this page came from. The session cookie travels by itself. */
export const box = createClient({ baseUrl: "" })

export const boxAddress = (): string => window.location.origin

/** The sentence to show for a failure of any kind. */
export function describeError(error: unknown): string {
  return error instanceof AppError
    ? error.message
    : "Something went wrong in this page. Reload it and try again."
}

export const hasCode = (error: unknown, code: AppError["code"]): boolean =>
  error instanceof AppError && error.code === code
