import type { ChatEvent } from "../../../../../shared/contract/chat.ts"
import { createNotice } from "../../../../../shared/sentences/sentences.ts"
import { yieldToEventLoop } from "../../../../core/waiting/yield-to-event-loop.ts"
import type { CitedNote, Sources } from "../combining/cited-notes.ts"
import type { CitedText } from "../combining/cite-lines.ts"
import type { PlacedBlock } from "../cut-parts.ts"
import { getName } from "../part-prompt.ts"
import { escapeMarkdown } from "../escape-markdown.ts"
import { describeLocation, type TableWords } from "./table-words.ts"

/** Limits of a table that people can still read and that is rendered as a whole. */
const most = { rows: 2_000, characters: 400_000 }
/** Maximum number of locations or documents named per row. */
const maxPlaces = 3

export type TableEvent = CitedText | Extract<ChatEvent, { type: "notice" }>

/** Writes all rows as one Markdown table, in order, without a model. The box fills in document and location itself. */
export async function* factTable(
  { columns, words, sources }: { columns: readonly string[]; words: TableWords; sources: Sources },
  notes: readonly CitedNote[],
): AsyncGenerator<TableEvent> {
  const rows = removeDuplicates(notes)
  if (rows.length === 0) return yield toDelta(words.nothing)
  yield toDelta(
    `${line([words.document, words.place, ...columns].map(escapeMarkdown))}${getRuler(columns.length + 2)}`,
  )
  const getBlock = createBlockFinder()
  let [written, characters] = [0, 0]
  for (const row of rows) {
    await yieldToEventLoop()
    if (written === most.rows || characters > most.characters) break
    const cells = [getDocument(row), formatLocations(row, words)].map(escapeMarkdown)
    for (const cell of row.cells ?? [row.text]) {
      const at = cell === "" ? undefined : getBlock(row.at, cell)
      const cited = at && (await sources.cite(at))
      if (cited?.source) yield { type: "source", ...cited.source }
      cells.push(`${escapeMarkdown(cell)}${cited ? ` [${cited.citation}]` : ""}`)
    }
    const text = line(cells)
    written++
    characters += text.length
    yield toDelta(text)
  }
  if (written < rows.length)
    yield { type: "notice", ...createNotice("table_cut", { count: rows.length - written }) }
}

const toDelta = (textDelta: string): CitedText => ({ type: "text-delta", textDelta })
const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`
const getRuler = (count: number) => `|${" --- |".repeat(count)}\n`

/** Removes rows that repeat another row of the same location or, if the location isn't known, of the same documents. */
function removeDuplicates(rows: readonly CitedNote[]): CitedNote[] {
  const unique = new Map<string, CitedNote>()
  for (const row of rows) {
    const places = row.at.map(({ document, index }) => [document.file.id, index])
    const from = (row.from ?? []).map(({ file }) => file.id)
    const key = JSON.stringify([places, from, row.cells ?? row.text])
    if (!unique.has(key)) unique.set(key, row)
  }
  return [...unique.values()]
}

/** Returns the document of a row or, if its location isn't known, all documents that it may come from. */
const getDocument = ({ at: [first], from = [] }: CitedNote): string =>
  (first ? [first.document] : from.slice(0, maxPlaces)).map(({ file }) => getName(file)).join("; ")

/** Returns the locations of a row in its document. */
function formatLocations({ at }: CitedNote, words: TableWords): string {
  const own = at.filter(({ document }) => document === at[0]?.document)
  const places = new Set(
    own.map(({ document, index, block }) =>
      describeLocation((document.blocks[index] ?? block).location, words),
    ),
  )
  return [...places]
    .filter((place) => place !== "")
    .slice(0, maxPlaces)
    .join("; ")
}

const folded = (text: string) => text.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim()

/**
 * Finds the block that contains a cell's text as whole words, otherwise one that contains it inside other words, otherwise the row's first
 * block.
 */
function createBlockFinder() {
  const known = new Map<PlacedBlock, string>()
  const getText = (placed: PlacedBlock) => {
    const text = known.get(placed) ?? folded(placed.block.text)
    known.set(placed, text)
    return text
  }
  return (at: readonly PlacedBlock[], cell: string): PlacedBlock | undefined => {
    const wanted = folded(cell)
    const holding = at.filter((placed) => getText(placed).includes(wanted))
    return holding.find((placed) => hasWords(getText(placed), wanted)) ?? holding[0] ?? at[0]
  }
}

/** Returns whether a text contains words as a whole and not only inside others: "2015" and "1.500" don't contain "5". */
function hasWords(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1)) {
    const end = at + words.length
    const isWithin =
      /[\p{L}\p{N}]$|\d[.,]$/u.test(text.slice(Math.max(0, at - 2), at)) ||
      /^(?:[\p{L}\p{N}]|[.,]\d)/u.test(text.slice(end, end + 2))
    if (!isWithin) return true
  }
  return false
}
