import { t } from "i18next"
import { CalendarSearch, Download } from "lucide-react"
import { useMemo, useState } from "react"
import type { Fact, FactKind } from "../../../../shared/contract/facts.ts"
import type { Folder } from "../../../../shared/contract/folders.ts"
import { maxRows, useFolderFacts } from "../../../data/folders/file-contents.ts"
import { describeError } from "../../../lib/box.ts"
import { saveFile } from "../../../lib/browser/save-file.ts"
import { useDebounced } from "../../../lib/debounced.ts"
import { documentAt, useOpenDocument } from "../../../lib/navigation/open-document.ts"
import { factKinds } from "../../../lib/navigation/routes.ts"
import { csvFile } from "../../../lib/words/csv.ts"
import { Button, IconButton } from "../../../ui/controls/Button.tsx"
import { SearchField } from "../../../ui/controls/SearchField.tsx"
import { EmptyState } from "../../../ui/PageParts.tsx"
import { Note } from "../../../ui/Note.tsx"
import { arrangeFacts, nextOrder, type FactOrder } from "./arrange-facts.ts"
import { CoverageLine } from "./CoverageLine.tsx"
import { factRows } from "./fact-rows.ts"
import { FactTable } from "./FactTable.tsx"
import { FolderTerms } from "./FolderTerms.tsx"

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
