import { t } from "i18next"
import { endpoints } from "virtual:endpoints"
import { createCalls, unchecked, type Client, type ClientOptions } from "../../shared/client/calls.ts"
import { AppError } from "../../shared/contract/app-error.ts"
import { routes } from "./navigation/routes.ts"
import { sessionHeaders } from "./browser/sign-in-storage.ts"
import { toPageLanguage } from "./words/sentence.ts"

/** The box that served this page. The browser sends the session cookie by itself, but it is useless without the secret. */
export const box = createBox()

/** Creates another client of the same box, with its own way of sending. */
export function createBox(send?: ClientOptions["fetch"]): Client {
  const options = { baseUrl: "", headers: sessionHeaders, ...(send && { fetch: send }) }
  return createCalls(endpoints, options, unchecked)
}

export const boxAddress = (): string => window.location.origin

/** Returns the message to show for any kind of failure. */
export function describeError(error: unknown): string {
  if (!(error instanceof AppError)) return t("common:pageFailed")
  if (isOutOfReach(error)) return t("common:unreachable")
  return isLocalOnly(error)
    ? t("common:localOnly")
    : toPageLanguage(error.message, error.sentence.field.sentence)
}

/** The client created this error itself, because no response arrived. */
const isOutOfReach = (error: AppError): boolean => error.code === "unavailable" && error.cause !== undefined

/** Local-only mode refused it, and the box names the page with that switch. */
const isLocalOnly = ({ details }: AppError): boolean =>
  typeof details === "object" && details !== null && "action" in details && details.action === routes.privacy

export const hasCode = (error: unknown, code: AppError["code"]): boolean =>
  error instanceof AppError && error.code === code
