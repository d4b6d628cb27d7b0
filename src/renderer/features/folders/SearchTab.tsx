import { useQuery } from "@tanstack/react-query"
import { t } from "i18next"
import { Search } from "lucide-react"
import { useState } from "react"
import type { FileFilter } from "../../../shared/contract/file-filter.ts"
import type { Passage, Strategy } from "../../../shared/contract/folders.ts"
import { box, describeError } from "../../lib/box.ts"
import { isNarrowed, takeConditions, withoutLast } from "../../lib/file-filter.ts"
import { toPageLanguage } from "../../lib/words/sentence.ts"
import { formatLocation, formatPercent } from "../../lib/words/format.ts"
import { toOpenDocument, useOpenDocument } from "../../lib/navigation/open-document.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { EmptyState } from "../../ui/PageParts.tsx"
import { FilterChips } from "../../ui/FilterChips.tsx"
import { FileGlyph } from "../../ui/pictures/FileGlyph.tsx"
import { Note } from "../../ui/Note.tsx"
import { SearchField } from "../../ui/controls/SearchField.tsx"
import { MiddleCut } from "../../ui/text/LongText.tsx"

interface SearchTabProps {
  folderId: string
  /** The first search text. */
  wanted: string
}

/** Shows the passages that a chat would find in the folder, and how relevant each one is. */
export function SearchTab({ folderId, wanted }: SearchTabProps) {
  const [text, setText] = useState(wanted)
  const [query, setQuery] = useState(wanted)
  const [filter, setFilter] = useState<FileFilter>({})
  const search = useQuery({
    queryKey: ["search", folderId, query, filter],
    queryFn: ({ signal }) => box.folders.search({ body: { query, vector: [folderId], filter } }, { signal }),
    enabled: query !== "",
    staleTime: 0,
  })

  function type(next: string, isDone: boolean): string {
    const taken = takeConditions(next, filter, { isDone })
    setText(taken.text)
    setFilter(taken.filter)
    return taken.text.trim()
  }

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <form
        className="flex gap-2 px-4 py-2.5"
        onSubmit={(event) => {
          event.preventDefault()
          const asked = type(text, true)
          if (asked === query) void search.refetch()
          setQuery(asked)
        }}
      >
        <SearchField
          label={t("folders:search.field")}
          value={text}
          onChange={(next) => type(next, false)}
          onErase={() => setFilter(withoutLast(filter))}
          className="flex-1"
        />
        <Button type="submit" busy={search.isFetching} disabled={text.trim() === ""}>
          {t("folders:search.submit")}
        </Button>
      </form>
      {isNarrowed(filter) && <FilterChips filter={filter} onChange={setFilter} className="px-4 pb-2.5" />}
      <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-4 pt-1 pb-4">
        {search.error && <Note kind="error">{describeError(search.error)}</Note>}
        {search.data?.notices.map((notice) => (
          <Note key={notice.code} kind={notice.code === "no_embedding_model" ? "quiet" : "info"}>
            {toPageLanguage(notice.message, notice.sentence)}
          </Note>
        ))}
        {search.data && (
          <Results passages={search.data.results} strategy={search.data.strategy} query={query} />
        )}
        {query === "" && (
          <EmptyState icon={Search} title={t("folders:search.try")}>
            {t("folders:search.tryHint")} {t("narrowing:hint")}
          </EmptyState>
        )}
      </div>
    </div>
  )
}

const explanations = {
  hybrid: "folders:search.howHybrid",
  keyword: "folders:search.howKeyword",
  semantic: "folders:search.howSemantic",
} as const

interface ResultsProps {
  passages: Passage[]
  strategy: Strategy
  /** The text that was searched for. */
  query: string
}

function Results({ passages, strategy, query }: ResultsProps) {
  if (passages.length === 0) {
    return (
      <EmptyState icon={Search} title={t("folders:search.nothing")}>
        {t("folders:search.nothingHint")}
      </EmptyState>
    )
  }
  return (
    <>
      <p className="text-xs text-soft">{t(explanations[strategy])}</p>
      <ol aria-label={t("folders:search.passages")} className="flex flex-col gap-2">
        {passages.map((passage) => (
          <li key={passage.id}>
            <PassageCard passage={passage} query={query} />
          </li>
        ))}
      </ol>
    </>
  )
}

function PassageCard({ passage, query }: { passage: Passage; query: string }) {
  const openDocument = useOpenDocument()
  const { keyword, semantic, name } = passage.rank
  return (
    <button
      type="button"
      onClick={() => openDocument(toOpenDocument(passage, query))}
      className="block w-full rounded-lg border border-line p-3 text-left transition-colors hover:border-line-strong hover:bg-hover"
    >
      <span className="flex flex-wrap items-baseline gap-x-2 text-xs text-faint">
        <FileGlyph name={passage.fileName} className="size-3.5 self-center" />
        <span className="max-w-full min-w-0 truncate text-sm font-medium text-ink" title={passage.fileName}>
          <MiddleCut text={passage.fileName} />
        </span>
        <span className="min-w-0 flex-1 truncate">{formatLocation(passage.location)}</span>
        {keyword !== undefined && (
          <span className="shrink-0">{t("folders:search.keyword", { rank: keyword })}</span>
        )}
        {semantic !== undefined && (
          <span className="shrink-0">{t("folders:search.meaning", { rank: semantic })}</span>
        )}
        {name !== undefined && (
          <span className="shrink-0">{t("folders:search.fileName", { rank: name })}</span>
        )}
        <span className="shrink-0 font-medium text-soft tabular-nums">
          {t("folders:search.relevance", { percent: formatPercent(passage.score) })}
        </span>
      </span>
      <span className="mt-1.5 line-clamp-4 text-sm break-words whitespace-pre-line text-soft">
        {passage.text}
      </span>
      {passage.alsoIn && (
        <span className="mt-1.5 block truncate text-xs text-faint">
          {t("folders:search.alsoIn", { names: passage.alsoIn.map(({ fileName }) => fileName).join(", ") })}
        </span>
      )}
    </button>
  )
}
