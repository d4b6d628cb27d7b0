import type { Location } from "../../shared/contract/location.ts"

/** One structural piece of a document, in reading order. */
export interface Block {
  kind: "heading" | "paragraph" | "table-header" | "table-row" | "code"
  text: string
  location: Location
}

export interface ParserInput {
  /** Absolute path of the file to read. */
  path: string
  /** Display name; its extension is the second hint about the type, after the content. */
  name: string
  size: number
}

export interface Parser {
  name: string
  /** Lower-case extensions without the dot. */
  extensions: readonly string[]
  /** Yields the document's text; throws `ParseFailure` with a sentence for a person. */
  parse(input: ParserInput): AsyncIterable<Block>
}

/** A document that can't be read, with the reason a person can act on. */
export class ParseFailure extends Error {
  override readonly name = "ParseFailure"
}
