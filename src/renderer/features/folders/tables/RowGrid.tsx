import { t } from "i18next"
import { ArrowDown, ArrowUp } from "lucide-react"
import { useRef } from "react"
import type { CellOfAnswer, TableAnswer, TableColumn } from "../../../../shared/contract/tables.ts"
import { formatField } from "../../../lib/words/format.ts"
import { classNames } from "../../../ui/class-names.ts"
import { useVirtualRows } from "../../../ui/use-virtual-rows.ts"
import type { View } from "./compose-sql.ts"

const rowHeight = 32
const columnWidth = { number: 120, boolean: 96, date: 120, text: 200, mixed: 160 }

interface RowGridProps {
  answer: TableAnswer
  sort: View["sort"]
  /** The one that is summed. */
  column: string | undefined
  onColumn: (name: string) => void
}

/** Rows under their columns; only those on screen are drawn. */
export function RowGrid({ answer: { columns, rows }, sort, column, onColumn }: RowGridProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualRows({ count: rows.length, scroller, estimateSize: () => rowHeight })
  const items = virtual.getVirtualItems()
  const widths = columns.map(({ type }) => columnWidth[type])
  const above = items[0]?.start ?? 0
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    <div
      ref={scroller}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
      tabIndex={0}
      className="min-h-0 flex-1 overflow-auto border-t border-line [overflow-anchor:none] focus-visible:-outline-offset-2"
      style={{ scrollPaddingTop: rowHeight }}
    >
      <table
        aria-rowcount={rows.length + 1}
        className="table-fixed border-separate border-spacing-0 text-sm"
        style={{ width: widths.reduce((sum, width) => sum + width, 0) }}
      >
        <caption className="sr-only">{t("folders:tables.caption")}</caption>
        <colgroup>
          {widths.map((width, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- columns stay where they are
            <col key={index} style={{ width }} />
          ))}
        </colgroup>
        <thead className="sticky top-0 z-10 bg-canvas text-xs text-soft">
          <tr style={{ height: rowHeight }}>
            {columns.map((head, index) => (
              <ColumnHead
                // oxlint-disable-next-line react/no-array-index-key -- nor have they names of their own
                key={index}
                column={head}
                sort={sort?.column === head.name ? sort : undefined}
                isChosen={column === head.name}
                onChoose={() => onColumn(head.name)}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {above > 0 && <tr aria-hidden style={{ height: above }} />}
          {items.map(({ index }) => (
            <tr
              key={index}
              aria-rowindex={index + 2}
              className="hover:bg-hover"
              style={{ height: rowHeight }}
            >
              {rows[index]?.map((value, place) => (
                // oxlint-disable-next-line react/no-array-index-key -- nor have cells
                <Cell key={place} value={value} isNumber={columns[place]?.type === "number"} />
              ))}
            </tr>
          ))}
          {below > 0 && <tr aria-hidden style={{ height: below }} />}
        </tbody>
      </table>
    </div>
  )
}

interface ColumnHeadProps {
  column: TableColumn
  sort: View["sort"]
  isChosen: boolean
  onChoose: () => void
}

function ColumnHead({ column: { name, type }, sort, isChosen, onChoose }: ColumnHeadProps) {
  const Arrow = sort?.descending === true ? ArrowDown : ArrowUp
  const order = sort && (sort.descending ? "descending" : "ascending")
  return (
    <th
      scope="col"
      aria-sort={order ?? "none"}
      className={classNames("border-b border-line p-0 font-medium", isChosen && "bg-selected text-ink")}
    >
      <button
        type="button"
        title={`${name} · ${t(`folders:tables.type.${type}`)}`}
        onClick={onChoose}
        className={classNames(
          "flex h-8 w-full items-center gap-1 px-3 hover:bg-hover hover:text-ink focus-visible:-outline-offset-2",
          type === "number" && "justify-end",
        )}
      >
        <span className="truncate">{name}</span>
        {sort && <Arrow className="size-3 shrink-0" aria-hidden />}
      </button>
    </th>
  )
}

/** A cell in one line; all of it, and a number with all its digits, to who points at it. */
function Cell({ value, isNumber }: { value: CellOfAnswer; isNumber: boolean }) {
  const shown = typeof value === "number" ? formatField(value) : String(value ?? "").slice(0, mostShown)
  return (
    <td
      title={typeof value === "number" ? String(value) : shown}
      className={classNames("truncate border-b border-line px-3", isNumber && "text-right tabular-nums")}
    >
      {shown}
    </td>
  )
}

/** Characters of a cell: more than its width shows, and no more than a tooltip can. */
const mostShown = 1000
