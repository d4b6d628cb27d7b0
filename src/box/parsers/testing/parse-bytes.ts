import { reasonText } from "../../../shared/contract/file-reasons.ts"
import type { PageArea } from "../../../shared/contract/location.ts"
import { detectType } from "../document/detect-type.ts"
import { createParseContext } from "../document/document-blocks.ts"
import { PropertyCollector } from "../document/document-properties.ts"
import { createMemoryFile } from "../document/document-file.ts"
import { NoteGroups } from "../document/left-out-parts.ts"
import {
  skipped,
  type Correspondent,
  type TextRecognizer,
  type Block,
  type OpenedInput,
  type Parser,
} from "../parser.ts"

export interface Parsed {
  /** Blocks without their areas. */
  blocks: Block[]
  areas: (PageArea | undefined)[]
  notes: string[]
  date: Date | undefined
  people: Correspondent[]
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
  marksHidden = false,
): Promise<Parsed> {
  const blocks: Block[] = []
  const areas: Parsed["areas"] = []
  const notes: string[] = []
  const groups = new NoteGroups((note) => notes.push(reasonText(note)))
  const properties = new PropertyCollector()
  const locked = password === undefined ? {} : { password }
  const context = createParseContext({
    parserFor,
    note: (note) => groups.add(note),
    describe: properties.add,
    ...(ocr && { ocr }),
    ...locked,
    marksHidden,
  })
  const file = createMemoryFile(typeof bytes === "string" ? Buffer.from(bytes) : bytes)
  for await (const block of parser.parse({ file, name, ...locked }, context)) {
    const { area, ...rest } = block
    blocks.push(rest)
    areas.push(area)
  }
  groups.finish()
  const { date, people } = properties
  return { blocks, areas, notes, date, people, text: blocks.map(({ text }) => text).join("\n") }
}

async function parserFor({ file, name }: OpenedInput): Promise<Parser> {
  const detection = await detectType(file, name)
  if ("format" in detection && detection.format.load) return detection.format.load()
  throw skipped("type_unread", { name })
}

/** Returns a generator of the same numbers in every run, so that failures are reproducible. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Changes some bytes, and cuts, repeats or removes a section. */
export function mutate(bytes: Buffer, random: (below: number) => number): Buffer {
  const mutant = Buffer.from(bytes)
  for (let change = random(8); change >= 0; change--) mutant[random(mutant.length)] = random(256)
  const from = random(mutant.length)
  const to = from + random(40)
  const kind = random(4)
  if (kind === 0) return mutant.subarray(0, from)
  if (kind === 1) return Buffer.concat([mutant.subarray(0, to), mutant.subarray(from)])
  if (kind === 2) return Buffer.concat([mutant.subarray(0, from), mutant.subarray(to)])
  return mutant
}
