import type { Location } from "../../../shared/contract/location.ts"
import { maxBlockCharacters, type Block } from "../parser.ts"
import { looksLikeHeader, rowBlocks } from "../table/row-blocks.ts"
import type { HiddenText } from "./hidden-text.ts"
import { removeInvisible } from "./invisible-characters.ts"
import { splitText } from "./split-text.ts"

/** Maximum length of a heading path in a location. */
const maxPathCharacters = 300

/** The headings above the current location, outermost first: "Guide › Install › Linux". */
export class HeadingPath {
  #open: { level: number; title: string }[] = []

  enter(level: number, title: string): void {
    this.#open = [...this.#open.filter((heading) => heading.level < level), { level, title }]
  }

  /** Returns the path as part of a location; empty before the first heading. */
  get location(): { heading?: string } {
    if (this.#open.length === 0) return {}
    return {
      heading: this.#open
        .map(({ title }) => title)
        .join(" › ")
        .slice(0, maxPathCharacters),
    }
  }
}

/** A row with more text than this is part of a page's layout, not of a table. */
const maxRowCharacters = 2000
const maxCells = 1000

/** A longer cell isn't repeated in the rows and columns that it covers. */
const maxRepeatedCell = 300
/** Maximum characters repeated in all tables of a document. */
const maxRepeated = 1_000_000

interface Cell {
  text: string
  /** Where the text comes from if another cell covers this one. */
  repeats?: "left" | "above"
}

/** Converts headings, paragraphs and tables of an office document to blocks. */
export class FlowOutline {
  readonly #blocks: Block[] = []
  readonly #hidden: HiddenText | undefined
  #place: Location
  #headings = new HeadingPath()
  #cells: Cell[] | undefined
  #rowLength = 0
  #repeated = 0
  #tableBegins = false

  /** @param hidden which encloses hidden text in what is added */
  constructor(place: Location = {}, hidden?: HiddenText) {
    this.#place = place
    this.#hidden = hidden
  }

  /** Returns the blocks added since the last call. */
  take(): Block[] {
    return this.#blocks.splice(0)
  }

  /** Continues in another part of the document, outside all headings. */
  moveTo(place: Location): void {
    this.endTable()
    this.#place = place
    this.#headings = new HeadingPath()
  }

  /** Starts a section with this title, which isn't part of the text. */
  section(title: string): void {
    this.endTable()
    this.#headings = new HeadingPath()
    this.#headings.enter(0, title)
  }

  /** Level 0 is the document's title. */
  heading(level: number, raw: string): void {
    if (this.#cells) return this.paragraph(raw)
    const title = this.#show(raw).replaceAll("\n", " ")
    if (title === "") return
    this.#headings.enter(level, title)
    this.#write("heading", title)
  }

  /** Adds a paragraph, or a part of the open table cell. */
  paragraph(raw: string): void {
    if (!this.#cells) return this.#write("paragraph", this.#show(raw))
    const text = this.#show(raw)
    const cell = this.#cells.at(-1)
    if (!cell) this.#cells.push({ text })
    else cell.text += cell.text === "" || text === "" ? text : `\n${text}`
    this.#rowLength += text.length
    if (this.#rowLength > maxRowCharacters) this.#leaveRow()
  }

  /** Starts a table. If it is inside another one, the outer table is treated as layout. */
  startTable(): void {
    this.#leaveRow()
    this.#tableBegins = true
  }

  startRow(): void {
    this.#leaveRow()
    this.#cells = []
    this.#rowLength = 0
  }

  startCell(): void {
    if (this.#cells && this.#cells.length < maxCells) this.#cells.push({ text: "" })
  }

  /** The text of the current cell so far. */
  get cellText(): string {
    return this.#cells?.at(-1)?.text ?? ""
  }

  /** Repeats the current cell in the further columns that it covers. */
  repeatCell(columns: number): void {
    if (!this.#cells) return
    const text = this.#repeatable(this.cellText)
    for (let column = 0; column < columns && this.#cells.length < maxCells; column++) {
      this.#cells.push({ text, repeats: "left" })
    }
  }

  /** Fills the current cell, if it is empty, with the text of the cell that covers it. */
  coverCell(text: string, repeats: "left" | "above" = "above"): void {
    const cell = this.#cells?.at(-1)
    if (cell?.text !== "") return
    cell.text = this.#repeatable(text)
    if (text !== "" || repeats === "left") cell.repeats = repeats
  }

  /** @param header whether the document marks the row as a header */
  endRow(header = false): void {
    const cells = this.#cells
    if (!cells) return
    this.#cells = undefined
    if (cells.every(({ text, repeats }) => text === "" || repeats)) return
    const apart = cells.filter(({ repeats }) => repeats !== "left").map(({ text }) => text)
    const isHeader = header || (this.#tableBegins && looksLikeHeader(apart))
    this.#tableBegins = false
    if (apart.length === 1) return this.#write("paragraph", apart[0] ?? "")
    const texts = cells.map(({ text }) => text)
    this.#blocks.push(...rowBlocks(isHeader ? "table-header" : "table-row", texts, this.location))
  }

  endTable(): void {
    this.#leaveRow()
    this.#tableBegins = false
  }

  /** The current location, with the headings above. */
  get location(): Location {
    return { ...this.#place, ...this.#headings.location }
  }

  #show(raw: string): string {
    return collapse(this.#hidden ? this.#hidden.show(raw) : raw)
  }

  #leaveRow(): void {
    const cells = this.#cells ?? []
    this.#cells = undefined
    for (const { text, repeats } of cells) if (!repeats) this.#write("paragraph", text)
  }

  #repeatable(text: string): string {
    if (text.length > maxRepeatedCell || this.#repeated > maxRepeated) return ""
    this.#repeated += text.length
    this.#rowLength += text.length
    return text
  }

  #write(kind: Block["kind"], text: string): void {
    for (const part of splitText(text, maxBlockCharacters)) {
      if (part.trim() !== "") this.#blocks.push({ kind, text: part.trim(), location: this.location })
    }
  }
}

/** Keeps line breaks, and removes control and invisible characters, which would hide words from search. */
function collapse(text: string): string {
  return removeInvisible(text)
    .replace(/[^\S\n]+/g, " ")
    .replace(/\p{Cc}/gu, (character) => (character === "\n" ? "\n" : ""))
    .replace(/ ?\n[ \n]*/g, "\n")
    .trim()
}

const maxCharacters = 300

/** Returns the block with this title above its existing headings. */
export function withinHeading(title: string, block: Block): Block {
  const { heading } = block.location
  if (title === "") return block
  const path = heading === undefined ? title : `${title} › ${heading}`
  return { ...block, location: { ...block.location, heading: path.slice(0, maxCharacters) } }
}
