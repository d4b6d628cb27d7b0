import { reason } from "../../../shared/contract/file-reasons.ts"
import { transientCauseOf } from "./transient-cause.ts"
import { failure, ParseFailure } from "../parser.ts"

/** What an error of the operating system says of a document, for a person; undefined for any other error. */
export function fileFailure(error: unknown): ParseFailure | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  if (code === "ENOENT" || code === "ELOOP" || code === "ENOTDIR") return failure("gone")
  if (code === "EACCES" || code === "EPERM") return failure("not_allowed")
  if (code === "EISDIR") return failure("is_directory")
  const transientCause = transientCauseOf(error)
  return (
    transientCause &&
    new ParseFailure(
      reason(transientCause === "locked" ? "in_use" : "device_failed"),
      "failed",
      transientCause,
    )
  )
}
