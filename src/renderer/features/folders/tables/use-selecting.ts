import type { ClipboardEvent, KeyboardEvent, PointerEvent, RefObject } from "react"
import { toTabs } from "../../../lib/words/csv.ts"
import {
  selectedRows,
  selectionAfter,
  selectRows,
  type CellPosition,
  type Rows,
  type Selection,
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
export function useSelecting({ scroller, widths, rowHeight, rows, selection, onSelect }: SelectingOptions) {
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
