import type { PageSpec, PlacedText } from "../src/box/parsers/testing/make-pdf.ts"
import { sequence, spell } from "./made-up-words.ts"

/** A line of text that a reader should find whole. */
export interface KnownLine {
  text: string
  /** Whether text of other flows, such as a side note, may be between this line and the previous one. */
  startsParagraph: boolean
}

/** A document made from known text, and what readers should find in it. */
export interface LayoutSample {
  name: string
  pages: PageSpec[]
  /** Texts that are read from their first to their last line. */
  flows: KnownLine[][]
  /** Tables as rows of cells. */
  tables: string[][][]
  /** Running headers and footers, each of which should be found once at most. */
  running: string[]
  /** Numbers of the pages that have to be read by OCR. */
  scans: number[]
}

const pageWidth = 595
const pageHeight = 842
const margin = 60
const bodySize = 10
const leading = 12.5

/** Widths of Helvetica's characters from the space to the tilde, in thousandths of the font's size. */
const widths =
  "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584"
    .split(" ")
    .map(Number)

const measure = (text: string, size: number): number =>
  (Array.from(text).reduce((sum, each) => sum + (widths[each.charCodeAt(0) - 32] ?? 556), 0) * size) / 1000

const random = sequence(20_261)
const pick = (from: number, to: number): number => from + Math.floor(random() * (to - from + 1))
let spelled = 500
/** Returns a word that occurs once in all samples. */
const word = (): string => spell(spelled++)
const words = (count: number): string => Array.from({ length: count }, word).join(" ")

/** Returns a sentence of words that occur once, with short ones that occur often. */
function sentence(): string {
  const parts = Array.from({ length: pick(7, 16) }, (_, index) =>
    index % 4 === 2 ? ["of the", "and", "in a", "for"][pick(0, 3)] : word(),
  )
  const text = parts.join(" ")
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

const paragraph = (sentences: number): string => Array.from({ length: sentences }, sentence).join(" ")

interface TextLine {
  placed: PlacedText[]
  known: KnownLine
}

interface Block {
  lines: TextLine[]
  /** Height of the lowest line. */
  bottom: number
}

interface Column {
  x: number
  top: number
  width: number
  size?: number
  /** Draws each word by itself, stretched over the column's width. */
  isJustified?: boolean
  isHyphenated?: boolean
  indent?: number
}

/** Sets paragraphs in lines. */
function setText(paragraphs: readonly string[], column: Column): Block {
  const { x, width, size = bodySize, isJustified = false, isHyphenated = false, indent = 0 } = column
  const lines: TextLine[] = []
  const step = (size * leading) / bodySize
  let y = column.top
  for (const [index, text] of paragraphs.entries()) {
    if (index > 0) y -= step * 0.6
    for (const [number, line] of wrap(text, width - indent, size, isHyphenated).entries()) {
      const left = x + (number === 0 ? 0 : indent)
      const parts = line.drawn.split(" ")
      const isLast = line.isLast
      const stretched = (width - (left - x) - measure(parts.join(""), size)) / Math.max(1, parts.length - 1)
      let at = left
      const placed = isJustified
        ? parts.map((part) => {
            const here = at
            at += measure(part, size) + (isLast ? measure(" ", size) : stretched)
            return { text: part, x: here, y, size }
          })
        : [{ text: line.drawn, x: left, y, size }]
      lines.push({ placed, known: { text: line.known, startsParagraph: number === 0 } })
      y -= step
    }
  }
  return { lines, bottom: y + step }
}

/** Splits a text into lines. A hyphenated word belongs to the line in which it begins. */
function wrap(text: string, width: number, size: number, isHyphenated: boolean) {
  const lines: { drawn: string; known: string; isLast: boolean }[] = []
  let [drawn, known] = ["", ""]
  for (const next of text.split(" ")) {
    const longer = drawn === "" ? next : `${drawn} ${next}`
    if (drawn === "" || measure(longer, size) <= width) {
      drawn = longer
      known = known === "" ? next : `${known} ${next}`
      continue
    }
    const half = Math.ceil(next.length / 2)
    const begin = `${drawn} ${next.slice(0, half)}-`
    if (isHyphenated && next.length > 7 && measure(begin, size) <= width) {
      lines.push({ drawn: begin, known: `${known} ${next}`, isLast: false })
      drawn = next.slice(half)
      known = ""
    } else {
      lines.push({ drawn, known, isLast: false })
      drawn = next
      known = next
    }
  }
  return [...lines, { drawn, known, isLast: true }]
}

type Order = "columns" | "rows" | "upwards" | "shuffled"

/** Returns the texts of blocks in an order of drawing. */
function draw(blocks: readonly Block[], order: Order): PlacedText[] {
  const lines = blocks.flatMap((block) => block.lines)
  const height = ({ placed }: TextLine) => placed[0]?.y ?? 0
  const left = ({ placed }: TextLine) => placed[0]?.x ?? 0
  const sorted = {
    columns: () => lines,
    rows: () => lines.toSorted((a, b) => height(b) - height(a) || left(a) - left(b)),
    upwards: () => lines.toReversed(),
    shuffled: () =>
      lines
        .map((line) => ({ line, key: random() }))
        .toSorted((a, b) => a.key - b.key)
        .map(({ line }) => line),
  }[order]()
  return sorted.flatMap(({ placed }) => placed)
}

const toFlow = (...blocks: readonly Block[]): KnownLine[] =>
  blocks.flatMap(({ lines }) => lines.map(({ known }) => known))

const empty = { flows: [], tables: [], running: [], scans: [] }
const single = (name: string, page: PageSpec, rest: Partial<LayoutSample>): LayoutSample => ({
  ...empty,
  name,
  pages: [page],
  ...rest,
})

function* prosePages(): Generator<LayoutSample> {
  const whole = { x: margin, width: pageWidth - 2 * margin }
  for (const order of ["columns", "upwards", "shuffled"] as const)
    for (const isJustified of [false, true]) {
      const title = setText([words(3)], { ...whole, top: 780, size: 18 })
      const body = setText([paragraph(5), paragraph(4), paragraph(6)], { ...whole, top: 740, isJustified })
      const section = setText([words(2)], { ...whole, top: body.bottom - 30, size: 13 })
      const rest = setText([paragraph(4), paragraph(3)], { ...whole, top: section.bottom - 20, isJustified })
      const blocks = [title, body, section, rest]
      const name = `prose, ${order}${isJustified ? ", justified" : ""}`
      yield single(name, { placed: draw(blocks, order) }, { flows: [toFlow(...blocks)] })
    }
  for (const mark of [
    (index: number) => `${index + 1}.`,
    () => "\u2022",
    (index: number) => `${index + 1}`,
  ]) {
    const before = setText([paragraph(3)], { ...whole, top: 780 })
    const items: Block[] = []
    let top = before.bottom - 20
    for (let index = 0; index < 12; index++) {
      const item = setText([index % 4 === 1 ? paragraph(2) : words(pick(3, 6))], {
        x: margin + 24,
        width: 430,
        top,
      })
      item.lines[0]?.placed.unshift({ text: mark(index), x: margin, y: top, size: bodySize })
      items.push(item)
      top = item.bottom - leading
    }
    const after = setText([paragraph(3)], { ...whole, top: top - 10 })
    const blocks = [before, ...items, after]
    yield single(
      `list, ${mark(0)}`,
      { placed: draw(blocks, "columns") },
      { flows: [toFlow(...blocks)], tables: [] },
    )
  }
  const hyphenated = setText([paragraph(9), paragraph(9)], {
    ...whole,
    width: 260,
    top: 780,
    isHyphenated: true,
  })
  yield single(
    "prose, hyphenated",
    { placed: draw([hyphenated], "columns") },
    { flows: [toFlow(hyphenated)] },
  )
}

interface ColumnsSpec {
  count: number
  gutter: number
  order: Order
  top?: number
  sentences?: number
  /** Lowers each column by this share of a line, so that the columns' lines aren't level. */
  offset?: number
  isJustified?: boolean
  isHyphenated?: boolean
}

function setColumns({ count, gutter, top = 760, sentences = 12, offset = 0, ...how }: ColumnsSpec): Block[] {
  const width = (pageWidth - 2 * margin - gutter * (count - 1)) / count
  return Array.from({ length: count }, (_, index) =>
    setText([paragraph(Math.ceil((sentences - (index % 2)) / 2)), paragraph(Math.floor(sentences / 2))], {
      x: margin + index * (width + gutter),
      width,
      top: top - index * offset * leading,
      ...how,
    }),
  )
}

function* columnPages(): Generator<LayoutSample> {
  for (const count of [2, 3])
    for (const order of ["columns", "rows", "upwards", "shuffled"] as const)
      for (const offset of [0, 0.4]) {
        const spec = { count, order, offset, gutter: count === 2 ? 24 : 16, sentences: count === 2 ? 12 : 8 }
        const columns = setColumns({ ...spec, isJustified: offset > 0 })
        const name = `${count} columns, ${order}${offset > 0 ? ", not level" : ""}`
        yield single(name, { placed: draw(columns, order) }, { flows: [toFlow(...columns)] })
      }
  for (const order of ["columns", "rows", "shuffled"] as const) {
    const whole = { x: margin, width: pageWidth - 2 * margin }
    const title = setText([words(4)], { ...whole, top: 790, size: 18 })
    const abstract = setText([paragraph(4)], { ...whole, top: 765 })
    const above = setColumns({
      count: 2,
      gutter: 18,
      order,
      top: abstract.bottom - 26,
      sentences: 6,
      isHyphenated: true,
    })
    const caption = setText([words(9)], {
      ...whole,
      top: Math.min(...above.map(({ bottom }) => bottom)) - 24,
      size: 12,
    })
    const below = setColumns({ count: 2, gutter: 18, order, top: caption.bottom - 24, sentences: 6 })
    const blocks = [title, abstract, ...above, caption, ...below]
    const groups = order === "rows" ? [[title, abstract], above, [caption], below] : [blocks]
    const placed = groups.flatMap((group) => draw(group, order))
    yield single(`2 columns with a title and a caption, ${order}`, { placed }, { flows: [toFlow(...blocks)] })
  }
  for (const order of ["columns", "rows"] as const) {
    const columns = setColumns({ count: 2, gutter: 12, order, isJustified: true, isHyphenated: true })
    yield single(
      `2 columns, narrow gutter, ${order}`,
      { placed: draw(columns, order) },
      { flows: [toFlow(...columns)] },
    )
  }
}

function* sideNotePages(): Generator<LayoutSample> {
  for (const side of ["left", "right"] as const)
    for (const order of ["columns", "rows", "shuffled"] as const) {
      const isLeft = side === "left"
      const main = setText([paragraph(7), paragraph(5), paragraph(6)], {
        x: isLeft ? 200 : margin,
        width: 335,
        top: 770,
      })
      const notes = [752, 590].map((top) =>
        setText([words(pick(6, 9))], { x: isLeft ? margin : 415, width: 110, top, size: 8 }),
      )
      yield single(
        `side notes, ${side}, ${order}`,
        { placed: draw([main, ...notes], order) },
        { flows: [toFlow(main), ...notes.map((note) => toFlow(note))] },
      )
    }
}

interface TableSpec {
  x: number
  top: number
  columnWidths: readonly number[]
  rows: readonly (readonly string[])[]
  isRuled?: boolean
  /** Columns whose text ends at the right. */
  right?: readonly number[]
  /** Space between rows, in addition to their lines. */
  space?: number
  /** Draws the lines of a cell around the middle of its row. */
  isCentred?: boolean
  order: "rows" | "columns" | "shuffled"
}

interface Table {
  placed: PlacedText[]
  boxes: { x: number; y: number; width: number; height: number }[]
  bottom: number
}

function setTable({
  x,
  top,
  columnWidths,
  rows,
  isRuled = false,
  right = [],
  space = 5,
  isCentred = false,
  order,
}: TableSpec): Table {
  const size = 9
  const step = 11
  const padding = 4
  const starts = columnWidths.map((_, index) => x + columnWidths.slice(0, index).reduce((a, b) => a + b, 0))
  const end = x + columnWidths.reduce((a, b) => a + b, 0)
  const cells: { row: number; column: number; placed: PlacedText[] }[] = []
  const rules: number[] = []
  let y = top
  for (const [row, texts] of rows.entries()) {
    rules.push(y)
    const lines = texts.map((text, column) =>
      text === "" ? [] : wrap(text, (columnWidths[column] ?? 0) - 2 * padding, size, false),
    )
    const most = Math.max(1, ...lines.map(({ length }) => length))
    for (const [column, own] of lines.entries()) {
      const start = starts[column] ?? 0
      const drop = isCentred ? ((most - own.length) * step) / 2 : 0
      const placed = own.map(({ drawn: text }, index) => ({
        text,
        x: right.includes(column)
          ? start + (columnWidths[column] ?? 0) - padding - measure(text, size)
          : start + padding,
        y: y - space / 2 - size - drop - index * step,
        size,
      }))
      cells.push({ row, column, placed })
    }
    y -= most * step + space
  }
  rules.push(y)
  const boxes = isRuled
    ? [
        ...rules.map((at) => ({ x, y: at - 0.25, width: end - x, height: 0.5 })),
        ...[...starts, end].map((at) => ({ x: at - 0.25, y, width: 0.5, height: top - y })),
      ]
    : []
  const key = { rows: (a: number, b: number) => [a, b], columns: (a: number, b: number) => [b, a] }
  const drawn =
    order === "shuffled"
      ? cells.map((cell) => ({ cell, key: random() })).toSorted((a, b) => a.key - b.key)
      : cells
          .map((cell) => {
            const [first = 0, second = 0] = key[order](cell.row, cell.column)
            return { cell, key: first * 1000 + second }
          })
          .toSorted((a, b) => a.key - b.key)
  return { placed: drawn.flatMap(({ cell }) => cell.placed), boxes, bottom: y }
}

const amount = (): string =>
  `${pick(1, 9) === 1 ? "-" : ""}${pick(1, 999)},${String(pick(0, 999)).padStart(3, "0")}.${pick(10, 99)}`

const tableKinds = {
  "short cells": () => ({
    columnWidths: [130, 110, 110, 90],
    rows: Array.from({ length: 9 }, () => [words(2), word(), word(), String(pick(10, 99_999))]),
  }),
  "numbers with empty cells": () => ({
    columnWidths: [140, 66, 66, 66, 66, 66],
    right: [1, 2, 3, 4, 5],
    rows: [
      [word(), "2021", "2022", "2023", "2024", word()],
      ...Array.from({ length: 11 }, () => [
        words(pick(1, 3)),
        ...Array.from({ length: 5 }, () => (random() < 0.3 ? "" : amount())),
      ]),
    ],
  }),
  "wrapped cells": () => ({
    columnWidths: [90, 240, 130],
    rows: [
      [word(), word(), word()],
      ...Array.from({ length: 7 }, () => [word(), words(pick(4, 15)), words(pick(1, 6))]),
    ],
  }),
  "wrapped first cells": () => ({
    columnWidths: [130, 170, 80, 80],
    rows: [
      [word(), word(), word(), word()],
      ...Array.from({ length: 7 }, () => [
        words(pick(2, 6)),
        words(pick(1, 6)),
        String(pick(1, 99)),
        amount(),
      ]),
    ],
  }),
  wide: () => ({
    columnWidths: Array.from({ length: 9 }, () => 53),
    rows: Array.from({ length: 14 }, (_, row) =>
      Array.from({ length: 9 }, (_, column) =>
        row === 0 || column === 0 ? word().slice(0, 9) : String(pick(100, 99_999)),
      ),
    ),
  }),
}

function* tablePages(): Generator<LayoutSample> {
  for (const [kind, make] of Object.entries(tableKinds))
    for (const isRuled of [false, true])
      for (const order of ["rows", "columns"] as const) {
        // Cells whose first line has nothing to its left can't be told apart without rules or space.
        const space = isRuled || !kind.startsWith("wrapped") ? 5 : 9
        const spec: TableSpec = { x: margin, top: 700, isRuled, order, space, ...make() }
        const table = setTable(spec)
        const before = setText([paragraph(3)], { x: margin, width: 475, top: 770 })
        const after = setText([paragraph(3)], { x: margin, width: 475, top: table.bottom - 30 })
        yield single(
          `table, ${kind}, ${isRuled ? "ruled" : "unruled"}, by ${order}`,
          {
            placed: [...draw([before], "columns"), ...table.placed, ...draw([after], "columns")],
            boxes: table.boxes,
          },
          { flows: [toFlow(before, after)], tables: [spec.rows.map((row) => [...row])] },
        )
      }
  const close: TableSpec = {
    x: margin,
    top: 700,
    isRuled: true,
    order: "rows",
    space: 0,
    isCentred: true,
    ...tableKinds["wrapped first cells"](),
  }
  const ruled = setTable(close)
  yield single("table, centred cells that only rules part", ruled, {
    tables: [close.rows.map((row) => [...row])],
  })
  for (const order of ["rows", "columns", "shuffled"] as const) {
    const rows = Array.from({ length: 8 }, () => [`${word()}:`, words(pick(1, 4))])
    const table = setTable({ x: margin, top: 740, columnWidths: [140, 300], rows, order })
    yield single(`names and values, by ${order}`, table, { tables: [rows] })
  }
  for (const isRuled of [false, true]) {
    const part = () => [
      [words(2), "", "", ""],
      ...Array.from({ length: 4 }, () => [words(2), amount(), amount(), amount()]),
      [word(), "", "", amount()],
    ]
    const rows = [["", "2022", "2023", "2024"], ...part(), ...part()]
    const table = setTable({
      x: margin,
      top: 740,
      columnWidths: [190, 95, 95, 95],
      right: [1, 2, 3],
      rows,
      order: "rows",
      isRuled,
    })
    yield single(`table with section rows, ${isRuled ? "ruled" : "unruled"}`, table, { tables: [rows] })
  }
  for (const order of ["rows", "columns"] as const) {
    const [left, right] = setColumns({ count: 2, gutter: 24, order: "columns", sentences: 8 })
    if (!left || !right) continue
    const rows = Array.from({ length: 7 }, () => [word(), String(pick(10, 999)), amount()])
    const table = setTable({
      x: margin,
      top: left.bottom - 20,
      columnWidths: [90, 50, 80],
      right: [1, 2],
      rows,
      order,
    })
    const below = setText([paragraph(4)], { x: margin, width: 225, top: table.bottom - 25 })
    yield single(
      `table in a column, by ${order}`,
      {
        placed: [...draw([left], "columns"), ...table.placed, ...draw([below, right], "columns")],
      },
      { flows: [toFlow(left, below, right)], tables: [rows] },
    )
  }
}

function* formPages(): Generator<LayoutSample> {
  for (const gap of [20, 34])
    for (const count of [1, 2]) {
      const rows: string[][] = []
      const placed: PlacedText[] = []
      const annotations: string[] = []
      for (let row = 0; row < 10; row++) {
        const cells: string[] = []
        for (let column = 0; column < count; column++) {
          const [label, value] = [`${word()}:`, words(pick(1, 2))]
          const [x, y] = [margin + column * 250, 740 - row * gap]
          placed.push({ text: label, x, y, size: bodySize })
          annotations.push(
            `/Subtype /Widget /FT /Tx /T (f${row}${column}) /V (${value}) /Rect [${x + 90} ${y - 4} ${x + 220} ${y + 12}]`,
          )
          cells.push(label, value)
        }
        rows.push(cells)
      }
      yield single(
        `form, ${count} fields a row, ${gap} points apart`,
        { placed, annotations },
        { tables: [rows] },
      )
    }
}

/** Rotates what is drawn so that it looks upright on a page that is displayed rotated clockwise. */
function rotateDrawn(placed: readonly PlacedText[], rotate: 90 | 180 | 270): PlacedText[] {
  return placed.map((text) => {
    const { x, y } = text
    const turned = {
      90: { x: pageWidth - y, y: x },
      180: { x: pageWidth - x, y: pageHeight - y },
      270: { x: y, y: pageHeight - x },
    }[rotate]
    return { ...text, ...turned, angle: rotate }
  })
}

function* rotatedPages(): Generator<LayoutSample> {
  const spec = { top: 540, sentences: 6, gutter: 24 }
  for (const rotate of [90, 180, 270] as const)
    for (const isDisplayedUpright of [true, false]) {
      const columns = setColumns({ ...spec, count: 2, order: "rows" })
      const placed = rotateDrawn(draw(columns, "rows"), rotate)
      yield single(
        `2 columns by rows, ${rotate}°, ${isDisplayedUpright ? "upright" : "not upright"}`,
        isDisplayedUpright ? { placed, rotate } : { placed },
        { flows: [toFlow(...columns)] },
      )
    }
  for (const rotate of [90, 270] as const) {
    const rows = tableKinds["short cells"]().rows
    const table = setTable({ x: margin, top: 540, columnWidths: [130, 110, 110, 90], rows, order: "columns" })
    yield single(
      `table by columns, ${rotate}°, not upright`,
      { placed: rotateDrawn(table.placed, rotate) },
      { tables: [rows] },
    )
  }
  for (const isFirst of [true, false]) {
    const columns = setColumns({ count: 2, gutter: 24, order: "rows" })
    const note = words(7)
    const stamp: PlacedText = { text: note, x: 30, y: 300, size: 14, angle: 90 }
    const drawn = draw(columns, "rows")
    yield single(
      `2 columns by rows with a vertical note, drawn ${isFirst ? "first" : "last"}`,
      { placed: isFirst ? [stamp, ...drawn] : [...drawn, stamp] },
      { flows: [toFlow(...columns), [{ text: note, startsParagraph: true }]] },
    )
  }
}

function* runningPages(): Generator<LayoutSample> {
  const kinds: Record<string, (page: number, count: number, title: string) => PlacedText[]> = {
    "title above, page number below": (page, _, title) => [
      { text: title, x: margin, y: 805, size: 9 },
      { text: String(page), x: 294, y: 30, size: 9 },
    ],
    "title and page number above, drawn last": (page, count, title) => [
      { text: title, x: margin, y: 805, size: 9 },
      { text: `Page ${page} of ${count}`, x: 460, y: 805, size: 9 },
    ],
    "left and right pages": (page, _, title) => [
      page % 2 === 0
        ? { text: `${page}   ${title}`, x: margin, y: 805, size: 10 }
        : { text: `${title}   ${page}`, x: 300, y: 805, size: 10 },
    ],
    "two lines below": (page, _, title) => [
      { text: title, x: margin, y: 42, size: 8 },
      { text: `- ${page} -`, x: 290, y: 30, size: 8 },
    ],
  }
  for (const [kind, make] of Object.entries(kinds)) {
    const isLast = kind.endsWith("last")
    const count = 6
    const title = words(4)
    const flow: KnownLine[] = []
    const pages = Array.from({ length: count }, (_, index) => {
      const columns =
        kind === "left and right pages"
          ? setColumns({ count: 2, gutter: 24, order: "rows" })
          : [setText([paragraph(8), paragraph(7)], { x: margin, width: 475, top: 775 })]
      flow.push(...toFlow(...columns))
      const [running, body] = [make(index + 1, count, title), draw(columns, "rows")]
      return { placed: isLast ? [...body, ...running] : [...running, ...body] }
    })
    yield { ...empty, name: `running lines: ${kind}`, pages, flows: [flow], running: [title] }
  }
}

function* footnotePages(): Generator<LayoutSample> {
  for (const count of [1, 2])
    for (const order of ["columns", "rows"] as const) {
      const columns = setColumns({ count, gutter: 24, order, sentences: count === 1 ? 20 : 12 })
      const width = (pageWidth - 2 * margin - 24 * (count - 1)) / count
      const notes = columns.map((column, index) => {
        const last = column.lines[3]?.placed[0]
        if (last)
          column.lines[3]?.placed.push({
            text: String(index + 1),
            x: last.x + measure(last.text, bodySize),
            y: last.y + 3.5,
            size: 6,
          })
        const x = margin + index * (width + 24)
        const note = setText([words(pick(10, 18))], { x: x + 8, width: width - 8, top: 90, size: 8 })
        note.lines[0]?.placed.unshift({ text: String(index + 1), x, y: 92.5, size: 5 })
        return note
      })
      const number: PlacedText = { text: "17", x: 294, y: 30, size: 9 }
      const placed =
        order === "columns"
          ? [
              ...columns.flatMap((column, index) => draw([column, ...notes.slice(index, index + 1)], order)),
              number,
            ]
          : [...draw([...columns, ...notes], order), number]
      yield single(
        `footnotes, ${count} ${count === 1 ? "column" : "columns"}, ${order}`,
        { placed },
        { flows: [toFlow(...columns), ...notes.map((note) => toFlow(note))] },
      )
    }
}

function* scanPages(): Generator<LayoutSample> {
  const picture = {
    width: 60,
    height: 80,
    pixels: new Uint8Array(4800).map((_, at) => (at % 7 === 0 ? 0 : 255)),
  }
  const stamp = words(3)
  const text = setText([paragraph(8), paragraph(6)], { x: margin, width: 475, top: 775 })
  yield {
    ...empty,
    name: "scans, one with a stamp, and a page of text on a picture",
    pages: [
      { picture },
      { picture, placed: [{ text: stamp, x: 350, y: 800 }] },
      { picture, placed: draw([text], "columns") },
    ],
    flows: [[{ text: stamp, startsParagraph: true }], toFlow(text)],
    scans: [1, 2],
  }
}

/** Documents with one page or a few whose layouts differ. Their words occur once in all of them. */
export function* layoutSamples(): Generator<LayoutSample> {
  yield* prosePages()
  yield* columnPages()
  yield* sideNotePages()
  yield* tablePages()
  yield* formPages()
  yield* rotatedPages()
  yield* runningPages()
  yield* footnotePages()
  yield* scanPages()
}
