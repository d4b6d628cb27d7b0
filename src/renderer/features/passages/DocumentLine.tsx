import { classNames } from "../../ui/class-names.ts"
import type { DocumentRow, Mark, Stretch } from "./document-rows.ts"
import { columnLetters, type Table } from "./table-cells.ts"

const kindClasses: Record<DocumentRow["kind"], string> = {
  heading: "pb-3 text-base leading-relaxed font-medium break-words whitespace-pre-wrap",
  paragraph: "pb-3 text-base leading-relaxed break-words whitespace-pre-wrap",
  code: "min-h-5 font-mono text-xs leading-5 whitespace-pre",
  "table-header": "border-b border-line-strong text-sm leading-5 font-medium",
  "table-row": "border-b border-line text-sm leading-5",
  "column-letters": "border-b border-line text-sm leading-5",
}

/** Width of most letters and digits, in em. Unlike `ch`, it is the same for bold column names. */
const characterWidth = 0.64

const markClasses: Record<Mark, string> = { strong: "bg-mark", faint: "bg-mark/40" }

/** One rendered row of a document: a paragraph, a table row or a line of code, with its number. */
export function DocumentLine({ row }: { row: DocumentRow }) {
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
