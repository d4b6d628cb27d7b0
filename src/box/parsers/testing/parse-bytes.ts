import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { reasonText } from "../../../shared/contract/file-reasons.ts"
import type { PageArea } from "../../../shared/contract/page-area.ts"
import { detectType } from "../detect-type.ts"
import { createParseContext } from "../embedded-documents.ts"
import { skipped } from "../parser.ts"
import type { TextRecognizer } from "../ocr/text-recognizer.ts"
import type { Block, Parser, ParserInput } from "../parser.ts"

export interface Parsed {
  /** Without their areas. */
  blocks: Block[]
  areas: (PageArea | undefined)[]
  notes: string[]
  /** All texts, one below the other. */
  text: string
}

/** Runs a parser of the project over these bytes, in this process. */
export async function parseBytes(
  parser: Parser,
  bytes: string | Uint8Array,
  name = "document",
  ocr?: TextRecognizer,
): Promise<Parsed> {
  const directory = await mkdtemp(join(tmpdir(), "parse-"))
  try {
    const path = join(directory, "document")
    await writeFile(path, bytes)
    const blocks: Block[] = []
    const areas: Parsed["areas"] = []
    const notes: string[] = []
    const context = createParseContext({
      scratchDirectory: directory,
      parserFor,
      note: (note) => notes.push(reasonText(note)),
      ...(ocr && { ocr }),
    })
    for await (const block of parser.parse({ path, name }, context)) {
      const { area, ...rest } = block
      blocks.push(rest)
      areas.push(area)
    }
    return { blocks, areas, notes, text: blocks.map(({ text }) => text).join("\n") }
  } finally {
    await rm(directory, { recursive: true })
  }
}

async function parserFor({ path, name }: ParserInput): Promise<Parser> {
  const detection = await detectType(path, name)
  if ("format" in detection && detection.format.load) return detection.format.load()
  throw skipped("type_unread", { name })
}
