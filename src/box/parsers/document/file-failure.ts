import { reason } from "../../../shared/contract/file-reasons.ts"
import { getTransientCause } from "./transient-cause.ts"
import { failure, ParseFailure } from "../parser.ts"

/** Converts an operating system error about a document into a failure for users; undefined for any other error. */
export function fileFailure(error: unknown): ParseFailure | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  if (code === "ENOENT" || code === "ELOOP" || code === "ENOTDIR") return failure("gone")
  if (code === "EACCES" || code === "EPERM") return failure("not_allowed")
  if (code === "EISDIR") return failure("is_directory")
  const transientCause = getTransientCause(error)
  return (
    transientCause &&
    new ParseFailure(
      reason(transientCause === "locked" ? "in_use" : "device_failed"),
      "failed",
      transientCause,
    )
  )
}
