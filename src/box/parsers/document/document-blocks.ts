import { createParseContext, type ParseContextOptions } from "./embedded-documents.ts"
import type { Block, OpenedInput } from "../parser.ts"

/** Yields the blocks of a document, or of one requested scan anywhere in the file. */
export async function* documentBlocks(
  input: OpenedInput,
  options: Omit<ParseContextOptions, "scan" | "password" | "onWanted">,
): AsyncGenerator<Block, void, undefined> {
  const parser = await options.parserFor(input)
  const { scan, password } = input
  const fileOptions = { ...(scan && { scan }), ...(password !== undefined && { password }) }
  if (!scan?.inside) {
    yield* parser.parse(input, createParseContext({ ...options, ...fileOptions }))
    return
  }
  const wanted: { state: "ahead" | "begun" | "ended"; failure?: unknown } = { state: "ahead" }
  const onWanted: ParseContextOptions["onWanted"] = (state, failure) =>
    Object.assign(wanted, { state, failure })
  // The text of the surrounding documents was read earlier.
  for await (const block of parser.parse(
    input,
    createParseContext({ ...options, ...fileOptions, onWanted }),
  )) {
    if (wanted.state === "begun") yield block
    if (wanted.state === "ended") break
  }
  // Parsing a message continues after an attachment fails.
  if (wanted.failure !== undefined) throw wanted.failure
}
