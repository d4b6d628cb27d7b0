import { t } from "i18next"
import { createClient } from "../../shared/client/http-client.ts"
import { AppError } from "../../shared/contract/errors.ts"
import type { FileReason } from "../../shared/contract/files.ts"
import { sentenceOf } from "./words/file-reason.ts"
import { routes } from "./places/routes.ts"
import { sessionHeaders } from "./browser/session-secret.ts"
import { failureText } from "./words/box-words.ts"
import { inPageLanguage } from "./words/sentence.ts"

/** The box this page came from. The session cookie travels by itself, and opens nothing without the secret. */
export const box = createClient({ baseUrl: "", headers: sessionHeaders })

export const boxAddress = (): string => window.location.origin

/** The sentence to show for a failure of any kind. */
export function describeError(error: unknown): string {
  if (!(error instanceof AppError)) return t("common:pageFailed")
  if (isOutOfReach(error)) return t("common:unreachable")
  const refusal = refusalOf(error)
  if (refusal !== undefined) return refusal
  if (isLocalOnly(error)) return t("common:localOnly")
  const { sentence } = error.sentence.field
  return sentence ? inPageLanguage(error.message, sentence) : failureText(error.code, error.message)
}

/** The client made this error itself: no answer came that could have said more. */
const isOutOfReach = (error: AppError): boolean => error.code === "unavailable" && error.cause !== undefined

/** Local-only refused it, and the box says where that is switched. */
const isLocalOnly = ({ details }: AppError): boolean =>
  typeof details === "object" && details !== null && "action" in details && details.action === routes.privacy

/** Why a file can't be taken, if that is what it is about. */
function refusalOf({ details }: AppError): string | undefined {
  const told = typeof details === "object" && details !== null && "reason" in details ? details.reason : null
  return typeof told === "object" && told !== null && "code" in told
    ? sentenceOf(told as FileReason)
    : undefined
}

export const hasCode = (error: unknown, code: AppError["code"]): boolean =>
  error instanceof AppError && error.code === code
