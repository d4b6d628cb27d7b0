import { t } from "i18next"
import { FileText } from "lucide-react"
import { Link } from "wouter"
import type { MessagePart } from "../../../../shared/contract/chat.ts"
import { citedSources } from "../../../lib/words/cited-sources.ts"
import { toPageLanguage } from "../../../lib/words/sentence.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { LazyMarkdown } from "../../../ui/markdown/LazyMarkdown.tsx"
import { Note } from "../../../ui/Note.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { ReadingLine } from "../answer/ReadingLine.tsx"
import { plainText } from "../session/chat-view.ts"
import type { ReadingProgress } from "../session/live-answer.ts"
import { MiddleCut } from "../../../ui/text/MiddleCut.tsx"

interface QuickAnswerProps {
  parts: MessagePart[]
  growing: boolean
  /** Reading progress before any text has arrived. */
  reading: ReadingProgress | undefined
}

/** Shows an answer's text, errors and cited documents. Everything else is in the main window. */
export function QuickAnswer({ parts, growing, reading }: QuickAnswerProps) {
  const hasText = parts.some((part) => part.type === "text" || part.type === "error")
  const sources = parts.filter((part) => part.type === "source")
  const cited = growing ? [] : citedSources(plainText(parts), sources)
  const files = [...new Map(cited.map((source) => [source.fileId, source])).values()]
  return (
    <article aria-label={t("frame:quickAsk.answer")} className="flex flex-col gap-3">
      {parts.map((part, index) => (
        // Parts are only ever appended.
        // oxlint-disable-next-line react/no-array-index-key
        <Part key={index} part={part} growing={growing && index === parts.length - 1} />
      ))}
      {reading && <ReadingLine reading={reading} />}
      {growing && !hasText && !reading && <Spinner label={t("frame:quickAsk.answering")} />}
      {files.length > 0 && (
        <ul aria-label={t("frame:quickAsk.sources")} className="flex flex-wrap gap-2">
          {files.map(({ fileId, fileName, vectorId }) => (
            <li key={fileId} className="min-w-0">
              <Link
                href={routes.file(vectorId, fileId)}
                className="flex max-w-64 items-center gap-1.5 rounded-md border border-line px-2 py-1 text-xs text-soft hover:bg-hover hover:text-ink"
              >
                <FileText className="size-3.5 shrink-0" aria-hidden />
                <span className="min-w-0 truncate" title={fileName}>
                  <MiddleCut text={fileName} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </article>
  )
}

function Part({ part, growing }: { part: MessagePart; growing: boolean }) {
  if (part.type === "text") return <LazyMarkdown text={part.text} growing={growing} />
  if (part.type === "notice") return <Note>{toPageLanguage(part.message, part.sentence)}</Note>
  if (part.type === "error") return <Note kind="error">{toPageLanguage(part.error, part.sentence)}</Note>
  return null
}
