import { t } from "i18next"
import type { Source } from "../../../../../shared/contract/chat.ts"
import { formatLocation } from "../../../../lib/words/format.ts"
import { formatMatches } from "../../../../lib/words/matched-words.ts"
import { FileGlyph } from "../../../../ui/pictures/FileGlyph.tsx"
import { MiddleCut } from "../../../../ui/text/LongText.tsx"

const maxQuoteLength = 400

interface SourcePreviewProps {
  source: Source
  /** The question that was asked. */
  query: string | undefined
}

/** A preview of a cited passage. */
export function SourcePreview({ source, query }: SourcePreviewProps) {
  const { fileName, location, text } = source
  const locationLabel = formatLocation(location)
  const quoted = text.replaceAll(/\s*\n\s*/g, "\n")
  return (
    <>
      <p className="flex items-center gap-2">
        <FileGlyph name={fileName} />
        <span className="min-w-0 flex-1 truncate text-sm font-medium">
          <MiddleCut text={fileName} />
        </span>
      </p>
      {locationLabel !== "" && <p className="mt-0.5 truncate text-xs text-faint">{locationLabel}</p>}
      <blockquote
        dir="auto"
        className="mt-2 line-clamp-6 border-s-2 border-line-strong ps-2.5 text-sm break-words whitespace-pre-line text-soft"
      >
        {quoted.length > maxQuoteLength ? `${quoted.slice(0, maxQuoteLength)}…` : quoted}
      </blockquote>
      <p className="mt-2 flex justify-between gap-4 border-t border-line pt-2 text-xs text-faint">
        <span className="truncate">{formatMatches(source, query)}</span>
        <span className="shrink-0">{t("passages:clickOpens")}</span>
      </p>
    </>
  )
}
