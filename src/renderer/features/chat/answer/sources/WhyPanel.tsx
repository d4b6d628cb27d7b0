import { t } from "i18next"
import { useMemo, useState } from "react"
import type { MessagePart } from "../../../../../shared/contract/chat.ts"
import type { RetrievalCandidate, Retrieval } from "../../../../../shared/contract/conversations.ts"
import { useRetrieval } from "../../../../data/chats/conversations.ts"
import { describeError } from "../../../../lib/box.ts"
import { useWindowKeys } from "../../../../lib/keys/shortcut.ts"
import { toOpenDocument, useOpenDocument } from "../../../../lib/navigation/open-document.ts"
import { citedSources } from "../../../../ui/markdown/citations.ts"
import { formatLocation } from "../../../../lib/words/format.ts"
import { formatMatches } from "../../../../lib/words/matched-words.ts"
import { Note } from "../../../../ui/Note.tsx"
import { Spinner } from "../../../../ui/Progress.tsx"
import { SidePanel } from "../../../../ui/layers/SidePanel.tsx"
import { FileGlyph } from "../../../../ui/pictures/FileGlyph.tsx"
import { LongText, MiddleCut } from "../../../../ui/text/LongText.tsx"
import { plainText, type ShownMessage } from "../../session/chat-view.ts"

interface WhyPassages {
  cited: RetrievalCandidate[]
  /** Passages that the model received but didn't cite. */
  uncited: RetrievalCandidate[]
  leftOut: RetrievalCandidate[]
}

/** Returns how each passage found for an answer was used, including those found by its tools. */
export function whyPassages(parts: MessagePart[], found: readonly RetrievalCandidate[]): WhyPassages {
  const sources = parts.filter((part) => part.type === "source")
  const cited = new Set(citedSources(plainText(parts), sources).map(({ citation }) => citation))
  const numbers = new Set(found.map(({ citation }) => citation))
  const byTools = sources
    .filter(({ citation }) => !numbers.has(citation))
    .map((source) => ({ ...source, reason: "used" as const }))
  const isCited = ({ citation }: RetrievalCandidate) => citation !== null && cited.has(citation)
  const used = [...found.filter(({ reason }) => reason === "used"), ...byTools]
  return {
    cited: used.filter(isCited),
    uncited: used.filter((passage) => !isCited(passage)),
    leftOut: found.filter(({ reason }) => reason !== "used"),
  }
}

/** Maximum characters of the question; six lines are visible. */
const maxShown = 2000

interface WhyPanelProps {
  chatId: string
  answer: ShownMessage
  onClose: () => void
}

/** Shows what was searched for an answer, what was found, and how each passage was used. */
export function WhyPanel({ chatId, answer, onClose }: WhyPanelProps) {
  const { data, error, isPending } = useRetrieval(chatId, answer.key)
  const [opener] = useState(() => document.activeElement)
  function close() {
    const hadFocus = document.activeElement?.closest("aside") != null
    onClose()
    if (hadFocus && opener instanceof HTMLElement && opener.isConnected) opener.focus()
  }
  useWindowKeys((event) => {
    if (event.key !== "Escape") return
    event.preventDefault()
    close()
  })

  return (
    <SidePanel label={t("chat:why.title")} heading={t("chat:why.title")} onClose={close}>
      {isPending && (
        <div className="m-auto text-faint">
          <Spinner label={t("chat:why.loading")} />
        </div>
      )}
      {error && (
        <div className="p-4">
          <Note kind="error">{describeError(error)}</Note>
        </div>
      )}
      {data !== undefined && <Found retrieval={data} parts={answer.parts} onOpen={onClose} />}
    </SidePanel>
  )
}

interface FoundProps {
  /** Null if nothing was searched before the model answered, or if the record was deleted. */
  retrieval: Retrieval | null
  parts: MessagePart[]
  onOpen: () => void
}

function Found({ retrieval, parts, onOpen }: FoundProps) {
  const passages = useMemo(() => whyPassages(parts, retrieval?.candidates ?? []), [parts, retrieval])
  const { cited, uncited, leftOut } = passages
  const shared = { query: retrieval?.query, onOpen }
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">
      {retrieval && <Searched {...retrieval} />}
      {!retrieval && cited.length + uncited.length === 0 && (
        <p className="text-sm text-soft">{t("chat:why.nothing")}</p>
      )}
      <Candidates title={t("chat:why.cited", { count: cited.length })} candidates={cited} {...shared} />
      <Candidates title={t("chat:why.uncited", { count: uncited.length })} candidates={uncited} {...shared} />
      <Candidates title={t("chat:why.leftOut", { count: leftOut.length })} candidates={leftOut} {...shared} />
    </div>
  )
}

function Searched({ query, querySource, strategy }: Omit<Retrieval, "candidates">) {
  return (
    <>
      <h3 className="text-xs font-medium text-faint">{t("chat:why.query")}</h3>
      <p
        className="mt-1 line-clamp-6 text-sm break-words whitespace-pre-wrap"
        title={query.slice(0, maxShown)}
      >
        {query.slice(0, maxShown)}
      </p>
      {querySource !== "question" && (
        <p className="mt-1 text-xs text-soft">{t(`chat:why.source.${querySource}`)}</p>
      )}
      <p className="mt-1 text-xs text-faint">{t(`chat:why.strategy.${strategy}`)}</p>
    </>
  )
}

interface CandidatesProps {
  title: string
  candidates: RetrievalCandidate[]
  /** The search query. */
  query: string | undefined
  onOpen: () => void
}

function Candidates({ title, candidates, query, onOpen }: CandidatesProps) {
  if (candidates.length === 0) return null
  return (
    <section className="mt-5">
      <h3 className="text-xs font-medium text-faint">{title}</h3>
      <ul className="mt-1.5 flex flex-col gap-1.5">
        {candidates.map((candidate) => (
          <li key={candidate.id}>
            <Candidate candidate={candidate} query={query} onOpen={onOpen} />
          </li>
        ))}
      </ul>
    </section>
  )
}

interface CandidateProps extends Pick<CandidatesProps, "query" | "onOpen"> {
  candidate: RetrievalCandidate
}

function Candidate({ candidate, query, onOpen }: CandidateProps) {
  const { citation, reason, fileName, location, rank, text } = candidate
  const openDocument = useOpenDocument()
  const locationLabel = formatLocation(location)
  const found = useMemo(() => formatMatches(candidate, query), [candidate, query])
  const facts = [
    found,
    rank.keyword !== undefined && t("passages:keywordRank", { rank: rank.keyword }),
    rank.semantic !== undefined && t("passages:semanticRank", { rank: rank.semantic }),
    rank.name !== undefined && t("passages:nameRank", { rank: rank.name }),
  ].filter((fact) => fact !== false && fact !== "")
  return (
    <details className="rounded-lg border border-line open:bg-well">
      <summary className="list-none rounded-lg px-3 py-2 hover:bg-hover">
        <span className="flex items-center gap-2">
          {citation !== null && (
            <span className="inline-flex h-4 min-w-4 shrink-0 items-center justify-center rounded-sm bg-tint px-1 text-[0.6875rem] font-medium text-accent tabular-nums">
              {citation}
            </span>
          )}
          <FileGlyph name={fileName} />
          <span className="min-w-0 flex-1 truncate text-sm" title={fileName}>
            <MiddleCut text={fileName} />
          </span>
          {locationLabel !== "" && (
            <span className="max-w-28 shrink-0 truncate text-xs text-faint">{locationLabel}</span>
          )}
        </span>
        <span className="mt-0.5 block text-xs text-faint tabular-nums">{facts.join(" · ")}</span>
        {reason !== "used" && (
          <span className="block text-xs text-soft">{t(`chat:why.reason.${reason}`)}</span>
        )}
      </summary>
      <div className="px-3 pb-2.5">
        <p className="max-h-64 overflow-y-auto text-sm break-words whitespace-pre-wrap">
          <LongText text={text} />
        </p>
        <button
          type="button"
          onClick={() => {
            onOpen()
            openDocument(toOpenDocument(candidate, query))
          }}
          className="mt-2 rounded text-sm font-medium text-accent hover:underline"
        >
          {t("chat:why.document")}
        </button>
      </div>
    </details>
  )
}
