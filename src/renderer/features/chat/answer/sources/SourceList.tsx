import { t } from "i18next"
import { Fragment, use, useMemo, useState, type ReactNode } from "react"
import type { Source } from "../../../../../shared/contract/chat.ts"
import { HoverGlance } from "../../../../ui/layers/HoverGlance.tsx"
import { CitationContext } from "../../../../ui/markdown/citations.ts"
import { FileGlyph } from "../../../../ui/pictures/FileGlyph.tsx"
import { MiddleCut } from "../../../../ui/text/LongText.tsx"

/** A cited page, slide or message, represented by the first of its passages. */
interface CitedPage {
  unit: "page" | "slide" | "message"
  number: number
  source: Source
}

interface CitedFile {
  /** The passage of the file that is cited first. */
  first: Source
  /** In page order; empty if the file has no pages, slides or messages. */
  pages: CitedPage[]
}

/** Groups cited passages by file, in the order of their numbers. */
export function citedFiles(cited: readonly Source[]): CitedFile[] {
  const files = new Map<string, CitedFile>()
  for (const source of cited) {
    const file = files.get(source.fileId) ?? { first: source, pages: [] }
    files.set(source.fileId, file)
    const page = getPage(source)
    if (page && !file.pages.some(({ number }) => number === page.number)) file.pages.push(page)
  }
  for (const { pages } of files.values()) pages.sort((a, b) => a.number - b.number)
  return [...files.values()]
}

function getPage(source: Source): CitedPage | undefined {
  const { page, slide, message, entry } = source.location
  if (message !== undefined) return { unit: "message", number: message, source }
  // Each member of an archive has pages of its own.
  if (entry !== undefined) return undefined
  if (page !== undefined) return { unit: "page", number: page, source }
  return slide === undefined ? undefined : { unit: "slide", number: slide, source }
}

/** Initial maximums, because answers about everything may have hundreds of sources. */
const filesAtFirst = 20
const pagesAtFirst = 8

/** The files that an answer cites, with their pages. */
export function SourceList({ cited }: { cited: readonly Source[] }) {
  const files = useMemo(() => citedFiles(cited), [cited])
  const [showsAll, setShowsAll] = useState(false)
  const shown = showsAll ? files : files.slice(0, filesAtFirst)
  return (
    <ul aria-label={t("chat:sources")} className="flex flex-wrap gap-1.5">
      {shown.map((file) => (
        <FileChip key={file.first.fileId} file={file} />
      ))}
      {shown.length < files.length && (
        <li>
          <button
            type="button"
            onClick={() => setShowsAll(true)}
            className="flex h-7 items-center rounded-md px-2 text-xs font-medium text-accent hover:underline"
          >
            {t("chat:allSources", { count: files.length })}
          </button>
        </li>
      )}
    </ul>
  )
}

/** A file, with a link for each of its cited pages. */
function FileChip({ file: { first, pages } }: { file: CitedFile }) {
  const [showsAll, setShowsAll] = useState(false)
  const [firstPage, ...others] = pages
  const shown = showsAll ? others : others.slice(0, pagesAtFirst)
  return (
    <li className="flex max-w-full min-w-0 flex-wrap items-center rounded-md border border-line text-xs text-soft">
      <PassageButton source={firstPage?.source ?? first}>
        <FileGlyph name={first.fileName} className="size-3.5" />
        <span className="max-w-52 truncate" title={first.fileName}>
          <MiddleCut text={first.fileName} />
        </span>
        {firstPage && (
          <span className="shrink-0 text-accent tabular-nums">
            {t(`chat:cited.${firstPage.unit}`, { number: firstPage.number })}
          </span>
        )}
      </PassageButton>
      {shown.map(({ unit, number, source }) => (
        <Fragment key={number}>
          <span className="-mr-1.5 -ml-2 text-accent">, </span>
          <PassageButton source={source} label={`${first.fileName} ${t(`chat:cited.${unit}`, { number })}`}>
            <span className="text-accent tabular-nums">{number}</span>
          </PassageButton>
        </Fragment>
      ))}
      {shown.length < others.length && (
        <button
          type="button"
          aria-label={t("chat:cited.allPages", { count: pages.length, name: first.fileName })}
          onClick={() => setShowsAll(true)}
          className="h-7 rounded-md px-2 font-medium text-accent hover:underline"
        >
          +{others.length - shown.length}
        </button>
      )}
    </li>
  )
}

/** Previews a passage and opens it. */
function PassageButton({ source, label, children }: { source: Source; label?: string; children: ReactNode }) {
  const { preview, open } = use(CitationContext)
  return (
    <HoverGlance glance={preview(source.citation)} onOpen={() => open(source.citation)}>
      {(handlers) => (
        <button
          type="button"
          aria-label={label}
          {...handlers}
          className="flex h-7 min-w-7 items-center justify-center gap-1.5 rounded-md px-2 transition-colors hover:bg-hover hover:text-ink"
        >
          {children}
        </button>
      )}
    </HoverGlance>
  )
}
