import { TerminalError } from "../core/terminal-error.ts"

/** The command line is wrong, and nothing was changed. */
export class UsageError extends TerminalError {
  constructor(text: string) {
    super("validation", text)
  }
}
