import { t } from "i18next"
import { useState } from "react"
import type { Table } from "../../../../shared/contract/tables.ts"
import { FileGlyph } from "../../../ui/pictures/FileGlyph.tsx"
import { VirtualList } from "../../../ui/VirtualList.tsx"
import { MiddleCut } from "../../../ui/text/MiddleCut.tsx"

const rowHeight = 48

interface TableListProps {
  tables: readonly Table[]
  /** The table that the user has just returned from. */
  lastId: string | undefined
  onChoose: (table: Table) => void
}

/** Tables to choose from, labelled with their file and sheet. */
export function TableList({ tables, lastId, onChoose }: TableListProps) {
  const [focusId, setFocusId] = useState(lastId)
  return (
    <VirtualList
      label={t("folders:tables.list")}
      items={tables}
      getId={({ id }) => id}
      getHeight={() => rowHeight}
      className="min-h-0 flex-1 overflow-y-auto px-2 py-1.5"
      visibleIndex={tables.findIndex(({ id }) => id === focusId)}
    >
      {(table) => (
        <button
          ref={table.id === focusId ? takeFocus : undefined}
          type="button"
          onFocus={() => setFocusId(undefined)}
          onClick={() => onChoose(table)}
          className="flex h-full w-full items-center gap-2.5 rounded-md px-2 text-left hover:bg-hover focus-visible:-outline-offset-2"
        >
          <FileGlyph name={table.fileName} />
          <span className="min-w-0 flex-1">
            <span className="block truncate text-sm" title={getTableTitle(table)}>
              <MiddleCut text={getTableTitle(table)} />
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
      )}
    </VirtualList>
  )
}

const takeFocus = (button: HTMLButtonElement | null): void => button?.focus()

/** "costs.xlsx · Sheet 1" */
export const getTableTitle = ({ fileName, sheet }: Table): string =>
  sheet === null ? fileName : `${fileName} · ${sheet}`
