import { maxBlockCharacters } from "../parser.ts"
import { cutPoint } from "./split-text.ts"

export interface Line {
  text: string
  /** Counted from 1. */
  number: number
  /** Whether the line is too long for one piece and continues in the next. */
  continues: boolean
}

/**
 * Yields the lines of a text, in a batch for each chunk. Lines end in CR LF, LF or CR. A line longer than a block is split into pieces, so
 * that a file without line ends needs no more memory than another.
 */
export async function* readLines(
  chunks: AsyncIterable<string>,
): AsyncGenerator<readonly Line[], void, undefined> {
  let rest = ""
  let number = 1
  for await (const chunk of chunks) {
    const text = rest + chunk
    const lines: Line[] = []
    // A CR at the very end may be half of a CR LF.
    const complete = splitLines(text.endsWith("\r") ? text.slice(0, -1) : text)
    rest = complete.pop() ?? ""
    for (const line of complete) {
      lines.push({ text: pushPieces(lines, line, number), number, continues: false })
      number++
    }
    rest = pushPieces(lines, rest, number)
    if (text.endsWith("\r")) rest += "\r"
    yield lines
  }
  if (rest !== "") yield [{ text: rest.endsWith("\r") ? rest.slice(0, -1) : rest, number, continues: false }]
}

function splitLines(text: string): string[] {
  return text.includes("\r") ? text.split(/\r\n|\r|\n/) : text.split("\n")
}

/** Adds full pieces of a long line and returns the rest. */
function pushPieces(lines: Line[], line: string, number: number): string {
  let rest = line
  while (rest.length > maxBlockCharacters) {
    const cut = cutPoint(rest, maxBlockCharacters)
    lines.push({ text: rest.slice(0, cut), number, continues: true })
    rest = rest.slice(cut)
  }
  return rest
}
