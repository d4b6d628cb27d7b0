import { t } from "i18next"
import { endpoints } from "virtual:endpoints"
import { createCalls, unchecked, type Client, type ClientOptions } from "../../shared/client/calls.ts"
import { AppError } from "../../shared/contract/app-error.ts"
import { routes } from "./places/routes.ts"
import { sessionHeaders } from "./browser/session-secret.ts"
import { inPageLanguage } from "./words/sentence.ts"

/** The box this page came from. The session cookie travels by itself, and opens nothing without the secret. */
export const box = createBox()

/** Another client of the same box, which sends in its own way. */
export function createBox(send?: ClientOptions["fetch"]): Client {
  const options = { baseUrl: "", headers: sessionHeaders, ...(send && { fetch: send }) }
  return createCalls(endpoints, options, unchecked)
}

export const boxAddress = (): string => window.location.origin

/** The sentence to show for a failure of any kind. */
export function describeError(error: unknown): string {
  if (!(error instanceof AppError)) return t("common:pageFailed")
  if (isOutOfReach(error)) return t("common:unreachable")
  return isLocalOnly(error)
    ? t("common:localOnly")
    : inPageLanguage(error.message, error.sentence.field.sentence)
}

/** The client made this error itself: no answer came that could have said more. */
const isOutOfReach = (error: AppError): boolean => error.code === "unavailable" && error.cause !== undefined

/** Local-only refused it, and the box says where that is switched. */
const isLocalOnly = ({ details }: AppError): boolean =>
  typeof details === "object" && details !== null && "action" in details && details.action === routes.privacy

export const hasCode = (error: unknown, code: AppError["code"]): boolean =>
  error instanceof AppError && error.code === code
