import type { FlowOutline } from "../text/flow-outline.ts"
import { attribute } from "../xml/xml-events.ts"
import type { XmlAttributes, XmlHandler } from "../xml/xml-events.ts"

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
