import { t } from "i18next"
import { useEffect, useRef, useState } from "react"
import type { Table } from "../../../../shared/contract/tables.ts"
import { FileGlyph } from "../../../ui/pictures/FileGlyph.tsx"
import { useVirtualRows } from "../../../ui/use-virtual-rows.ts"

const rowHeight = 48

interface TableListProps {
  tables: readonly Table[]
  /** The one that somebody comes back from. */
  lastId: string | undefined
  onChoose: (table: Table) => void
}

/** Tables to choose from, by the file and sheet that they are in. */
export function TableList({ tables, lastId, onChoose }: TableListProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualRows({ count: tables.length, scroller, estimateSize: () => rowHeight })
  const [focusId, setFocusId] = useState(lastId)
  useEffect(() => {
    const index = tables.findIndex(({ id }) => id === focusId)
    if (index >= 0) rows.scrollToIndex(index)
  }, [rows, tables, focusId])
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto px-2 py-1.5">
      <ul aria-label={t("folders:tables.list")} className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const table = tables[index]
          return (
            table && (
              <li
                key={table.id}
                aria-setsize={tables.length}
                aria-posinset={index + 1}
                className="absolute inset-x-0"
                style={{ top: start, height: rowHeight }}
              >
                <button
                  ref={table.id === focusId ? takeFocus : undefined}
                  type="button"
                  onFocus={() => setFocusId(undefined)}
                  onClick={() => onChoose(table)}
                  className="flex h-full w-full items-center gap-2.5 rounded-md px-2 text-left hover:bg-hover focus-visible:-outline-offset-2"
                >
                  <FileGlyph name={table.fileName} />
                  <span className="min-w-0 flex-1">
                    <span className="block truncate text-sm" title={placeOf(table)}>
                      {placeOf(table)}
                    </span>
                    <span className="block truncate font-mono text-xs text-faint" title={table.name}>
                      {table.name}
                    </span>
                  </span>
                  <span className="shrink-0 text-xs text-soft tabular-nums">
                    {t("folders:tables.rows", { count: table.rows })}
                    {" · "}
                    {t("folders:tables.columns", { count: table.columns.length })}
                  </span>
                </button>
              </li>
            )
          )
        })}
      </ul>
    </div>
  )
}

const takeFocus = (button: HTMLButtonElement | null): void => button?.focus()

/** "costs.xlsx · Sheet 1" */
export const placeOf = ({ fileName, sheet }: Table): string =>
  sheet === null ? fileName : `${fileName} · ${sheet}`
