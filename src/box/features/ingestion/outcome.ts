import { AppError } from "../../../shared/contract/errors.ts"
import { obstacleOf, type Obstacle } from "../../parsers/obstacle.ts"
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
  /** It may pass: tried again up to so many times, each time after a longer wait. */
  | { kind: "later"; attempts: number; note: string; message: string }

const noRoom = new Set(["disk_full", "ENOSPC", "EDQUOT", "SQLITE_FULL"])
const gone = new Set(["not_found", "ENOENT", "ENOTDIR"])

const later: Record<Obstacle | "fault", { kind: "later"; attempts: number; note: string }> = {
  locked: {
    kind: "later",
    attempts: Infinity,
    note: "Another program is using this file. It is read once that program has let go of it.",
  },
  device: {
    kind: "later",
    attempts: 6,
    note: "The disk that holds this file can't be read at the moment. It is tried again.",
  },
  fault: { kind: "later", attempts: 3, note: "Reading this file didn't work out. It is tried again." },
}

export function outcomeOf(error: unknown, closing: boolean): ErrorOutcome {
  if (closing || typeof error === "symbol") return { kind: "put-back" }
  if (error instanceof OcrNeeded) return { kind: "ocr" }
  if (error instanceof ParseFailure) {
    const { obstacle, outcome, message } = error
    return obstacle ? { ...later[obstacle], message } : { kind: "end", status: outcome, message }
  }
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
  const obstacle = obstacleOf(error)
  if (obstacle) return { ...later[obstacle], message: "The disk that holds the file could not be read." }
  const message =
    error instanceof AppError ? error.message : "Something went wrong in the box. The log says more."
  return { ...later.fault, message }
}
