import { t } from "i18next"

/** Notices of the box that always say the same, apart from counts. */
const notices = [
  "context_full",
  "embedding_unavailable",
  "index_rebuilding",
  "index_unavailable",
  "messages_left_out",
  "no_embedding_model",
  "no_model",
  "no_passages",
  "passages_left_out",
  "reranker_late",
  "reranker_unavailable",
  "tool_limit",
] as const

/** Errors whose code says it all. */
const errors = ["chat_busy", "disk_full", "no_model", "rate_limited"] as const

const isOneOf = <Code extends string>(codes: readonly Code[], code: string): code is Code =>
  (codes as readonly string[]).includes(code)

/** What the box remarks, in the page's language where the code alone tells what it is. */
export const noticeText = ({ code, message }: { code: string; message: string }): string =>
  isOneOf(notices, code) ? t(`common:notices.${code}`) : message

/** Why something failed, in the page's language where the code alone tells what it is. */
export const failureText = (code: string, message: string): string =>
  isOneOf(errors, code) ? t(`common:errors.${code}`) : message
