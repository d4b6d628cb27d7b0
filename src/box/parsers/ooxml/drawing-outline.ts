import type { FlowOutline } from "../text/flow-outline.ts"
import { joinShifted, type Shift } from "../text/linear-math.ts"
import { attribute, type XmlAttributes, type XmlHandler } from "../xml/xml-events.ts"

const titles = new Set(["title", "ctrTitle"])
/** Placeholders without content from the document. */
const unreadPlaceholders = new Set(["sldNum", "sldImg"])

/** A picture in a drawing, by its relationship. */
export interface DrawingPicture {
  id: string
  /** Row and column of a sheet at which it begins, from 0. */
  row: number | undefined
  column: number | undefined
}

const getShift = (baseline: number): Shift => (baseline > 0 ? "raised" : baseline < 0 ? "lowered" : undefined)

const maxDrawnPictures = 10_000

/** Reads text in DrawingML (ECMA-376 part 1, 21.1): shapes of slides and sheets, their tables, diagrams and comments. */
export class DrawingOutline implements XmlHandler {
  readonly pictures: DrawingPicture[] = []
  /** Whether the slide isn't shown in the presentation. */
  isHidden = false
  readonly #outline: FlowOutline
  #anchor: { row?: number; column?: number } = {}
  #inAnchor = false
  #position = ""
  #background = 0
  #placeholder = ""
  #title = ""
  #text = ""
  #inText = false
  #fallback = 0
  /** How the next text is shifted. */
  #nextShift: Shift

  constructor(outline: FlowOutline) {
    this.#outline = outline
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === "Fallback") this.#fallback++
    else if (name === "sld") this.isHidden = ["0", "false"].includes(attribute(attributes, "show") ?? "")
    else if (name === "bg") this.#background++
    else if (name === "blip") this.#addPicture(attribute(attributes, "embed"))
    else if (name === "from") [this.#inAnchor, this.#anchor] = [true, {}]
    else if (this.#inAnchor) this.#position = ""
    else if (name === "sp") this.#placeholder = ""
    else if (name === "ph") this.#placeholder = attribute(attributes, "type") ?? ""
    else if (name === "p") this.#text = ""
    else if (name === "r") this.#nextShift = undefined
    else if (name === "rPr") this.#nextShift = getShift(Number(attribute(attributes, "baseline") ?? 0))
    else if (name === "t" || name === "text") this.#inText = true
    else if (name === "br") this.#text += "\n"
    else if (name === "tbl") this.#outline.startTable()
    else if (name === "tr") this.#outline.startRow()
    else if (name === "tc") this.#outline.startCell()
  }

  text(text: string): void {
    if (this.#inAnchor) this.#position += text
    else if (this.#inText && this.#fallback === 0) {
      this.#text = joinShifted(this.#text, text, this.#nextShift)
      this.#nextShift = undefined
    }
  }

  close(name: string): void {
    if (name === "Fallback") this.#fallback--
    else if (name === "bg") this.#background--
    else if (name === "from") this.#inAnchor = false
    else if (this.#inAnchor) this.#endPosition(name)
    else if (name === "t") this.#inText = false
    else if (name === "text") {
      this.#inText = false
      this.#endParagraph()
    } else if (name === "p") this.#endParagraph()
    else if (name === "sp") this.#endShape()
    else if (name === "tr") this.#outline.endRow()
    else if (name === "tbl") this.#outline.endTable()
  }

  #addPicture(id: string | undefined): void {
    if (id === undefined || this.#fallback > 0 || this.#background > 0) return
    const { row, column } = this.#anchor
    if (this.pictures.length < maxDrawnPictures) this.pictures.push({ id, row, column })
  }

  #endPosition(name: string): void {
    const number = Number.parseInt(this.#position, 10)
    if (name === "row" && number >= 0) this.#anchor.row = number
    else if (name === "col" && number >= 0) this.#anchor.column = number
  }

  #endParagraph(): void {
    const text = this.#text
    this.#text = ""
    if (titles.has(this.#placeholder)) this.#title += `${text}\n`
    else if (!unreadPlaceholders.has(this.#placeholder)) this.#outline.paragraph(text)
  }

  #endShape(): void {
    this.#outline.heading(1, this.#title)
    this.#title = ""
    this.#placeholder = ""
  }
}

const maxPoints = 10_000
const partOfSeries: Record<string, "name" | "categories" | "values"> = {
  tx: "name",
  cat: "categories",
  xVal: "categories",
  val: "values",
  yVal: "values",
}

interface Series {
  name: string[]
  categories: string[]
  values: string[]
}

/** Reads a chart (ECMA-376 part 1, 21.2) as its titles and the table of its values. */
export class ChartOutline implements XmlHandler {
  readonly #outline: FlowOutline
  readonly #series: Series[] = []
  #current: Series | undefined
  #list: string[] | undefined
  #index = 0
  #text = ""
  #reading = false

  constructor(outline: FlowOutline) {
    this.#outline = outline
  }

  open(name: string, attributes: XmlAttributes): void {
    const part = partOfSeries[name]
    if (name === "ser") {
      this.#current = { name: [], categories: [], values: [] }
      this.#series.push(this.#current)
    } else if (this.#current && part) this.#list = this.#current[part]
    else if (name === "pt") this.#index = Number(attribute(attributes, "idx") ?? 0)
    else if (name === "t" || name === "v") this.#reading = true
  }

  text(text: string): void {
    if (this.#reading) this.#text += text
  }

  close(name: string): void {
    if (name === "t" || name === "v") this.#reading = false
    if (name === "v") {
      if (this.#list && this.#index >= 0 && this.#index < maxPoints)
        this.#list[this.#index] = rounded(this.#text)
      this.#text = ""
    } else if (name === "p") {
      this.#outline.paragraph(this.#text)
      this.#text = ""
    } else if (this.#current && partOfSeries[name]) {
      this.#list = undefined
      this.#index = 0
    } else if (name === "ser") this.#current = undefined
    else if (name === "chartSpace") this.#writeTable()
  }

  #writeTable(): void {
    const categories = this.#series.find((series) => series.categories.length > 0)?.categories ?? []
    const rows = Math.max(0, ...this.#series.map(({ values }) => values.length))
    this.#outline.startTable()
    this.#row(["", ...this.#series.map(({ name }) => name.join(" "))], true)
    for (let row = 0; row < rows; row++) {
      this.#row([categories[row] ?? "", ...this.#series.map(({ values }) => values[row] ?? "")], false)
    }
    this.#outline.endTable()
  }

  #row(cells: readonly string[], header: boolean): void {
    this.#outline.startRow()
    for (const cell of cells) {
      this.#outline.startCell()
      this.#outline.paragraph(cell)
    }
    this.#outline.endRow(header)
  }
}

/** Removes the digits caused by binary fractions: 8.200000000000001 becomes 8.2. */
function rounded(value: string): string {
  return /^-?\d*\.\d{12,}$/.test(value) ? String(Number(Number(value).toPrecision(12))) : value
}
