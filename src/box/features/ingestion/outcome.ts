import { AppError } from "../../../shared/contract/errors.ts"
import { OcrNeeded } from "../../parsers/ocr/text-recognizer.ts"
import { ParseFailure } from "../../parsers/parser.ts"

/** What an error means for the file it happened with. */
export type ErrorOutcome =
  /** Final, with the reason for a person. */
  | { kind: "end"; status: "failed" | "skipped"; message: string }
  /** Not the file's fault: it waits in the queue until there is room. */
  | { kind: "disk-full" }
  /** It holds pictures of text, and waits with others of its kind. */
  | { kind: "ocr" }
  /** The work was called off. */
  | { kind: "put-back" }
  /** A fault of ours, perhaps a passing one: tried again a few times. */
  | { kind: "fault"; message: string }

const noRoom = new Set(["disk_full", "ENOSPC", "EDQUOT", "SQLITE_FULL"])
const gone = new Set(["not_found", "ENOENT", "ENOTDIR"])

export function outcomeOf(error: unknown, closing: boolean): ErrorOutcome {
  if (closing || typeof error === "symbol") return { kind: "put-back" }
  if (error instanceof OcrNeeded) return { kind: "ocr" }
  if (error instanceof ParseFailure) return { kind: "end", status: error.outcome, message: error.message }
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code === "string" && noRoom.has(code)) return { kind: "disk-full" }
  if (typeof code === "string" && gone.has(code)) {
    return { kind: "end", status: "failed", message: "The file isn't in the folder any more." }
  }
  if (code === "EACCES" || code === "EPERM") {
    return {
      kind: "end",
      status: "failed",
      message: "The box isn't allowed to read this file. Check its permissions.",
    }
  }
  const message =
    error instanceof AppError ? error.message : "Something went wrong in the box. The log says more."
  return { kind: "fault", message }
}
