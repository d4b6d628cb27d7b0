import { maxBlockCharacters } from "../parser.ts"
import { cutPoint } from "./split-text.ts"

export interface Line {
  text: string
  /** From 1. */
  number: number
  /** The line is too long for one piece: the next piece goes on with it. */
  continues: boolean
}

/**
 * Lines of a text, a batch for each chunk. Lines end in CR LF, LF or CR. A line longer than a block comes in
 * pieces, so that a file without any line end takes no more memory than another.
 */
export async function* readLines(
  chunks: AsyncIterable<string>,
): AsyncGenerator<readonly Line[], void, undefined> {
  let rest = ""
  let number = 1
  for await (const chunk of chunks) {
    const text = rest + chunk
    const lines: Line[] = []
    // a CR at the very end may be half of a CR LF
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

/** Pushes full pieces of a long line and returns what is left of it. */
function pushPieces(lines: Line[], line: string, number: number): string {
  let rest = line
  while (rest.length > maxBlockCharacters) {
    const cut = cutPoint(rest, maxBlockCharacters)
    lines.push({ text: rest.slice(0, cut), number, continues: true })
    rest = rest.slice(cut)
  }
  return rest
}
