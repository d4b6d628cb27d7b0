import { AppError, type ErrorCode } from "../../shared/contract/errors.ts"
import { Sentence } from "../../shared/sentences/sentence.ts"

/** An error that only the user who starts the box or a command reads, in a terminal. It is in English, with paths and flags. */
export class TerminalError extends AppError {
  constructor(code: ErrorCode, text: string, options: { cause?: unknown; details?: unknown } = {}) {
    super(code, Sentence.asIs(text), options)
  }
}
