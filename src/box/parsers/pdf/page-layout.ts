import {
  type Box,
  type PageRow,
  type PageWord,
  type Piece,
  type Row,
  average,
  fewRows,
  getBounds,
  getCentre,
  maxRowOffset,
  median,
} from "./page-pieces.ts"
import {
  type Band,
  type Interval,
  addIntervals,
  countWords,
  getColumns,
  getText,
  getTextHeight,
  groupRows,
  hasRuledTable,
  isBetween,
  isDrawnByColumn,
  isNumber,
  isProse,
  isRightToLeft,
  isTableOfParagraphs,
  minProseWords,
  minRowContrast,
  toBand,
  toTable,
} from "./page-rows.ts"
import { findRuledTables } from "./ruled-tables.ts"

/** Lengths relative to the height of most lines. */
const minGap = 0.8
/** Minimum gap that columns of many rows have in common, which is less than a justified line may have between two words, and its growth. */
const minGutter = 0.45
const gutterStep = 0.1
/** Minimum gap between the names of columns. */
const minHeaderGap = 0.25
/** Minimum width of a gap in a line, relative to its narrowest. */
const minGapContrast = 1.5
const maxRowDistance = 4
const maxColumnDistance = 12
/** Space between two parts of a page, and the number of lines below columns that belong to none of them. */
const minSpace = 0.75
const headingHeight = 1.15
const maxLinesBelow = 3
const maxLeading = 1.4
/** Height of small type, such as that of footnotes and side notes, relative to the text. */
const smallType = 0.9
/** Number of rows that tell columns from words that are below each other by chance. */
const manyRows = 6
/** Maximum share of short lines in a column that isn't one of a table with several columns. */
const maxShortLines = 0.3
/** Maximum average number of words of a table's cell, and in a table of few rows. */
const maxCellWords = 6
const maxFewRowsCellWords = 4
const maxDrawnByColumnCellWords = 3
/** Maximum words of a page whose layout is examined. */
const maxWords = 20_000
/** Maximum number of intervals that are compared in order to find bands. */
const maxComparisons = 100_000
const maxColumns = 60
const maxDepth = 4

/**
 * Puts the lines of a page into reading order. PDF files draw text in any order: columns of prose row by row, or a table column by column.
 * Such parts are found by the gaps that their lines have in common, and by the rules of tables. All other lines keep the order of the page's
 * content, which is the reading order in nearly all files, unless that goes up and down. Footnotes below columns come last.
 *
 * @param lines the words of each line, in the order of the page's content
 * @param getRules returns boxes of lines and rectangles that the page draws
 */
export function arrangeLines(lines: readonly PageWord[][], getRules: () => Iterable<Box>): PageRow[] {
  const filled = lines.filter((line) => line.length > 0)
  const height = median(filled.map(([word]) => (word ? word.top - word.bottom : 0)))
  const count = filled.reduce((sum, line) => sum + line.length, 0)
  const asDrawn = (): PageRow[] => lines.map((words) => ({ words }))
  if (!(height > 0) || count > maxWords || isPlain(filled, height)) return asDrawn()
  const layout = new Layout(height)
  const pieces = lines.flatMap((line, index) => splitAtGaps(line, index, height))
  const { tables, rest } = findRuledTables(pieces, getRules(), height)
  const rows = [...layout.arrange([...rest, ...tables], 0), ...layout.footnotes]
  // A layout that isn't understood must not lose words.
  return rows.reduce((sum, { words }) => sum + words.length, 0) === count ? rows : asDrawn()
}

/** Whether each line is below the previous one and has no gap, so that there is nothing to arrange. */
function isPlain(lines: readonly PageWord[][], height: number): boolean {
  const gap = height * minGutter
  let floor = Infinity
  for (const words of lines) {
    const first = words[0]
    if (!first || (first.top + first.bottom) / 2 >= floor) return false
    floor = first.bottom
    let right = first.right
    for (const word of words) {
      if (Math.abs(word.left - right) >= gap && word !== first) return false
      right = word.right
    }
  }
  return true
}

/** Arranges the pieces of a page whose lines are mostly this high. */
class Layout {
  readonly footnotes: PageRow[] = []
  readonly #height: number
  #comparisons = 0

  constructor(height: number) {
    this.#height = height
  }

  /** Returns the pieces of a page, or of one of its columns, in reading order. */
  arrange(pieces: readonly Piece[], depth: number): PageRow[] {
    const rows = groupRows(pieces, this.#height * maxRowOffset)
    return depth < maxDepth ? this.#arrangeRows(rows, 0, depth) : joinLines(rows)
  }

  /** Arranges the parts of rows that are clearest, then the rows between them: columns of prose, tables with many columns, all others. */
  #arrangeRows(rows: readonly Row[], pass: number, depth: number): PageRow[] {
    if (pass > 2 || rows.length === 0) return joinLines(rows)
    const arranged: PageRow[] = []
    let next = 0
    let part = this.#findBand(rows, pass === 1 ? 2 : 1, { first: next, start: 0 })
    for (; part; part = this.#findBand(rows, pass === 1 ? 2 : 1, { first: next, start: part.to })) {
      const { band, from, to } = part
      const found = [this.#arrangeProse, this.#arrangeTable, this.#arrangeBand][pass]?.call(this, band, depth)
      if (!found) continue
      arranged.push(...this.#arrangeRows(rows.slice(next, from), pass + 1, depth), ...found)
      next = to
    }
    return [...arranged, ...this.#arrangeRows(rows.slice(next), pass + 1, depth)]
  }

  /** Returns the next band with at least so many gaps. Rows before `start` that are part of it are included from `first`. */
  #findBand(
    rows: readonly Row[],
    minGaps: number,
    { first, start }: { first: number; start: number },
  ): { band: Band; from: number; to: number } | undefined {
    for (; start < rows.length && this.#comparisons < maxComparisons; start++) {
      if ((rows[start]?.pieces.length ?? 0) <= minGaps && !this.#isBeside(rows, start)) continue
      let covered = addIntervals([], rows[start])
      let end = start + 1
      let gaps = this.#getGaps(covered, 1)
      let common = covered
      for (let next = end; next < rows.length && this.#isNear(rows, next, next - start); next++) {
        this.#comparisons += covered.length
        covered = addIntervals(covered, rows[next])
        // Many rows may have a narrower gap in common than the first ones seem to.
        if (this.#getGaps(covered, manyRows).length < minGaps) break
        const shared = this.#getGaps(covered, next + 1 - start)
        if (shared.length < minGaps) continue
        const isReduced = minGaps > 1 && shared.length * 2 < gaps.length
        if (next - start > 1 && (isReduced || this.#startsPart(rows, next, gaps))) break
        ;[common, gaps, end] = [covered, shared, next + 1]
      }
      if (gaps.length < minGaps || gaps.length >= maxColumns) continue
      if (minGaps > 1) end = this.#findTableEnd(rows, start, end, gaps)
      let top = start
      // A column may start above the others, and the names of a table's columns may be wider than its cells.
      while (top > first && this.#isNear(rows, top, 0)) {
        const rest = this.#getGaps(addIntervals(common, rows[top - 1]), Infinity, minHeaderGap)
        const narrower = gaps.flatMap(([from, to]) => {
          const found = rest.find((each) => each[0] >= from && each[1] <= to)
          return found ? [found] : []
        })
        if (minGaps > 1 && narrower.length === gaps.length) gaps = narrower
        else if (!isBetween(rows[top - 1], gaps)) break
        common = addIntervals(common, rows[--top])
      }
      const band = this.#isJustified(rows, top, end)
        ? undefined
        : toBand(rows.slice(top, end), gaps, this.#height * minGap)
      if (band) return { band, from: top, to: end }
    }
    return undefined
  }

  /** Returns the end of a table's rows: lines in only one column that a space parts from them don't belong to it. */
  #findTableEnd(rows: readonly Row[], start: number, end: number, gaps: readonly Interval[]): number {
    const isRow = ({ left, right }: Row) => gaps.some(([from, to]) => left <= from && right >= to)
    let last = start + rows.slice(start, end).findLastIndex(isRow) + 1
    while (last > start && last < end && !this.#isApart(rows[last - 1], rows[last])) last++
    return Math.max(last, start + 1)
  }

  /** Whether there is a space between two rows, or the second one is a heading. */
  #isApart(above: Row | undefined, row: Row | undefined): boolean {
    if (!above || !row) return false
    return (
      above.bottom - row.top > this.#height * minSpace ||
      row.pieces.every((piece) => getTextHeight(piece) > this.#height * headingHeight)
    )
  }

  /** Whether a few rows are justified lines of a paragraph, whose words are far apart by chance. */
  #isJustified(rows: readonly Row[], from: number, to: number): boolean {
    if (to - from > manyRows) return false
    const { left, right } = getBounds(rows.slice(from, to))
    const tolerance = this.#height * 0.3
    return [from - 1, to].some((index) => {
      const [row, next] = [rows[index], index < from ? rows[from] : rows[to - 1]]
      if (!row || !next || Math.max(row.bottom - next.top, next.bottom - row.top) > this.#height * 0.5)
        return false
      return Math.abs(row.left - left) < tolerance && Math.abs(row.right - right) < tolerance
    })
  }

  /** Whether a row after a space begins a part whose columns aren't those above. */
  #startsPart(rows: readonly Row[], index: number, gaps: readonly Interval[]): boolean {
    const row = rows[index]
    if (!row || !this.#isApart(rows[index - 1], row)) return false
    return gaps.some(([from, to]) => {
      const right = row.pieces.find(({ left }) => left >= from)
      return right && row.left < from && Math.abs(right.left - to) > this.#height * 0.5
    })
  }

  /** Whether a row has one piece, and the next one is next to it. */
  #isBeside(rows: readonly Row[], index: number): boolean {
    const [row, next] = [rows[index], rows[index + 1]]
    if (!row || !next || row.bottom - next.top > 0) return false
    return next.left - row.right >= this.#height * minGap || row.left - next.right >= this.#height * minGap
  }

  /** Whether a row is near the one above, as in a table; the columns of a page may have larger gaps. */
  #isNear(rows: readonly Row[], index: number, count: number): boolean {
    const distance = (rows[index - 1]?.bottom ?? 0) - (rows[index]?.top ?? 0)
    return distance <= this.#height * Math.min(maxColumnDistance, Math.max(maxRowDistance - 1, count / 2))
  }

  /** Returns the gaps between what so many rows cover. */
  #getGaps(covered: readonly Interval[], rowCount: number, smallest = minGutter): Interval[] {
    const width = this.#height * Math.max(smallest, minGap - Math.max(0, rowCount - 2) * gutterStep)
    const gaps: Interval[] = []
    for (const [index, [from]] of covered.entries()) {
      const right = covered[index - 1]?.[1]
      if (right !== undefined && from - right >= width) gaps.push([right, from])
    }
    return gaps
  }

  /** Returns the lines of columns of prose one after the other; undefined if the band has none. */
  #arrangeProse(band: Band, depth: number): PageRow[] | undefined {
    const columns = getColumns(band)
    if (columns.every((column) => this.#areFootnotes(column))) {
      this.footnotes.push(...columns.flatMap((column) => this.arrange(column.flat(), depth + 1)))
      return []
    }
    if (columns.filter((column) => isProse(column)).length < 2) return undefined
    if (!hasRuledTable(band) && isTableOfParagraphs(band, this.#height)) return undefined
    return this.#arrangeColumnsAbove(band, depth)
  }

  /** Returns the rows of a table with several columns; undefined if the band isn't one. */
  #arrangeTable(band: Band): PageRow[] | undefined {
    if (hasRuledTable(band)) return undefined
    if (isTableOfParagraphs(band, this.#height)) return toTable(this.#joinWrapped(band))
    const filled = band.grid.map((row) => row.filter((cell) => cell.length > 0))
    const rows = filled.filter((row) => row.length >= Math.max(3, band.columnCount * 0.6))
    if (
      rows.length < fewRows ||
      rows.length * 2 < filled.length ||
      getColumns(band).some((column) => isProse(column, maxShortLines))
    )
      return undefined
    return average(rows.flat().map(countWords)) > maxCellWords ? undefined : toTable(this.#joinWrapped(band))
  }

  /** Returns the rows of a table, or the lines of columns one after the other; undefined if the band is neither. */
  #arrangeBand(band: Band, depth: number): PageRow[] | undefined {
    const { grid, columnCount } = band
    const columns = getColumns(band)
    const hasTable = hasRuledTable(band)
    if (!hasTable && isTableOfParagraphs(band, this.#height)) return toTable(this.#joinWrapped(band))
    const filledRows = grid.filter((row) => row.filter((cell) => cell.length > 0).length > 1)
    const prose = columns.filter((column) => isProse(column))
    const cells = filledRows.flat().filter((cell) => cell.length > 0)
    const words = average(cells.map(countWords))
    if (words > maxDrawnByColumnCellWords && isDrawnByColumn(columns))
      return this.#arrangeColumnsAbove(band, depth)
    const sideNotes = columns.filter((column) => column !== prose[0])
    if (prose.length === 1 && prose[0] && this.#areSideNotes(prose[0], sideNotes))
      return this.#arrangeColumns([prose[0], ...sideNotes], depth)
    if (hasTable || (prose.length > 0 && columnCount === 2)) return undefined
    const maxWordCount = filledRows.length <= fewRows ? maxFewRowsCellWords : maxCellWords
    if (filledRows.length < 2 || filledRows.length * 2 < grid.length || words > maxWordCount) return undefined
    return toTable(this.#joinWrapped(band))
  }

  /** Arranges columns. A few lines after a space at the end of only one of them, such as a heading, are below all of them. */
  #arrangeColumnsAbove({ rows, grid, ...rest }: Band, depth: number): PageRow[] {
    const last = grid.at(-1)?.findIndex((cell) => cell.length > 0)
    let end = grid.findLastIndex((row) => row.some((cell, column) => cell.length > 0 && column !== last)) + 1
    while (end < rows.length && !this.#isApart(rows[end - 1], rows[end])) end++
    if (rows.length - end > maxLinesBelow) end = rows.length
    const band = { rows: rows.slice(0, end), grid: grid.slice(0, end), ...rest }
    const columns = getColumns(band)
    const arranged = this.#arrangeColumns(isRightToLeft(band) ? columns.toReversed() : columns, depth)
    return [...arranged, ...joinLines(rows.slice(end))]
  }

  #arrangeColumns(columns: readonly Piece[][][], depth: number): PageRow[] {
    return columns.flatMap((column, index) => {
      const rows = this.arrange(column.flat(), depth + 1)
      if (index === columns.length - 1) return rows
      const start = findFootnotes(rows)
      this.footnotes.push(...rows.slice(start))
      return rows.slice(0, start)
    })
  }

  #areFootnotes(column: readonly Piece[][]): boolean {
    const pieces = column.flat()
    const isSmall = ({ words }: Piece) =>
      words.every(({ top, bottom }) => top - bottom < this.#height * smallType)
    return (
      footnoteMark.test(getText(pieces[0])) && countWords(pieces) > minProseWords && pieces.every(isSmall)
    )
  }

  /** Whether columns next to prose have smaller type, or lines that aren't level with its lines. */
  #areSideNotes(prose: readonly Piece[][], notes: readonly Piece[][][]): boolean {
    const lines = notes.flat().filter((cell) => cell.length > 0)
    if (notes.length > 2 || lines.length > prose.filter((line) => line.length > 0).length) return false
    if (lines.filter(isNumber).length * 2 > lines.length) return false
    const heightOf = (cells: readonly Piece[][]) => median(cells.flat().map(getTextHeight))
    if (heightOf(lines) < heightOf(prose) * smallType) return true
    const level = notes.flatMap((column) =>
      column.filter((cell, row) => {
        const [note, line] = [cell[0], prose[row]?.[0]]
        return note && line && Math.abs(note.bottom - line.bottom) < this.#height * 0.15
      }),
    )
    return level.length * 2 < lines.length
  }

  /** Joins the lines of wrapped cells: they follow more closely than rows do, and leave cells empty. */
  #joinWrapped(band: Band): Piece[][][] {
    const { grid, rows } = band
    const distance = (index: number) => (rows[index - 1]?.centre ?? 0) - (rows[index]?.centre ?? 0)
    const isSpaced = isTableOfParagraphs(band, this.#height)
    const isFull = (index: number) => grid[index]?.every((cell) => cell.length > 0) === true
    const hasStart = (index: number) => (grid[index]?.[0]?.length ?? 0) > 0
    const distances = grid.slice(1).map((_, index) => distance(index + 1))
    const closest = Math.min(...distances)
    const starts = distances.filter((_, index) => hasStart(index) && hasStart(index + 1))
    const usual = starts.length > 0 ? median(starts) : this.#height * maxRowOffset
    const isWrapped = (index: number, above: readonly Piece[][]): boolean => {
      const row = grid[index] ?? []
      if (!hasStart(index) && distance(index) < usual * 0.85) return true
      if (!isSpaced || distance(index) > Math.min(closest * minRowContrast, this.#height * maxLeading))
        return false
      if (row.some((cell, column) => isNumber(cell) && isNumber(above[column] ?? []))) return false
      if (isFull(index) && !/^\p{Ll}/u.test(getText(row[0]?.[0]))) return false
      return row.every((cell, column) => cell.length === 0 || (above[column]?.length ?? 0) > 0)
    }
    const joined: Piece[][][] = []
    for (const [index, row] of grid.entries()) {
      const above = joined.at(-1)
      if (above && isWrapped(index, above))
        for (const [column, cell] of row.entries()) above[column]?.push(...cell)
      else joined.push(row.map((cell) => [...cell]))
    }
    return joined
  }
}

/** Splits a line at wide gaps, and at those that are wider than between its other words. */
function splitAtGaps(line: readonly PageWord[], index: number, height: number): Piece[] {
  const gaps = line.slice(1).map((word, at) => Math.abs(word.left - (line[at]?.right ?? 0)))
  const usual = Math.min(...gaps) * minGapContrast
  const gap = Math.min(height * minGap, Math.max(height * minGutter, usual))
  const parts: PageWord[][] = []
  for (const [at, word] of line.entries()) {
    const last = parts.at(-1)
    if (last && (gaps[at - 1] ?? 0) < gap) last.push(word)
    else parts.push([word])
  }
  return parts.map((words) => ({ line: index, words, ...getBounds(words) }))
}

const footnoteMark = /^(?:\d{1,3}|[*†‡§¶]|\p{L})[.)]?(?:\s|$)/u

/** Returns the index of the first footnote at the end of a column's lines: smaller type that begins with a mark. */
function findFootnotes(rows: readonly PageRow[]): number {
  const heightOf = (row: PageRow) => Math.max(...row.words.map(({ top, bottom }) => top - bottom))
  const most = median(rows.map(heightOf)) * smallType
  let start = rows.length
  while (start > 0 && heightOf(rows[start - 1] ?? { words: [] }) < most) start--
  while (start < rows.length && !footnoteMark.test(getText(rows[start]))) start++
  return start
}

/** Returns the lines of rows without columns: from the top, or in the order of the page's content if there are lines next to each other. */
function joinLines(rows: readonly Row[]): PageRow[] {
  const lines = new Map<number, Piece[]>()
  for (const piece of rows.flatMap(({ pieces }) => pieces).sort((a, b) => a.line - b.line)) {
    const line = lines.get(piece.line)
    if (line) line.push(piece)
    else lines.set(piece.line, [piece])
  }
  const inOrder = [...lines.values()]
  const isSingle = rows.every(({ pieces }) => pieces.every(({ line }) => line === pieces[0]?.line))
  const ordered = isSingle || isDrawnOutOfOrder(inOrder) ? rows.map(({ pieces }) => pieces) : inOrder
  return ordered.flatMap((pieces) => {
    const words = pieces.flatMap((piece) => piece.words)
    return pieces.flatMap(({ table }) => table ?? []).concat(words.length > 0 ? [{ words }] : [])
  })
}

/** Whether lines go up more often than from one column to the next. */
function isDrawnOutOfOrder(lines: readonly Piece[][]): boolean {
  let upwards = 0
  for (const [index, [piece]] of lines.entries()) {
    const previous = lines[index - 1]?.[0]
    if (piece && previous && getCentre(piece) > previous.top) upwards++
  }
  return upwards > 1 && upwards * 5 > lines.length
}
