import { t } from "i18next"
import { useEffect, useMemo, useRef } from "react"
import type { FileBlock } from "../../../shared/contract/files.ts"
import type { StoredPassage } from "../../../shared/contract/folders.ts"
import { Note } from "../../ui/Note.tsx"
import { classNames } from "../../ui/class-names.ts"
import { useVirtualRows } from "../../ui/scrolling.ts"
import { type DocumentRow, type Mark, type Stretch, documentRows } from "./document-rows.ts"
import { locatePassage, type TextRange } from "./locate-passage.ts"
import { columnLetters, type Table } from "./table-cells.ts"

const kindClasses: Record<DocumentRow["kind"], string> = {
  heading: "pb-3 text-base leading-relaxed font-medium break-words whitespace-pre-wrap",
  image: "mb-3 border-l-2 border-line pl-3 text-base leading-relaxed break-words whitespace-pre-wrap",
  paragraph: "pb-3 text-base leading-relaxed break-words whitespace-pre-wrap",
  quote: "mb-3 border-l-2 border-line pl-3 text-sm leading-relaxed break-words whitespace-pre-wrap text-soft",
  code: "min-h-5 font-mono text-xs leading-5 whitespace-pre",
  "table-header": "border-b border-line-strong text-sm leading-5 font-medium",
  "table-row": "border-b border-line text-sm leading-5",
  "column-letters": "border-b border-line text-sm leading-5",
}

/** Width of most letters and digits, in em. Unlike `ch`, it is the same for bold column names. */
const characterWidth = 0.64

const markClasses: Record<Mark, string> = { strong: "bg-mark", faint: "bg-mark/40" }

/** One rendered row of a document: a paragraph, a table row or a line of code, with its number. */
function DocumentLine({ row }: { row: DocumentRow }) {
  const { kind, cells, table, number, place } = row
  return (
    <>
      {place !== undefined && <p className="pt-1 pb-2 text-xs font-medium text-faint">{place}</p>}
      <div className={classNames("flex gap-3", kindClasses[kind])}>
        {(number !== undefined || kind === "column-letters") && (
          <span
            className={classNames(
              "min-w-6 shrink-0 text-right text-xs leading-5 text-faint tabular-nums select-none",
              table && "py-1",
            )}
            style={table && { width: `${table.numberDigits}ch` }}
            aria-hidden
          >
            {number}
          </span>
        )}
        {table ? (
          <TableCells row={row} table={table} />
        ) : (
          <div className="min-w-0 flex-1">
            <Text stretches={cells.flat()} />
          </div>
        )}
      </div>
    </>
  )
}

/** The cells of a table row, or the column letters, as wide as the table's columns. */
function TableCells({ row: { kind, cells, at }, table }: { row: DocumentRow; table: Table }) {
  return (
    <div
      className="grid gap-x-3"
      style={{ gridTemplateColumns: table.widths.map((width) => `${width * characterWidth}em`).join(" ") }}
    >
      {kind === "column-letters" &&
        columnLetters(table).map((letters) => (
          <span key={letters} className="text-xs leading-5 text-faint select-none" aria-hidden>
            {letters}
          </span>
        ))}
      {cells.map((cell, index) => (
        <span
          // oxlint-disable-next-line react/no-array-index-key -- a cell is what stands in its column
          key={index}
          dir="auto"
          className="py-1 break-words whitespace-pre-wrap"
          style={{ gridColumn: at === null ? "1 / -1" : at + index + 1 }}
        >
          <Text stretches={cell} />
        </span>
      ))}
    </div>
  )
}

function Text({ stretches }: { stretches: Stretch[] }) {
  return stretches.map((stretch, index) =>
    stretch.mark ? (
      <mark
        // oxlint-disable-next-line react/no-array-index-key
        key={index}
        data-mark={stretch.mark}
        className={classNames("scroll-mt-24 text-ink", markClasses[stretch.mark])}
      >
        {stretch.text}
      </mark>
    ) : (
      stretch.text
    ),
  )
}

const settlingFrames = 10

interface DocumentTextProps {
  blocks: FileBlock[]
  passage: StoredPassage | undefined
  /** Parts of the passage's text that the answer is based on. */
  quoted: readonly TextRange[]
}

/** A document's text, scrolled to the highlighted passage. Only the visible rows are rendered. */
export function DocumentText({ blocks, passage, quoted }: DocumentTextProps) {
  const ranges = useMemo(
    () => (passage ? locatePassage(blocks, passage, quoted) : []),
    [blocks, passage, quoted],
  )
  const rows = useMemo(() => documentRows(blocks, ranges), [blocks, ranges])
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualRows({
    count: rows.length,
    scroller,
    estimateSize: (index) => {
      const row = rows[index]
      return row ? estimateHeight(row) : 0
    },
    stickyOver: (index) => rows[index]?.letters,
  })
  const stuck = rows[virtualizer.range?.startIndex ?? 0]?.letters

  useEffect(() => {
    const first = rows.findIndex((row) => row.marked)
    if (first < 0) return undefined
    // Rows get their true height when they are rendered, which moves those below them. Scrolling is therefore repeated for a few frames.
    let left = settlingFrames
    let frame = requestAnimationFrame(function approach() {
      const mark = scroller.current?.querySelector("[data-mark=strong]")
      if (mark) mark.scrollIntoView({ block: "start" })
      else virtualizer.scrollToIndex(first, { align: "center" })
      if (--left > 0) frame = requestAnimationFrame(approach)
    })
    return () => cancelAnimationFrame(frame)
  }, [rows, virtualizer])

  return (
    <>
      {passage && ranges.length === 0 && (
        <div className="border-b border-line p-4">
          <Note>{t("passages:changed")}</Note>
          <p className="mt-3 text-sm whitespace-pre-wrap">{passage.text}</p>
        </div>
      )}
      <div
        ref={scroller}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
        tabIndex={0}
        aria-label={t("passages:text")}
        role="document"
        className="min-h-0 flex-1 overflow-auto"
      >
        <div className="relative my-4" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((item) => {
            const row = rows[item.index]
            return (
              <div
                key={item.key}
                ref={virtualizer.measureElement}
                data-index={item.index}
                className={classNames(
                  "top-0 left-0 px-5",
                  item.index === stuck ? "sticky z-10 bg-canvas" : "absolute",
                  row && isWide(row) ? "w-max min-w-full" : "w-full",
                )}
                style={item.index === stuck ? undefined : { transform: `translateY(${item.start}px)` }}
              >
                {row && <DocumentLine row={row} />}
              </div>
            )
          })}
        </div>
      </div>
    </>
  )
}

/** These rows don't wrap, so they may be wider than the panel. */
const isWide = ({ kind, table }: DocumentRow): boolean => kind === "code" || table !== undefined

const charactersPerLine = 52
const lineHeight = 23
const smallLineHeight = 20
const lettersHeight = 21

function estimateHeight({ kind, cells, table, at }: DocumentRow): number {
  if (kind === "code") return smallLineHeight
  if (kind === "column-letters") return lettersHeight
  const texts = cells.map((cell) => cell.map((stretch) => stretch.text).join(""))
  if (table) {
    const getWidth = (index: number) =>
      at === null ? table.widths.reduce((sum, width) => sum + width, 0) : table.widths[at + index]
    const lines = texts.map((text, index) => Math.ceil(text.length / (getWidth(index) || 1)))
    return 9 + smallLineHeight * Math.max(1, ...lines)
  }
  const lines = texts.join("").split("\n")
  return (
    12 +
    lineHeight * lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / charactersPerLine)), 0)
  )
}
