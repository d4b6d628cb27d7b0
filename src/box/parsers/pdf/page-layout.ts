/** A word and its box, in points from the bottom left of the page. */
export interface PageWord {
  text: string
  left: number
  right: number
  top: number
  bottom: number
}

/** Words in reading order: a line, or the cells of a table's row. */
export interface PageRow {
  words: PageWord[]
  /** The row's cells, empty ones included; undefined for a line of text. */
  cells?: PageWord[][]
}

/** Words of a line that no wide gap separates. */
interface Segment {
  line: number
  words: PageWord[]
  left: number
  right: number
  centre: number
}

/** Segments next to each other. */
interface Row {
  segments: Segment[]
  centre: number
}

/** Consecutive rows that the same gaps divide into columns. */
interface Band {
  rows: Row[]
  /** Segments of each row, by column. */
  grid: Segment[][][]
  columnCount: number
}

type Interval = readonly [from: number, to: number]

/** Lengths relative to the height of most words. */
const minGap = 0.8
const maxRowOffset = 0.4
const maxRowDistance = 4
/** A line of a column of prose is at least this long, relative to the column, and has this many words. */
const minProseFill = 0.7
const minProseWords = 3
/** Maximum average number of words of a table's cell, and in a table of few rows. */
const maxCellWords = 6
const maxFewRowsCellWords = 4
const maxDrawnByColumnCellWords = 3
const fewRows = 3
/** Maximum words of a page whose layout is examined. */
const maxWords = 20_000

/**
 * Puts the lines of a page into reading order. PDF files draw text in any order: columns of prose row by row, or a table column by column.
 * Such parts are found by the gaps that their lines have in common. All other lines keep the order of the page's content, which is the
 * reading order in nearly all files.
 *
 * @param lines the words of each line, in the order of the page's content
 */
export function arrangeLines(lines: readonly PageWord[][]): PageRow[] {
  const words = lines.flat()
  const height = median(words.map(({ top, bottom }) => Math.abs(top - bottom)))
  if (!(height > 0) || words.length > maxWords) return lines.map((line) => ({ words: line }))
  const segments = lines.flatMap((line, index) => splitAtGaps(line, index, height * minGap))
  const rows = groupRows(segments, height * maxRowOffset)
  const arranged = new Map<number, { rows: PageRow[]; isWritten: boolean }>()
  for (const band of findBands(rows, height)) {
    const found = arrangeBand(band, height)
    if (!found) continue
    const part = { rows: found, isWritten: false }
    for (const { segments } of band.rows) for (const { line } of segments) arranged.set(line, part)
  }
  if (arranged.size === 0 && isDrawnOutOfOrder(lines, rows)) return rows.map(joinRow)
  return lines.flatMap((line, index) => {
    const part = arranged.get(index)
    if (!part) return [{ words: line }]
    if (part.isWritten) return []
    part.isWritten = true
    return part.rows
  })
}

function splitAtGaps(line: readonly PageWord[], index: number, gap: number): Segment[] {
  const parts: PageWord[][] = []
  for (const word of line) {
    const last = parts.at(-1)
    const previous = last?.at(-1)
    if (last && previous && Math.abs(word.left - previous.right) < gap) last.push(word)
    else parts.push([word])
  }
  return parts.map((words) => toSegment(words, index))
}

function toSegment(words: PageWord[], line: number): Segment {
  return {
    line,
    words,
    left: Math.min(...words.map(({ left }) => left)),
    right: Math.max(...words.map(({ right }) => right)),
    centre: average(words.map(({ top, bottom }) => (top + bottom) / 2)),
  }
}

/** Returns rows from the top, each from the left. */
function groupRows(segments: readonly Segment[], offset: number): Row[] {
  const rows: Row[] = []
  for (const segment of segments.toSorted((a, b) => b.centre - a.centre)) {
    const row = rows.at(-1)
    if (row && Math.abs(row.centre - segment.centre) <= offset) row.segments.push(segment)
    else rows.push({ segments: [segment], centre: segment.centre })
  }
  for (const { segments } of rows) segments.sort((a, b) => a.left - b.left)
  return rows
}

function findBands(rows: readonly Row[], height: number): Band[] {
  const bands: Band[] = []
  let first = 0
  for (let start = 0; start < rows.length; start++) {
    if ((rows[start]?.segments.length ?? 0) < 2) continue
    let end = start + 1
    let gaps = getGaps(rows.slice(start, end), height)
    for (; end < rows.length && isNear(rows, end, height); end++) {
      const next = getGaps(rows.slice(start, end + 1), height)
      if (next.length === 0) break
      gaps = next
    }
    if (gaps.length === 0) continue
    // A column may start above the others.
    let top = start
    while (top > first && isNear(rows, top, height) && isBetween(rows[top - 1], gaps)) top--
    const band = toBand(rows.slice(top, end), gaps)
    if (band) {
      bands.push(band)
      first = end
      start = end - 1
    }
  }
  return bands
}

const isNear = (rows: readonly Row[], index: number, height: number): boolean =>
  (rows[index - 1]?.centre ?? 0) - (rows[index]?.centre ?? 0) <= height * maxRowDistance

/** Whether no segment of the row covers a gap. */
const isBetween = (row: Row | undefined, gaps: readonly Interval[]): boolean =>
  row?.segments.every(({ left, right }) => gaps.every(([from, to]) => right <= from || left >= to)) === true

/** Returns the gaps that all rows have and that have text on both sides. */
function getGaps(rows: readonly Row[], height: number): Interval[] {
  const covered = rows
    .flatMap(({ segments }) => segments.map(({ left, right }): Interval => [left, right]))
    .toSorted((a, b) => a[0] - b[0])
  const gaps: Interval[] = []
  let right = covered[0]?.[1] ?? 0
  for (const [from, to] of covered) {
    if (from - right >= height * minGap) gaps.push([right, from])
    right = Math.max(right, to)
  }
  return gaps
}

function toBand(rows: Row[], gaps: readonly Interval[]): Band | undefined {
  const columnOf = ({ left }: Segment): number => gaps.filter(([, to]) => left >= to).length
  const place = (count: number, index: (segment: Segment) => number) =>
    rows.map(({ segments }) =>
      Array.from({ length: count }, (_, column) => segments.filter((each) => index(each) === column)),
    )
  const grid = place(gaps.length + 1, columnOf)
  const markers = gaps.map((_, column) => isMarkerColumn(grid.map((row) => row[column] ?? [])))
  const kept = gaps.filter(
    (_, column) => markers[column] === undefined || (markers[column] === "numbers" && gaps.length > 1),
  )
  if (kept.length === 0) return undefined
  if (kept.length === gaps.length) return { rows, grid, columnCount: gaps.length + 1 }
  return toBand(rows, kept)
}

const bullet = /^[•◦▪‣·○●■□*–—-]$/u
const itemNumber = /^\(?(?:\p{L}{1,4}|\d{1,3}(?:\.\d{1,3})*)[.)]$/u
const plainNumber = /^\d{1,3}(?:\.\d{1,3})*$/

/** Returns whether a column has only the markers of list items: they belong to the text next to them. */
function isMarkerColumn(column: readonly Segment[][]): "bullets" | "numbers" | undefined {
  const texts = column.flat().map(getText)
  if (texts.every((text) => bullet.test(text) || itemNumber.test(text))) return "bullets"
  return texts.every((text) => plainNumber.test(text)) ? "numbers" : undefined
}

const getText = ({ words }: Pick<Segment, "words">): string => words.map(({ text }) => text).join(" ")

/** Returns the rows of a table, or the lines of columns one after the other; undefined if the band is neither. */
function arrangeBand(band: Band, height: number): PageRow[] | undefined {
  const { grid, columnCount } = band
  const columns = Array.from({ length: columnCount }, (_, column) => grid.map((row) => row[column] ?? []))
  const filledRows = grid.filter((row) => row.filter((cell) => cell.length > 0).length > 1)
  const prose = columns.filter((column) => isProse(column))
  const cells = filledRows.flat().filter((cell) => cell.length > 0)
  const words = average(cells.map((cell) => cell.reduce((sum, segment) => sum + segment.words.length, 0)))
  if (prose.length > 1 || (words > maxDrawnByColumnCellWords && isDrawnByColumn(columns))) {
    const lines = (isRightToLeft(band) ? columns.toReversed() : columns).flat()
    return lines.filter((line) => line.length > 0).map(joinSegments)
  }
  if (prose.length > 0 && columnCount === 2) return undefined
  const maxWordCount = filledRows.length <= fewRows ? maxFewRowsCellWords : maxCellWords
  if (filledRows.length < 2 || filledRows.length * 2 < grid.length || words > maxWordCount) return undefined
  return joinWrapped(band, height).map((row) => {
    const cells = row.map((cell) => joinSegments(cell).words)
    return { words: cells.flat(), cells }
  })
}

/** Whether all of a column is drawn before the next one. */
function isDrawnByColumn(columns: readonly Segment[][][]): boolean {
  const ends = columns.map((column) => column.flat().map(({ line }) => line))
  return ends.every(
    (lines, index) => index === 0 || Math.min(...lines) >= Math.max(...(ends[index - 1] ?? [])),
  )
}

function isProse(column: readonly Segment[][]): boolean {
  const lines = column.filter((line) => line.length > 0)
  if (lines.length < 3) return false
  const left = Math.min(...lines.flat().map((segment) => segment.left))
  const right = Math.max(...lines.flat().map((segment) => segment.right))
  const fill = lines.map((line) => ((line.at(-1)?.right ?? left) - left) / (right - left))
  const words = lines.map((line) => line.reduce((sum, segment) => sum + segment.words.length, 0))
  return median(fill) >= minProseFill && average(words) >= minProseWords
}

/** Adds the lines of a wrapped cell to the row above: they follow more closely than a new row, and its first cell is empty. */
function joinWrapped({ grid, rows }: Band, height: number): Segment[][][] {
  const distance = (index: number) => (rows[index - 1]?.centre ?? 0) - (rows[index]?.centre ?? 0)
  const isStart = (index: number) => (grid[index]?.[0]?.length ?? 0) > 0
  const starts = grid.flatMap((_, index) =>
    index > 0 && isStart(index) && isStart(index - 1) ? distance(index) : [],
  )
  const usual = starts.length > 0 ? median(starts) : height * maxRowDistance
  const joined: Segment[][][] = []
  for (const [index, row] of grid.entries()) {
    const above = joined.at(-1)
    if (above && !isStart(index) && distance(index) < usual * 0.85)
      for (const [column, cell] of row.entries()) above[column]?.push(...cell)
    else joined.push(row.map((cell) => [...cell]))
  }
  return joined
}

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}]/gu

function isRightToLeft({ rows }: Band): boolean {
  const text = rows.flatMap(({ segments }) => segments.map(getText)).join("")
  return (text.match(rightToLeft)?.length ?? 0) * 2 > (text.match(/\p{L}/gu)?.length ?? 0)
}

const joinSegments = (segments: readonly Segment[]): PageRow => ({
  words: segments.flatMap(({ words }) => words),
})

const joinRow = ({ segments }: Row): PageRow => joinSegments(segments)

/** Whether a page with one column is drawn from the bottom, or in no order. */
function isDrawnOutOfOrder(lines: readonly PageWord[][], rows: readonly Row[]): boolean {
  if (rows.some(({ segments }) => new Set(segments.map(({ line }) => line)).size > 1)) return false
  const bottoms = lines.flatMap((line) => line[0]?.bottom ?? [])
  const upwards = bottoms.filter(
    (bottom, index) => index > 0 && bottom > (bottoms[index - 1] ?? bottom),
  ).length
  return upwards > 1 && upwards * 5 > bottoms.length
}

const average = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
