import { lockedReasons } from "../../../shared/contract/locked-reasons.ts"
import { failure, ParseFailure } from "../parser.ts"

/**
 * Replaces a failure that asks for a password with `encrypted` where no one can enter one: for a document inside another, or a workbook
 * whose tables are created.
 */
export function disablePasswordPrompt(error: unknown): unknown {
  const isLocked = error instanceof ParseFailure && lockedReasons.has(error.reason.code)
  return isLocked ? failure("encrypted") : error
}
