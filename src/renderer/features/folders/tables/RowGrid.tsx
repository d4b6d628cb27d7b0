import { t } from "i18next"
import { ArrowDown, ArrowUp } from "lucide-react"
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useId,
  useRef,
} from "react"
import type { CellOfAnswer, TableAnswer, TableColumn } from "../../../../shared/contract/tables.ts"
import { toTabs } from "../../../lib/words/csv.ts"
import { formatField } from "../../../lib/words/format.ts"
import { classNames } from "../../../ui/class-names.ts"
import { useVirtualRows } from "../../../ui/scrolling.ts"
import type { View } from "./table-queries.ts"
import {
  selectedRows,
  selectionAfter,
  selectRows,
  type CellPosition,
  type Rows,
  type Selection,
  getEdges,
  isSelected,
} from "./selection.ts"

interface SelectingOptions {
  scroller: RefObject<HTMLElement | null>
  /** Widths of the row-number column and of each column. */
  widths: readonly number[]
  rowHeight: number
  rows: Rows
  selection: Selection | undefined
  onSelect: (selection: Selection | undefined) => void
}

/** Selects cells by pointer and keyboard, copies them, and keeps the last selected cell in view. */
function useSelecting({ scroller, widths, rowHeight, rows, selection, onSelect }: SelectingOptions) {
  const columns = widths.length - 1
  const countPageRows = () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2)
  const size = () => ({ rows: rows.length, columns, page: countPageRows() })

  function select(next: Selection) {
    onSelect(next)
    scroller.current?.scrollTo(scrollFor(scroller.current, next.to))
  }

  /** Returns the scroll position that shows a cell next to its row number and below the column headers. */
  function scrollFor(
    { scrollLeft, scrollTop, clientWidth, clientHeight }: HTMLElement,
    { row, column }: CellPosition,
  ) {
    const left = widths.slice(1, column + 1).reduce((sum, width) => sum + width, 0)
    const right = left + (widths[0] ?? 0) + (widths[column + 1] ?? 0)
    const top = row * rowHeight
    return {
      left: Math.min(left, Math.max(scrollLeft, right - clientWidth)),
      top: Math.min(top, Math.max(scrollTop, top + 2 * rowHeight - clientHeight)),
    }
  }

  /** Extends the selection or starts a new one. */
  function point(target: EventTarget, extend: boolean) {
    const at = findCell(target)
    if (!at) return
    const { row, column } = at
    const from = extend ? (selection?.from ?? { row, column: column ?? 0 }) : { row, column: column ?? 0 }
    onSelect(column === undefined ? selectRows(size(), from.row, row) : { from, to: { row, column } })
  }

  return {
    onPointerDown(event: PointerEvent) {
      // Touch scrolls; the cell is selected when the finger is lifted.
      if (event.button === 0 && event.pointerType !== "touch") point(event.target, event.shiftKey)
    },
    onPointerOver(event: PointerEvent) {
      if (event.buttons === 1 && event.pointerType !== "touch") point(event.target, true)
    },
    onPointerUp(event: PointerEvent) {
      if (event.pointerType === "touch") point(event.target, false)
    },
    onKeyDown(event: KeyboardEvent) {
      if (event.target !== event.currentTarget || event.altKey) return
      const { key, shiftKey } = event
      const next = selectionAfter(
        selection,
        { key, shiftKey, modKey: event.ctrlKey || event.metaKey },
        size(),
      )
      if (next) select(next)
      else if (key === "Escape" && selection) onSelect(undefined)
      else return
      event.preventDefault()
    },
    onCopy(event: ClipboardEvent) {
      if (!selection) return
      const cells = selectedRows(rows, selection)
      event.clipboardData.setData(
        "text/plain",
        toTabs(cells.map((row) => row.map((cell) => (typeof cell === "boolean" ? String(cell) : cell)))),
      )
      event.preventDefault()
    },
  }
}

/** Returns the cell or row number under the pointer. */
function findCell(target: EventTarget): { row: number; column: number | undefined } | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[data-row]") : null
  if (!cell) return undefined
  const { row, column } = cell.dataset
  return { row: Number(row), column: column === undefined ? undefined : Number(column) }
}

const rowHeight = 32
const numbersWidth = 56
const columnWidth = { number: 120, boolean: 96, date: 120, text: 200, mixed: 160 }

interface RowGridProps {
  answer: TableAnswer
  sort: View["sort"]
  /** The column that is summed. */
  column: string | undefined
  onColumn: (name: string) => void
  selection: Selection | undefined
  onSelect: (selection: Selection | undefined) => void
}

/** Rows under their column headers. Only the visible rows are rendered, and cells are selected as in a spreadsheet. */
export function RowGrid({ answer, sort, column, onColumn, selection, onSelect }: RowGridProps) {
  const { columns, rows } = answer
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualRows({ count: rows.length, scroller, estimateSize: () => rowHeight })
  const items = virtual.getVirtualItems()
  const widths = [numbersWidth, ...columns.map(({ type }) => columnWidth[type])]
  const selecting = useSelecting({ scroller, widths, rowHeight, rows, selection, onSelect })
  const at = selection?.to
  const edges = selection && getEdges(selection)
  const above = items[0]?.start ?? 0
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    <div
      ref={scroller}
      // After a cell is selected, that cell shows the keyboard position.
      className="min-h-0 flex-1 overflow-auto border-t border-line [overflow-anchor:none] has-[table:focus-visible:not([aria-activedescendant])]:outline-2 has-[table:focus-visible:not([aria-activedescendant])]:-outline-offset-2 has-[table:focus-visible:not([aria-activedescendant])]:outline-accent"
    >
      <table
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- its cells are selected
        role="grid"
        aria-rowcount={rows.length + 1}
        aria-multiselectable
        aria-activedescendant={at && items.some(({ index }) => index === at.row) ? cellId(id, at) : undefined}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a grid is operated by keyboard
        tabIndex={0}
        {...selecting}
        className="table-fixed border-separate border-spacing-0 text-sm select-none focus-visible:outline-none"
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
            <th scope="col" className="sticky left-0 z-10 border-b border-line bg-canvas">
              <span className="sr-only">{t("folders:tables.number")}</span>
            </th>
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
              <th
                scope="row"
                data-row={index}
                className={classNames(
                  "sticky left-0 truncate border-b border-line bg-canvas px-2 text-right text-xs font-normal text-faint tabular-nums",
                  edges && index >= edges.top && index <= edges.bottom && "bg-selected text-ink",
                )}
              >
                {index + 1}
              </th>
              {rows[index]?.map((value, columnIndex) => (
                <Cell
                  // oxlint-disable-next-line react/no-array-index-key -- nor have cells
                  key={columnIndex}
                  id={cellId(id, { row: index, column: columnIndex })}
                  row={index}
                  column={columnIndex}
                  value={value}
                  isNumber={columns[columnIndex]?.type === "number"}
                  isSelected={isSelected(selection, { row: index, column: columnIndex })}
                  isAt={at?.row === index && at.column === columnIndex}
                />
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

interface CellProps extends CellPosition {
  id: string
  value: CellOfAnswer
  isNumber: boolean
  isSelected: boolean
  /** Whether the selection was last extended to this cell. */
  isAt: boolean
}

/** A cell on a single line. Its tooltip shows the full text, or all digits of a number. */
function Cell({ id, row, column, value, isNumber, isSelected: chosen, isAt }: CellProps) {
  const shown = typeof value === "number" ? formatField(value) : String(value ?? "").slice(0, maxShown)
  return (
    <td
      id={id}
      data-row={row}
      data-column={column}
      aria-selected={chosen}
      title={typeof value === "number" ? String(value) : shown}
      className={classNames(
        "truncate border-b border-line px-3",
        isNumber && "text-right tabular-nums",
        chosen && "bg-tint",
        isAt && "outline-2 -outline-offset-2 outline-accent",
      )}
    >
      {shown}
    </td>
  )
}

const cellId = (grid: string, { row, column }: CellPosition): string => `${grid}-${row}-${column}`

/** Maximum number of characters rendered per cell: more than fits its width, and as much as a tooltip can show. */
const maxShown = 1000
