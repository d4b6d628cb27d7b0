import type { Logger } from "../../core/logging/logger.ts"

const longestLine = 300

/**
 * Logs what the native libraries of a model process print. Only the first line of each piece: it has the reason, and
 * what follows may be somebody's text.
 */
export function logOutput(logger: Logger): (text: string) => void {
  return (text) => {
    const line = text.trimStart().split("\n", 1)[0]?.trimEnd() ?? ""
    if (line !== "")
      logger.warn({ output: line.slice(0, longestLine) }, "The model process printed something")
  }
}
