/** Collects the cells of a table row. */
export class TableRow {
  readonly cells: string[] = []
  #headers = 0

  startCell(header: boolean, textBefore: string): void {
    this.add(textBefore)
    this.cells.push("")
    if (header) this.#headers++
  }

  /** Adds text to the current cell. */
  add(text: string): void {
    if (this.cells.length === 0) {
      if (text.trim() !== "") this.cells.push(text)
    } else this.cells.push(`${this.cells.pop() ?? ""}${text}`)
  }

  get length(): number {
    return this.cells.reduce((sum, cell) => sum + cell.length, 0)
  }

  /** Whether every cell is a header cell. */
  get isHeader(): boolean {
    return this.#headers > 0 && this.#headers === this.cells.length
  }
}
