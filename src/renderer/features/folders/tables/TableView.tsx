import { t } from "i18next"
import { Play, ArrowLeft, Download, FileText } from "lucide-react"
import { useState, useId, useEffect, useRef } from "react"
import type { Table, CellOfAnswer, TableColumn, TableAnswer } from "../../../../shared/contract/tables.ts"
import { describeError } from "../../../lib/box.ts"
import { saveFile } from "../../../lib/browser/download.ts"
import { useDebounced } from "../../../lib/debounced.ts"
import { useOpenDocument } from "../../../lib/navigation/open-document.ts"
import { showToast } from "../../../lib/toasts.ts"
import { csvFile } from "../../../lib/words/csv.ts"
import { formatCount } from "../../../lib/words/format.ts"
import { Note } from "../../../ui/Note.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { VirtualList } from "../../../ui/VirtualList.tsx"
import { Button, IconButton } from "../../../ui/controls/Button.tsx"
import { SearchField } from "../../../ui/controls/SearchField.tsx"
import { FileGlyph } from "../../../ui/pictures/FileGlyph.tsx"
import { MiddleCut } from "../../../ui/text/LongText.tsx"
import { RowGrid } from "./RowGrid.tsx"
import { selectionFacts, type Rows, type Selection } from "./selection.ts"
import {
  useTableAnswer,
  maxRows,
  useAskTables,
  factsSql,
  type View,
  nextSort,
  rowsSql,
  selectAll,
} from "./table-queries.ts"

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
const getTableTitle = ({ fileName, sheet }: Table): string =>
  sheet === null ? fileName : `${fileName} · ${sheet}`

interface FactsLineProps {
  /** The column or selection that they describe. */
  name: string
  count: CellOfAnswer | undefined
  sum: CellOfAnswer | undefined
  average: CellOfAnswer | undefined
}

/** Number of values, and their sum and average if these are numbers. */
function FactsLine({ name, count, sum, average }: FactsLineProps) {
  const facts = [
    typeof count === "number" && t("folders:tables.values", { count }),
    typeof sum === "number" && t("folders:tables.sum", { value: formatCount(sum) }),
    typeof average === "number" && t("folders:tables.average", { value: formatCount(average) }),
  ]
  return (
    <output className="flex min-w-0 flex-wrap gap-x-4">
      <span className="max-w-60 truncate font-medium text-ink" title={name}>
        {name}
      </span>
      {facts.map(
        (fact) =>
          fact !== false && (
            <span key={fact} className="whitespace-nowrap">
              {fact}
            </span>
          ),
      )}
    </output>
  )
}

interface ColumnFactsProps {
  folderId: string
  view: View
  column: TableColumn
}

/** Number of values in a column, their sum and their average, over all rows that match, including rows that aren't shown. */
function ColumnFacts({ folderId, view, column: { name, type } }: ColumnFactsProps) {
  const { data, error, isPlaceholderData } = useTableAnswer(folderId, factsSql(view, name, type === "number"))
  if (error) return <span className="text-danger">{describeError(error)}</span>
  const [count, sum, average] = (isPlaceholderData ? undefined : data?.rows[0]) ?? []
  return <FactsLine name={name} count={count} sum={sum} average={average} />
}

/** Number of selected values, their sum and their average. */
function SelectionFacts({ rows, selection }: { rows: Rows; selection: Selection }) {
  return <FactsLine name={t("folders:tables.selection")} {...selectionFacts(rows, selection)} />
}

interface SqlFieldProps {
  sql: string
  /** Why the SELECT failed. */
  error: string | null
  onRun: (sql: string) => void
}

/** The SELECT behind the rows shown, which can be edited. Ctrl+Enter runs it. */
function SqlField({ sql, error, onRun }: SqlFieldProps) {
  const errorId = useId()
  const [edited, setEdited] = useState({ sql, text: sql })
  // A new SELECT replaces the edited text.
  const text = edited.sql === sql ? edited.text : sql
  const canRun = text.trim() !== ""
  return (
    <form
      className="flex flex-wrap items-end gap-2 px-4 pb-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (canRun) onRun(text.trim())
      }}
    >
      <textarea
        aria-label={t("folders:tables.sql")}
        title={t("folders:tables.sqlHint")}
        value={text}
        rows={1}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={error !== null}
        aria-describedby={error === null ? undefined : errorId}
        onChange={({ target }) => setEdited({ sql, text: target.value })}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          event.currentTarget.form?.requestSubmit()
        }}
        className="field-sizing-content max-h-24 min-h-8 min-w-0 flex-1 resize-none rounded-md border border-line bg-field px-2.5 py-1.5 font-mono text-xs transition-colors hover:border-line-strong focus-visible:outline-offset-0"
      />
      <Button type="submit" disabled={!canRun} title={t("folders:tables.runKeys")}>
        <Play aria-hidden /> {t("folders:tables.run")}
      </Button>
      {error !== null && (
        <p id={errorId} role="alert" className="basis-full text-xs text-danger">
          {error}
        </p>
      )}
    </form>
  )
}

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
          onClick={() => data && saveRows(getTableTitle(table), data)}
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
function saveRows(name: string, { columns, rows, truncated }: TableAnswer): void {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === "boolean" ? String(cell) : cell)))
  saveFile(`${name}.csv`, csvFile([columns.map((column) => column.name), ...cells]), "text/csv")
  if (truncated) showToast(t("folders:tables.cut", { count: maxRows }))
}
