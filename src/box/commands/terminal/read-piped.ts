import { TerminalError } from "../../core/terminal-error.ts"

/** Maximum size of piped input. */
const maxBytes = 16_000_000

/** Returns all piped input as text. Throws the reason of `stopped`, and `validation` if the input isn't text or is too large. */
export async function readPiped(stopped: AbortSignal): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  const end = () => process.stdin.destroy(stopped.reason as Error)
  stopped.addEventListener("abort", end, { once: true })
  try {
    for await (const part of process.stdin) {
      bytes += (part as Buffer).length
      if (bytes > maxBytes)
        throw new TerminalError(
          "validation",
          "That is too much for a question. Upload it to a folder, then ask about it.",
        )
      parts.push(part as Buffer)
    }
  } finally {
    stopped.removeEventListener("abort", end)
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts))
  } catch {
    throw new TerminalError(
      "validation",
      "What is piped in isn't text (UTF-8). Upload documents to a folder, then ask about it.",
    )
  }
}
