import { t } from "i18next"
import { useState } from "react"
import type { Fact, FileOverview, KeyTerm, OutlineEntry } from "../../../shared/contract/facts.ts"
import { useFileOverview } from "../../data/folders/file-contents.ts"
import { describeError } from "../../lib/box.ts"
import { documentAt, type OpenDocument } from "../../lib/navigation/open-document.ts"
import { formatDate, formatFact } from "../../lib/words/format-fact.ts"
import { formatLocation } from "../../lib/words/format.ts"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { VirtualList } from "../../ui/VirtualList.tsx"

type Shown = "outline" | "dates" | "amounts"

interface DocumentOverviewProps {
  document: OpenDocument
  /** Shows the document at a location. */
  onJump: (document: OpenDocument) => void
}

/** An overview of a document that needs no model: outline, key terms, dates and amounts, each with its location. */
export function DocumentOverview({ document, onJump }: DocumentOverviewProps) {
  const { data, error, isPending } = useFileOverview(document.vectorId, document.fileId)
  if (isPending) {
    return (
      <div className="m-auto text-faint">
        <Spinner label={t("overview:loading")} />
      </div>
    )
  }
  if (error) {
    return (
      <div className="p-4">
        <Note kind="error">{describeError(error)}</Note>
      </div>
    )
  }
  return (
    <Found
      overview={data}
      onJump={({ block, location }, text) => onJump(documentAt(document, { block, location, text }))}
    />
  )
}

interface FoundProps {
  overview: FileOverview
  onJump: (place: Pick<OutlineEntry, "block" | "location">, text: string) => void
}

function Found({ overview, onJump }: FoundProps) {
  const { outline, terms, dates, amounts, truncated, coverage } = overview
  const counts = { outline: outline.entries.length, dates: dates.length, amounts: amounts.length }
  const [shown, setShown] = useState<Shown>(
    () => (["outline", "dates", "amounts"] as const).find((each) => counts[each] > 0) ?? "outline",
  )
  const isCut = shown === "outline" ? outline.truncated : truncated
  return (
    <>
      {coverage.skipped !== null && (
        <div className="px-4 pt-3">
          <Note>{coverage.skipped}</Note>
        </div>
      )}
      {terms.length > 0 && <Terms terms={terms} onJump={onJump} />}
      <fieldset aria-label={t("overview:what")} className="flex gap-1 border-b border-line px-4 py-1.5">
        {(["outline", "dates", "amounts"] as const).map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === shown}
            onClick={() => setShown(each)}
            className="h-6 truncate rounded-md px-2 text-xs font-medium text-soft hover:bg-hover aria-pressed:bg-selected aria-pressed:text-ink"
          >
            {t(`overview:${each}Count`, { count: counts[each] })}
          </button>
        ))}
      </fieldset>
      {shown === "outline" && <Entries entries={outline.entries} onJump={onJump} />}
      {shown === "dates" && <Facts facts={dates} kind={shown} onJump={onJump} />}
      {shown === "amounts" && <Facts facts={amounts} kind={shown} onJump={onJump} />}
      {isCut && (
        <p className="border-t border-line px-5 py-1.5 text-xs text-soft">{t("overview:truncated")}</p>
      )}
    </>
  )
}

function Terms({ terms, onJump }: { terms: readonly KeyTerm[] } & Pick<FoundProps, "onJump">) {
  return (
    <section aria-label={t("overview:terms")} className="border-b border-line px-4 py-2">
      <h3 className="pb-1 text-xs font-medium text-faint">{t("overview:terms")}</h3>
      <ul className="flex max-h-22 flex-wrap gap-1 overflow-y-auto p-0.5">
        {terms.map(({ term, count, places: [first] }) => (
          <li key={term}>
            <button
              type="button"
              title={t("overview:termPlace", { count })}
              onClick={() => first && onJump(first, first.sentence)}
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

const list = "min-h-0 flex-1 overflow-y-auto px-2 py-1.5"
const row = "h-full w-full rounded-md px-3 text-left hover:bg-hover focus-visible:-outline-offset-2"
const indent = 14
const maxIndents = 6

function Entries({ entries, onJump }: { entries: readonly OutlineEntry[] } & Pick<FoundProps, "onJump">) {
  if (entries.length === 0) return <Nothing>{t("overview:noOutline")}</Nothing>
  return (
    <VirtualList
      label={t("overview:outline")}
      items={entries}
      getId={({ block, title }) => `${block} ${title}`}
      getHeight={() => 32}
      className={list}
    >
      {(entry) => (
        <button
          type="button"
          onClick={() => onJump(entry, entry.sentence)}
          className={`${row} flex items-center gap-3 text-sm`}
          style={{ paddingLeft: Math.min(entry.level, maxIndents) * indent }}
        >
          <span className="min-w-0 flex-1 truncate" title={entry.title} dir="auto">
            {entry.title}
          </span>
          <span className="shrink-0 text-xs text-faint tabular-nums">{describeLocation(entry)}</span>
        </button>
      )}
    </VirtualList>
  )
}

interface FactsProps extends Pick<FoundProps, "onJump"> {
  facts: readonly Fact[]
  kind: "dates" | "amounts"
}

function Facts({ facts, kind, onJump }: FactsProps) {
  if (facts.length === 0) return <Nothing>{t(`overview:none.${kind}`)}</Nothing>
  return (
    <VirtualList
      label={t(`overview:kind.${kind}`)}
      items={facts.map((fact, number) => ({ fact, number }))}
      getId={({ number }) => String(number)}
      getHeight={() => 52}
      className={list}
    >
      {({ fact }) => (
        <button type="button" onClick={() => onJump(fact, fact.sentence)} className={row}>
          <span className="flex items-baseline gap-2">
            <span className="min-w-0 truncate text-sm font-medium tabular-nums" title={fact.text}>
              {formatFact(fact)}
            </span>
            {fact.kind === "date" && fact.otherDate !== null && (
              <span className="shrink-0 text-xs text-warning" title={t("overview:unclearHint")}>
                {t("overview:or", { date: formatDate(fact.otherDate) })}
              </span>
            )}
            {fact.kind === "date" && fact.isDeadline && (
              <span className="shrink-0 text-xs text-warning">{t("overview:deadline")}</span>
            )}
            <span className="min-w-0 flex-1 truncate text-right text-xs text-faint">
              {formatLocation(fact.location)}
            </span>
          </span>
          <span className="block truncate text-xs text-soft" title={fact.sentence} dir="auto">
            {fact.sentence}
          </span>
        </button>
      )}
    </VirtualList>
  )
}

const Nothing = ({ children }: { children: string }) => (
  <p className="m-auto p-6 text-center text-sm text-soft">{children}</p>
)

/** Without headings and sheet, which the outline shows already. */
function describeLocation({ location }: Pick<OutlineEntry, "location">): string {
  const place = { ...location }
  delete place.heading
  delete place.sheet
  return formatLocation(place)
}
