import { t } from "i18next"
import { ChevronRight, CalendarSearch, Download } from "lucide-react"
import { useState, useMemo } from "react"
import type { Coverage } from "../../../../shared/contract/chat.ts"
import type { Fact, FactKind } from "../../../../shared/contract/facts.ts"
import type { Folder } from "../../../../shared/contract/folders.ts"
import { useFolderTerms, maxRows, useFolderFacts } from "../../../data/folders/file-contents.ts"
import { describeError } from "../../../lib/box.ts"
import { saveFile } from "../../../lib/browser/download.ts"
import { useDebounced } from "../../../lib/debounced.ts"
import { documentAt, useOpenDocument } from "../../../lib/navigation/open-document.ts"
import { factKinds } from "../../../lib/navigation/routes.ts"
import { csvFile } from "../../../lib/words/csv.ts"
import { Note } from "../../../ui/Note.tsx"
import { EmptyState } from "../../../ui/PageParts.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { VirtualList } from "../../../ui/VirtualList.tsx"
import { Button, IconButton } from "../../../ui/controls/Button.tsx"
import { SearchField } from "../../../ui/controls/SearchField.tsx"
import { FileGlyph } from "../../../ui/pictures/FileGlyph.tsx"
import { MiddleCut } from "../../../ui/text/LongText.tsx"
import { FactTable, arrangeFacts, nextOrder, type FactOrder, factRows } from "./FactTable.tsx"

const fileRowHeight = 44

interface CoverageLineProps {
  files: Coverage["files"]
  /** Whether more files are still being searched. */
  isLoading: boolean
  onOpen: (file: { fileId: string; name: string }) => void
}

/** Number of files searched. It expands to list files that weren't searched, or only in part, and why. */
function CoverageLine({ files, isLoading, onOpen }: CoverageLineProps) {
  const [open, setOpen] = useState(false)
  const lacking = files.filter(({ skipped }) => skipped !== null)
  const looked = t("overview:looked", { count: files.length - lacking.length })
  return (
    <footer className="border-t border-line px-4 py-1.5 text-xs text-soft tabular-nums">
      <div className="flex min-h-6 flex-wrap items-center gap-x-3">
        {isLoading && <Spinner label={t("overview:looking")} />}
        <output>{looked}</output>
        {lacking.length > 0 && (
          <button
            type="button"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            className="flex h-6 items-center gap-1 rounded px-1 text-warning hover:bg-hover"
          >
            <ChevronRight className={`size-3 transition-transform ${open ? "rotate-90" : ""}`} aria-hidden />
            {t("overview:lacking", { count: lacking.length })}
          </button>
        )}
      </div>
      {open && lacking.length > 0 && (
        <VirtualList
          label={t("overview:lackingList")}
          items={lacking}
          getId={({ fileId }) => fileId}
          getHeight={() => fileRowHeight}
          className="mt-1 max-h-48 overflow-y-auto rounded-lg border border-line p-1"
        >
          {(file) => (
            <button
              type="button"
              onClick={() => onOpen(file)}
              className="flex h-full w-full items-center gap-2 rounded-md px-2 text-left hover:bg-hover focus-visible:-outline-offset-2"
            >
              <FileGlyph name={file.name} />
              <span className="min-w-0 flex-1">
                <span className="block truncate text-sm text-ink" title={file.name}>
                  <MiddleCut text={file.name} />
                </span>
                <span className="block truncate" title={file.skipped ?? undefined}>
                  {file.skipped}
                </span>
              </span>
              {file.read > 0 && (
                <span className="shrink-0 text-faint">
                  {t(`reading:amount.${file.unit}`, { read: file.read, count: file.of })}
                </span>
              )}
            </button>
          )}
        </VirtualList>
      )}
    </footer>
  )
}

interface FolderTermsProps {
  folder: Folder
  onSearch: (term: string) => void
}

/** The key terms of a folder's documents; each one searches the folder. Nothing if there are none. */
function FolderTerms({ folder, onSearch }: FolderTermsProps) {
  const { data } = useFolderTerms(folder)
  if (!data || data.terms.length === 0) return null
  return (
    <section aria-label={t("overview:terms")} className="px-4 pt-2.5">
      <ul className="flex max-h-21 flex-wrap gap-1 overflow-y-auto p-0.5">
        {data.terms.map(({ term, files }) => (
          <li key={term}>
            <button
              type="button"
              title={t("overview:termHint", { count: files })}
              onClick={() => onSearch(term)}
              className="h-6 max-w-60 truncate rounded-full border border-line px-2.5 text-xs text-soft hover:border-line-strong hover:bg-hover hover:text-ink"
            >
              {term}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

interface OverviewTabProps {
  folder: Folder
  firstFacts: FactKind
  onSearch: (term: string) => void
}

/** The topics of a folder's documents, and the deadlines, dates and amounts in them. It needs no model. */
export function OverviewTab({ folder, firstFacts, onSearch }: OverviewTabProps) {
  const [kind, setKind] = useState(firstFacts)
  const [filter, setFilter] = useState("")
  const [order, setOrder] = useState<FactOrder>({ by: "value", descending: false })
  const openDocument = useOpenDocument()
  const { data, error, isFetching, hasNextPage } = useFolderFacts(folder, kind)
  const words = useDebounced(filter.trim())
  const all = useMemo(() => data?.pages.flatMap(({ facts }) => facts) ?? [], [data])
  const shown = useMemo(() => arrangeFacts(all, words, order), [all, words, order])
  const files = useMemo(() => data?.pages.flatMap(({ coverage }) => coverage.files) ?? [], [data])
  const open = ({ fileId, fileName, block, location, sentence }: Fact) =>
    openDocument(documentAt({ vectorId: folder.id, fileId, fileName }, { block, location, text: sentence }))
  const save = () =>
    saveFile(`${folder.name} · ${t(`overview:kind.${kind}`)}.csv`, csvFile(factRows(shown, kind)), "text/csv")

  return (
    <>
      <FolderTerms folder={folder} onSearch={onSearch} />
      <div className="flex flex-wrap items-center gap-2 px-4 py-2.5">
        <fieldset aria-label={t("overview:what")} className="flex gap-1">
          {factKinds.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === kind}
              onClick={() => setKind(each)}
              className="h-8 rounded-md px-2.5 text-sm text-soft hover:bg-hover aria-pressed:bg-selected aria-pressed:text-ink"
            >
              {t(`overview:kind.${each}`)}
            </button>
          ))}
        </fieldset>
        <span className="flex-1" />
        <SearchField
          label={t("overview:filter")}
          value={filter}
          onChange={setFilter}
          className="w-48 min-w-0 shrink"
        />
        <IconButton label={t("overview:save")} disabled={shown.length === 0} onClick={save}>
          <Download aria-hidden />
        </IconButton>
      </div>
      {error && (
        <div className="px-4 pb-2">
          <Note kind="error">{describeError(error)}</Note>
        </div>
      )}
      {all.length >= maxRows && (
        <div className="px-4 pb-2">
          <Note>{t("overview:cut", { count: all.length })}</Note>
        </div>
      )}
      {shown.length > 0 ? (
        <FactTable
          key={kind}
          facts={shown}
          kind={kind}
          order={order}
          onOrder={(by) => setOrder(nextOrder(order, by))}
          onOpen={open}
        />
      ) : (
        <div className="flex min-h-0 flex-1 overflow-y-auto">
          {!isFetching && !error && (
            <EmptyState
              icon={CalendarSearch}
              title={t(all.length > 0 ? "overview:noMatch" : `overview:none.${kind}`)}
              {...(all.length === 0 &&
                kind === "deadlines" && {
                  action: <Button onClick={() => setKind("dates")}>{t("overview:allDates")}</Button>,
                })}
            >
              {all.length === 0 && t("overview:noneHint")}
            </EmptyState>
          )}
        </div>
      )}
      <CoverageLine
        files={files}
        isLoading={isFetching || hasNextPage}
        onOpen={({ fileId, name }) => openDocument({ vectorId: folder.id, fileId, fileName: name })}
      />
    </>
  )
}
