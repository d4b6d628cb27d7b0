import { reason } from "../../../shared/contract/file-reasons.ts"
import { obstacleOf } from "./obstacle.ts"
import { failure, ParseFailure } from "../parser.ts"

/** What an error of the operating system says of a document, for a person; undefined for any other error. */
export function fileFailure(error: unknown): ParseFailure | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  if (code === "ENOENT" || code === "ELOOP" || code === "ENOTDIR") return failure("gone")
  if (code === "EACCES" || code === "EPERM") return failure("not_allowed")
  if (code === "EISDIR") return failure("is_directory")
  const obstacle = obstacleOf(error)
  return (
    obstacle &&
    new ParseFailure(reason(obstacle === "locked" ? "in_use" : "device_failed"), "failed", obstacle)
  )
}
