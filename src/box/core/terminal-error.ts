import { AppError, type ErrorCode } from "../../shared/contract/errors.ts"
import { Sentence } from "../../shared/sentences/sentence.ts"

/** What only whoever starts the box or a command reads, in a terminal: in English, with paths and flags. */
export class TerminalError extends AppError {
  constructor(code: ErrorCode, text: string, options: { cause?: unknown; details?: unknown } = {}) {
    super(code, Sentence.asIs(text), options)
  }
}
