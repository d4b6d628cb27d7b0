import type { FileBlock } from "../../../shared/contract/files.ts"
import type { Block } from "../../parsers/parser.ts"

const lineKinds = new Set<Block["kind"]>(["table-header", "table-row", "code"])

/** A document as text: paragraphs separated by an empty line, table rows and code line by line. */
export async function* blocksAsText(pieces: AsyncIterable<Block[]>): AsyncGenerator<string> {
  let previous: Block["kind"] | undefined
  for await (const blocks of pieces) {
    let text = ""
    for (const { kind, text: own } of blocks) {
      if (previous) text += lineKinds.has(kind) && lineKinds.has(previous) ? "\n" : "\n\n"
      text += own
      previous = kind
    }
    yield text
  }
}

/** `{"blocks":[{"kind","text","location"}]}`, written piece by piece. */
export async function* blocksAsJson(pieces: AsyncIterable<Block[]>): AsyncGenerator<string> {
  yield '{"blocks":['
  let first = true
  for await (const blocks of pieces) {
    let json = ""
    for (const { kind, text, location, area } of blocks) {
      json += `${first ? "" : ","}${JSON.stringify({ kind, text, location, ...(area && { area }) } satisfies FileBlock)}`
      first = false
    }
    yield json
  }
  yield "]}"
}
