import { Search } from "lucide-react"
import { useState } from "react"
import { useQuery } from "@tanstack/react-query"
import type { Passage } from "../../../shared/contract/folders.ts"
import { box, describeError } from "../../lib/box.ts"
import { formatLocation, formatPercent } from "../../lib/format.ts"
import { documentOf, useOpenDocument } from "../../lib/open-document.ts"
import { Button } from "../../ui/Button.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Note } from "../../ui/Note.tsx"
import { SearchField } from "../../ui/SearchField.tsx"

/** Shows what a chat would find in the folder, and how relevant each passage is. */
export function SearchTab({ folderId }: { folderId: string }) {
  const [text, setText] = useState("")
  const [query, setQuery] = useState("")
  const search = useQuery({
    queryKey: ["search", folderId, query],
    queryFn: ({ signal }) => box.folders.search({ body: { query, vector: [folderId] } }, { signal }),
    enabled: query !== "",
    staleTime: 0,
  })

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <form
        className="flex gap-2 px-4 py-2.5"
        onSubmit={(event) => {
          event.preventDefault()
          if (text.trim() === query) void search.refetch()
          setQuery(text.trim())
        }}
      >
        <SearchField label="What would a chat find?" value={text} onChange={setText} className="flex-1" />
        <Button type="submit" busy={search.isFetching} disabled={text.trim() === ""}>
          Search
        </Button>
      </form>
      <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-4 pt-1 pb-4">
        {search.error && <Note kind="error">{describeError(search.error)}</Note>}
        {search.data?.notices.map((notice) => (
          <Note key={notice.code}>{notice.message}</Note>
        ))}
        {search.data && <Results passages={search.data.results} />}
        {query === "" && (
          <EmptyState icon={Search} title="Try the search by itself">
            It shows the passages that an answer would rest on, with their ranks and relevance.
          </EmptyState>
        )}
      </div>
    </div>
  )
}

function Results({ passages }: { passages: Passage[] }) {
  if (passages.length === 0)
    return (
      <EmptyState icon={Search} title="Nothing found">
        Try other words, or lower the folder’s relevance limit.
      </EmptyState>
    )
  return (
    <ol aria-label="Passages" className="flex flex-col gap-2">
      {passages.map((passage) => (
        <li key={passage.id}>
          <PassageCard passage={passage} />
        </li>
      ))}
    </ol>
  )
}

function PassageCard({ passage }: { passage: Passage }) {
  const openDocument = useOpenDocument()
  const { keyword, semantic } = passage.rank
  return (
    <button
      type="button"
      onClick={() => openDocument(documentOf(passage))}
      className="block w-full rounded-lg border border-line p-3 text-left transition-colors hover:border-line-strong hover:bg-hover"
    >
      <span className="flex items-baseline gap-2 text-xs text-faint">
        <span className="min-w-0 truncate text-sm font-medium text-ink" title={passage.fileName}>
          {passage.fileName}
        </span>
        <span className="min-w-0 flex-1 truncate">{formatLocation(passage.location)}</span>
        {keyword !== undefined && <span className="shrink-0">keyword #{keyword}</span>}
        {semantic !== undefined && <span className="shrink-0">meaning #{semantic}</span>}
        <span className="shrink-0 font-medium text-soft tabular-nums">{formatPercent(passage.score)}</span>
      </span>
      <span className="mt-1.5 line-clamp-4 text-sm break-words whitespace-pre-line text-soft">
        {passage.text}
      </span>
    </button>
  )
}
