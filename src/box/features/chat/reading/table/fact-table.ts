import type { ChatEvent } from "../../../../../shared/contract/chat.ts"
import { noticeOf } from "../../../../../shared/sentences/sentences.ts"
import { breathe } from "../../../../core/waiting/breathe.ts"
import type { CitedNote, Sources } from "../combining/cited-notes.ts"
import type { CitedText } from "../combining/cite-lines.ts"
import type { PlacedBlock } from "../cut-parts.ts"
import { nameOf } from "../part-prompt.ts"
import { asWords } from "../as-words.ts"
import { placeInWords, type TableWords } from "./table-words.ts"

/** A table is for reading, and drawn as a whole. */
const most = { rows: 2_000, characters: 400_000 }
/** Places, or documents, of one row that are named. */
const mostPlaces = 3

export type TableEvent = CitedText | Extract<ChatEvent, { type: "notice" }>

/** All rows as one Markdown table, in their order, put together without a model: document and place are the box's own. */
export async function* factTable(
  { columns, words, sources }: { columns: readonly string[]; words: TableWords; sources: Sources },
  notes: readonly CitedNote[],
): AsyncGenerator<TableEvent> {
  const rows = onceEach(notes)
  if (rows.length === 0) return yield said(words.nothing)
  yield said(`${line([words.document, words.place, ...columns].map(asWords))}${rulerOf(columns.length + 2)}`)
  const blockOf = createBlockFinder()
  let [written, characters] = [0, 0]
  for (const row of rows) {
    await breathe()
    if (written === most.rows || characters > most.characters) break
    const cells = [documentOf(row), placesOf(row, words)].map(asWords)
    for (const cell of row.cells ?? [row.text]) {
      const at = cell === "" ? undefined : blockOf(row.at, cell)
      const cited = at && (await sources.cite(at))
      if (cited?.source) yield { type: "source", ...cited.source }
      cells.push(`${asWords(cell)}${cited ? ` [${cited.citation}]` : ""}`)
    }
    const text = line(cells)
    written++
    characters += text.length
    yield said(text)
  }
  if (written < rows.length)
    yield { type: "notice", ...noticeOf("table_cut", { count: rows.length - written }) }
}

const said = (textDelta: string): CitedText => ({ type: "text-delta", textDelta })
const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`
const rulerOf = (count: number) => `|${" --- |".repeat(count)}\n`

/** Without rows that repeat another one of the same place or, where that isn't known, of the same documents. */
function onceEach(rows: readonly CitedNote[]): CitedNote[] {
  const unique = new Map<string, CitedNote>()
  for (const row of rows) {
    const places = row.at.map(({ document, index }) => [document.file.id, index])
    const from = (row.from ?? []).map(({ file }) => file.id)
    const key = JSON.stringify([places, from, row.cells ?? row.text])
    if (!unique.has(key)) unique.set(key, row)
  }
  return [...unique.values()]
}

/** The document in which a row stands; without a place, all that it may stand in. */
const documentOf = ({ at: [first], from = [] }: CitedNote): string =>
  (first ? [first.document] : from.slice(0, mostPlaces)).map(({ file }) => nameOf(file)).join("; ")

/** Where in its document a row stands. */
function placesOf({ at }: CitedNote, words: TableWords): string {
  const own = at.filter(({ document }) => document === at[0]?.document)
  const places = new Set(
    own.map(({ document, index, block }) => placeInWords((document.blocks[index] ?? block).location, words)),
  )
  return [...places]
    .filter((place) => place !== "")
    .slice(0, mostPlaces)
    .join("; ")
}

const folded = (text: string) => text.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim()

/** Finds the block that holds a cell's text as words of its own, or else within some, or else the row's first. */
function createBlockFinder() {
  const known = new Map<PlacedBlock, string>()
  const textOf = (placed: PlacedBlock) => {
    const text = known.get(placed) ?? folded(placed.block.text)
    known.set(placed, text)
    return text
  }
  return (at: readonly PlacedBlock[], cell: string): PlacedBlock | undefined => {
    const wanted = folded(cell)
    const holding = at.filter((placed) => textOf(placed).includes(wanted))
    return holding.find((placed) => hasWords(textOf(placed), wanted)) ?? holding[0] ?? at[0]
  }
}

/** Whether words stand in a text, and not only as a part of others: "5" doesn't in "2015" and "1.500". */
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
