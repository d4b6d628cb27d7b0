import type { ChatEvent } from "../../../../../shared/contract/chat.ts"
import { noticeOf } from "../../../../../shared/sentences/sentences.ts"
import type { CitedNote, Sources } from "../combining/cited-notes.ts"
import type { CitedText } from "../combining/cite-lines.ts"
import type { PlacedBlock } from "../cut-parts.ts"
import { nameOf } from "../part-prompt.ts"
import { asWords } from "../as-words.ts"
import { placeInWords, type TableWords } from "./table-words.ts"

/** A table is for reading, and drawn as a whole. */
const most = { rows: 2_000, characters: 400_000 }
/** Places of one row that are named. */
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
  let [written, characters] = [0, 0]
  for (const row of rows) {
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

/** Without rows that repeat another one of the same place. */
function onceEach(rows: readonly CitedNote[]): CitedNote[] {
  const unique = new Map<string, CitedNote>()
  for (const row of rows) {
    const places = row.at.map(({ document, index }) => [document.file.id, index])
    const key = JSON.stringify([places, row.cells])
    if (!unique.has(key)) unique.set(key, row)
  }
  return [...unique.values()]
}

const documentOf = ({ at: [first] }: CitedNote): string => (first ? nameOf(first.document.file) : "")

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

/** The one that contains a cell's text, or else the row's first. */
function blockOf(at: readonly PlacedBlock[], cell: string): PlacedBlock | undefined {
  const wanted = folded(cell)
  return at.find(({ block }) => folded(block.text).includes(wanted)) ?? at[0]
}
