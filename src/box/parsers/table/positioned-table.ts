import type { FlowOutline } from "../text/flow-outline.ts"

/** The definition of a cell of one row, by its edges on the page. */
export interface CellDefinition {
  left: number
  right: number
  /** Whether cells of the rows below belong to this one. */
  isFirst: boolean
  coveredBy: "left" | "above" | undefined
}

interface Row {
  cells: Cell[]
  definitions: readonly CellDefinition[]
}

/** Paragraphs and tables inside a cell, in order. */
type Cell = (string | Row[])[]

interface OpenTable {
  rows: Row[]
  cells: Cell[]
  cell: Cell
}

/** More rows than these are written in parts, each with the columns that its own rows show. */
const maxRows = 200
const maxCharacters = 1_000_000
/** A row with more text than this is written as text. */
const maxCellCharacters = 4_000_000
const maxCells = 1000
const maxDepth = 20
/** Edges closer to each other than this are the same column: 1.5 points, in twentieths. */
const maxEdgeDistance = 30
/** Maximum columns in which a cell is repeated. */
const maxSpan = 100

/**
 * Tables whose rows define their cells by their edges, as in .doc and RTF. A cell that spans several columns of the other rows is repeated in
 * each of them. Tables inside others are written one after the other.
 */
export class PositionedTable {
  readonly #outline: FlowOutline
  #open: OpenTable[] = []
  #characters = 0
  #hasStarted = false
  /** Texts of cells that reach down, by their right edge. */
  readonly #covers = new Map<number, string>()

  constructor(outline: FlowOutline) {
    this.#outline = outline
  }

  get isOpen(): boolean {
    return this.#open.length > 0
  }

  /** @param depth 1 for a table that isn't inside another one */
  paragraph(depth: number, text: string): void {
    this.#enter(depth).cell.push(text)
    this.#characters += text.length
    if (this.#characters > maxCellCharacters) this.leave()
  }

  endCell(depth: number): void {
    const table = this.#enter(depth)
    if (table.cells.length < maxCells) table.cells.push(table.cell)
    table.cell = []
  }

  endRow(depth: number, definitions: readonly CellDefinition[]): void {
    const table = this.#enter(depth)
    if (table.cell.length > 0) this.endCell(depth)
    table.rows.push({ cells: table.cells, definitions })
    table.cells = []
    const [outermost] = this.#open
    if (this.#open.length > 1 || !outermost) return
    if (outermost.rows.length < maxRows && this.#characters < maxCharacters) return
    this.#write(outermost.rows.splice(0), this.#covers, !this.#hasStarted)
    this.#hasStarted = true
    this.#characters = 0
  }

  /** Call before text outside of tables, and at the end. */
  leave(): void {
    if (this.#open.length === 0) return
    const { rows, cells, cell } = this.#enter(1)
    if (cell.length > 0) cells.push(cell)
    if (cells.length > 0) rows.push({ cells, definitions: [] })
    this.#write(rows, this.#covers, !this.#hasStarted)
    this.#outline.endTable()
    this.#open = []
    this.#characters = 0
    this.#hasStarted = false
    this.#covers.clear()
  }

  #enter(depth: number): OpenTable {
    const wanted = Math.min(Math.max(depth, 1), maxDepth)
    for (let inner = this.#open.at(-1); inner && this.#open.length > wanted; inner = this.#open.at(-1)) {
      this.#open.pop()
      if (inner.cell.length > 0) inner.cells.push(inner.cell)
      if (inner.cells.length > 0) inner.rows.push({ cells: inner.cells, definitions: [] })
      this.#open.at(-1)?.cell.push(inner.rows)
    }
    while (this.#open.length < wanted) this.#open.push({ rows: [], cells: [], cell: [] })
    return this.#open.at(-1) ?? { rows: [], cells: [], cell: [] }
  }

  #write(rows: readonly Row[], covers: Map<number, string>, isStart: boolean): void {
    if (isStart) this.#outline.startTable()
    const edges = getColumnEdges(rows)
    for (const { cells, definitions } of rows) {
      if (cells.some((cell) => cell.some((item) => typeof item !== "string"))) {
        for (const item of cells.flat()) {
          if (typeof item === "string") this.#outline.paragraph(item)
          else {
            this.#write(item, new Map(), true)
            this.#outline.endTable()
          }
        }
        this.#outline.startTable()
        continue
      }
      this.#outline.startRow()
      for (const [index, cell] of cells.entries()) this.#writeCell(cell, definitions[index], edges, covers)
      this.#outline.endRow()
    }
  }

  #writeCell(
    cell: Cell,
    definition: CellDefinition | undefined,
    edges: readonly number[],
    covers: Map<number, string>,
  ): void {
    const before = this.#outline.cellText
    this.#outline.startCell()
    for (const item of cell) if (typeof item === "string") this.#outline.paragraph(item)
    if (!definition) return
    const { left, right, isFirst, coveredBy } = definition
    if (coveredBy === "left") this.#outline.coverCell(before, "left")
    else if (coveredBy === "above") this.#outline.coverCell(covers.get(right) ?? "")
    else if (isFirst && covers.size < maxCells) covers.set(right, this.#outline.cellText)
    else covers.delete(right)
    const inside = edges.filter((edge) => edge > left + maxEdgeDistance && edge < right - maxEdgeDistance)
    this.#outline.repeatCell(Math.min(inside.length, maxSpan))
  }
}

/** Returns where columns end in any of the rows, without repetitions. */
function getColumnEdges(rows: readonly Row[]): number[] {
  const all = new Set(rows.flatMap(({ definitions }) => definitions.map(({ right }) => right)))
  const edges: number[] = []
  for (const edge of [...all].toSorted((a, b) => a - b))
    if (edge - (edges.at(-1) ?? -Infinity) > maxEdgeDistance) edges.push(edge)
  return edges
}
