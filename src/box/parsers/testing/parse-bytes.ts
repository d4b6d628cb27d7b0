import { reasonText } from "../../../shared/contract/file-reasons.ts"
import type { PageArea } from "../../../shared/contract/location.ts"
import { detectType } from "../document/detect-type.ts"
import { createMemoryFile } from "../document/document-file.ts"
import { createParseContext } from "../document/document-blocks.ts"
import { skipped, type TextRecognizer, type Block, type OpenedInput, type Parser } from "../parser.ts"

export interface Parsed {
  /** Blocks without their areas. */
  blocks: Block[]
  areas: (PageArea | undefined)[]
  notes: string[]
  /** The text of all blocks, separated by line breaks. */
  text: string
}

/** Runs one of the project's parsers on these bytes, in this process. */
export async function parseBytes(
  parser: Parser,
  bytes: string | Uint8Array,
  name = "document",
  ocr?: TextRecognizer,
  password?: string,
): Promise<Parsed> {
  const blocks: Block[] = []
  const areas: Parsed["areas"] = []
  const notes: string[] = []
  const locked = password === undefined ? {} : { password }
  const context = createParseContext({
    parserFor,
    note: (note) => notes.push(reasonText(note)),
    ...(ocr && { ocr }),
    ...locked,
  })
  const file = createMemoryFile(typeof bytes === "string" ? Buffer.from(bytes) : bytes)
  for await (const block of parser.parse({ file, name, ...locked }, context)) {
    const { area, ...rest } = block
    blocks.push(rest)
    areas.push(area)
  }
  return { blocks, areas, notes, text: blocks.map(({ text }) => text).join("\n") }
}

async function parserFor({ file, name }: OpenedInput): Promise<Parser> {
  const detection = await detectType(file, name)
  if ("format" in detection && detection.format.load) return detection.format.load()
  throw skipped("type_unread", { name })
}
