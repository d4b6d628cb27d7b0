import { lockedReasons } from "../../../shared/contract/locked-reasons.ts"
import { failure, ParseFailure } from "../parser.ts"

/** The same failure, where nobody can tell a password: of a document inside another one, or of a workbook that tables are made of. */
export function withoutPassword(error: unknown): unknown {
  const isLocked = error instanceof ParseFailure && lockedReasons.has(error.reason.code)
  return isLocked ? failure("encrypted") : error
}
