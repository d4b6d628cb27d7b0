import type { Logger } from "../../core/logging/logger.ts"

const maxLineLength = 300

/**
 * Logs the output of a model process's native libraries. Only the first line of each chunk is logged: it has the reason, and later lines
 * may contain a user's text.
 */
export function logOutput(logger: Logger): (text: string) => void {
  return (text) => {
    const line = text.trimStart().split("\n", 1)[0]?.trimEnd() ?? ""
    if (line !== "") logger.warn({ output: line.slice(0, maxLineLength) }, "The model process wrote output")
  }
}
