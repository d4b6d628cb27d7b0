import { t } from "i18next"
import { ArrowLeft, Download, FileText } from "lucide-react"
import { useEffect, useRef, useState } from "react"
import type { Table, TableAnswer } from "../../../../shared/contract/tables.ts"
import { maxRows, useAskTables, useTableAnswer } from "../../../data/folders/tables.ts"
import { describeError } from "../../../lib/box.ts"
import { saveFile } from "../../../lib/browser/save-file.ts"
import { useDebounced } from "../../../lib/debounced.ts"
import { useOpenDocument } from "../../../lib/navigation/open-document.ts"
import { showToast } from "../../../lib/toasts.ts"
import { csvFile } from "../../../lib/words/csv.ts"
import { IconButton } from "../../../ui/controls/Button.tsx"
import { SearchField } from "../../../ui/controls/SearchField.tsx"
import { Note } from "../../../ui/Note.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { ColumnFacts } from "./ColumnFacts.tsx"
import { nextSort, rowsSql, selectAll, type View } from "./compose-sql.ts"
import { RowGrid } from "./RowGrid.tsx"
import type { Selection } from "./selection.ts"
import { SelectionFacts } from "./SelectionFacts.tsx"
import { SqlField } from "./SqlField.tsx"
import { getTableTitle } from "./TableList.tsx"
import { MiddleCut } from "../../../ui/text/MiddleCut.tsx"

interface TableViewProps {
  folderId: string
  table: Table
  onBack: () => void
}

/** A table's rows, or the rows of a custom SELECT, filtered, sorted and summed by SQL that is shown. */
export function TableView({ folderId, table, onBack }: TableViewProps) {
  const { fileId, fileName } = table
  const openDocument = useOpenDocument()
  const back = useRef<HTMLButtonElement>(null)
  useEffect(() => back.current?.focus(), [])
  const [base, setBase] = useState(() => selectAll(table.name))
  const [filter, setFilter] = useState("")
  const [sort, setSort] = useState<View["sort"]>()
  const [column, setColumn] = useState<string>()
  const [marked, setMarked] = useState<{ rows: TableAnswer["rows"]; selection: Selection | undefined }>()
  const isWholeTable = base === selectAll(table.name)
  const plain = useTableAnswer(folderId, base)
  const answered = plain.isPlaceholderData ? undefined : plain.data?.columns
  const columns = isWholeTable ? table.columns : (answered ?? [])
  const settled = useDebounced(filter)
  const view = {
    base,
    columns: columns.map(({ name }) => name),
    filter: filter === "" ? "" : settled, // a new custom SELECT doesn't run with the previous filter
    sort,
  }
  const sql = rowsSql(view)
  const { data, error, isFetching } = useTableAnswer(folderId, sql)
  const asking = useAskTables(folderId)
  // A selection belongs to these rows. The query client keeps equal rows when it fetches them again; only the time in the answer differs.
  const selection = marked?.rows === data?.rows ? marked?.selection : undefined
  const chosen = data?.columns.find(({ name }) => name === column)

  function run(text: string) {
    asking.mutate(text, {
      onSuccess() {
        setBase(text)
        setFilter("")
        setSort(undefined)
        setColumn(undefined)
      },
    })
  }

  return (
    <section aria-label={getTableTitle(table)} className="flex min-h-0 flex-1 flex-col">
      <div className="flex items-center gap-2 px-4 py-2">
        <IconButton ref={back} label={t("folders:tables.back")} onClick={onBack}>
          <ArrowLeft aria-hidden />
        </IconButton>
        <h2 className="min-w-0 flex-1 truncate text-sm font-medium" title={getTableTitle(table)}>
          <MiddleCut text={getTableTitle(table)} />
        </h2>
        {(isFetching || asking.isPending) && <Spinner label={t("folders:tables.asking")} />}
        <SearchField
          label={t("folders:tables.filter")}
          value={filter}
          onChange={(words) => {
            asking.reset()
            setFilter(words)
          }}
          className="w-48"
        />
        <IconButton
          label={t("folders:tables.save")}
          disabled={!data || error !== null}
          onClick={() => data && save(getTableTitle(table), data)}
        >
          <Download aria-hidden />
        </IconButton>
        <IconButton
          label={t("folders:tables.file")}
          onClick={() => openDocument({ vectorId: folderId, fileId, fileName })}
        >
          <FileText aria-hidden />
        </IconButton>
      </div>
      <SqlField sql={sql} error={asking.error && describeError(asking.error)} onRun={run} />
      {error ? (
        <div className="px-4 py-2">
          <Note kind="error">{describeError(error)}</Note>
        </div>
      ) : (
        data && (
          <RowGrid
            answer={data}
            sort={sort}
            column={column}
            selection={selection}
            onSelect={(next) => setMarked({ rows: data.rows, selection: next })}
            onColumn={(name) => {
              asking.reset()
              setMarked(undefined)
              setColumn(name)
              setSort(nextSort(sort, name))
            }}
          />
        )
      )}
      <footer className="flex min-h-9 flex-wrap items-center gap-x-4 border-t border-line px-4 py-1.5 text-xs text-soft tabular-nums">
        {data && !error && (
          <span>
            {data.truncated
              ? t("folders:tables.cut", { count: maxRows })
              : t("folders:tables.rows", { count: data.rows.length })}
          </span>
        )}
        {data && selection && !error ? (
          <SelectionFacts rows={data.rows} selection={selection} />
        ) : (
          chosen && !error && <ColumnFacts folderId={folderId} view={view} column={chosen} />
        )}
      </footer>
    </section>
  )
}

/** Saves the rows shown with their column headers, and reports if rows are missing. */
function save(name: string, { columns, rows, truncated }: TableAnswer): void {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === "boolean" ? String(cell) : cell)))
  saveFile(`${name}.csv`, csvFile([columns.map((column) => column.name), ...cells]), "text/csv")
  if (truncated) showToast(t("folders:tables.cut", { count: maxRows }))
}
