import { styleText } from "node:util"
import { formatLocation } from "../format-location.ts"
import { plainText } from "../terminal/plain-text.ts"
import type { StatusLine } from "../terminal/status-line.ts"
import type { Answer } from "./ask.ts"

/** Prints an answer as it arrives. */
export function createPrinter(prints: boolean) {
  let last = "\n"
  const write = (text: string) => {
    const plain = plainText(text)
    if (plain === "" || !prints) return
    last = plain
    process.stdout.write(plain)
  }
  const breakOff = () => {
    if (!last.endsWith("\n")) write("\n")
  }
  return {
    write,
    breakOff,
    end({ citations, found, finishReason }: Answer, statusLine: StatusLine): void {
      breakOff()
      if (citations.length > 0) write("\n")
      for (const source of citations) {
        const line = `[${source.citation}] ${formatLocation(source)}`
        process.stdout.write(`${styleText("dim", line, { stream: process.stdout })}\n`)
      }
      if (citations.length === 0 && found > 0)
        statusLine.say(`Passages that were found: ${found}. The answer cites none of them.`)
      if (finishReason === "length")
        statusLine.say("The answer was cut: it reached the most that an answer may have.")
    },
  }
}
