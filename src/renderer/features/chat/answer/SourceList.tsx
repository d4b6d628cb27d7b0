import { t } from "i18next"
import { useState } from "react"
import type { Source } from "../../../../shared/contract/chat.ts"
import { documentOf, useOpenDocument } from "../../../lib/places/open-document.ts"
import { FileGlyph } from "../../../ui/pictures/FileGlyph.tsx"
import { HoverGlance } from "../../../ui/layers/HoverGlance.tsx"
import { SourcePreview } from "./SourcePreview.tsx"

/** What is shown of them at first; answers about everything rest on hundreds. */
const shownAtFirst = 20

/** The passages an answer rests on, by their citation numbers. */
export function SourceList({ sources }: { sources: Source[] }) {
  const openDocument = useOpenDocument()
  const [showsAll, setShowsAll] = useState(false)
  const shown = showsAll ? sources : sources.slice(0, shownAtFirst)
  return (
    <ul aria-label={t("chat:sources")} className="flex flex-wrap gap-1.5">
      {shown.map((source) => (
        <li key={source.citation} className="max-w-full">
          <HoverGlance
            glance={<SourcePreview source={source} />}
            onOpen={() => openDocument(documentOf(source))}
          >
            {(handlers) => (
              <button
                type="button"
                {...handlers}
                className="flex h-7 max-w-64 items-center gap-1.5 rounded-md border border-line px-2 text-xs text-soft transition-colors hover:border-line-strong hover:bg-hover hover:text-ink"
              >
                <span className="font-medium text-accent tabular-nums">{source.citation}</span>
                <FileGlyph name={source.fileName} className="size-3.5" />
                <span className="truncate">{source.fileName}</span>
              </button>
            )}
          </HoverGlance>
        </li>
      ))}
      {shown.length < sources.length && (
        <li>
          <button
            type="button"
            onClick={() => setShowsAll(true)}
            className="flex h-7 items-center rounded-md px-2 text-xs font-medium text-accent hover:underline"
          >
            {t("chat:allSources", { count: sources.length })}
          </button>
        </li>
      )}
    </ul>
  )
}
