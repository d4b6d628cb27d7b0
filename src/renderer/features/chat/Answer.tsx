import { Check, Copy, RotateCcw } from "lucide-react"
import { useMemo, useState } from "react"
import type { FinishReason, Source } from "../../../shared/contract/chat.ts"
import { copyText } from "../../lib/clipboard.ts"
import { documentOf, useOpenDocument } from "../../lib/open-document.ts"
import { IconButton } from "../../ui/IconButton.tsx"
import { CitationContext } from "../../ui/markdown/citation-context.ts"
import { Note } from "../../ui/Note.tsx"
import { AnswerSection } from "./AnswerSection.tsx"
import { arrangeParts, plainText, type ShownMessage } from "./chat-view.ts"
import { SourceList } from "./SourceList.tsx"

const endings: Partial<Record<FinishReason, string>> = {
  aborted: "Stopped.",
  length: "The answer ends here because it reached its greatest length. Ask to continue.",
}

interface AnswerProps {
  message: ShownMessage
  /** Asks the same question again; undefined where that makes no sense. */
  onRetry: (() => void) | undefined
}

/** What the assistant said: notices, text with citations, and the sources under it. */
export function Answer({ message, onRetry }: AnswerProps) {
  const { parts, growing, finishReason } = message
  const { sections, sources } = useMemo(() => arrangeParts(parts), [parts])
  const openDocument = useOpenDocument()
  const citations = useMemo(() => {
    const source = (number: number): Source | undefined => sources.find(({ citation }) => citation === number)
    return {
      label: (number: number) => source(number)?.fileName,
      open: (number: number) => {
        const cited = source(number)
        if (cited) openDocument(documentOf(cited))
      },
    }
  }, [sources, openDocument])
  const ending = finishReason && endings[finishReason]
  const silent = finishReason === "error" && !sections.some((section) => section.type === "error")

  return (
    <article aria-label="Answer" className="group/answer flex flex-col gap-3">
      <CitationContext value={citations}>
        {sections.map((section, index) => (
          <AnswerSection
            // Sections are only ever added at the end.
            // oxlint-disable-next-line react/no-array-index-key
            key={index}
            section={section}
            growing={growing && index === sections.length - 1}
          />
        ))}
      </CitationContext>
      {growing && sections.every((section) => section.type === "notice") && <Thinking />}
      {ending !== undefined && <p className="text-sm text-faint">{ending}</p>}
      {silent && <Note kind="error">The answer was cut off. What had been written by then is kept.</Note>}
      {!growing && sources.length > 0 && <SourceList sources={sources} />}
      {!growing && <AnswerActions text={plainText(parts)} onRetry={onRetry} />}
    </article>
  )
}

function Thinking() {
  return (
    <output className="flex h-6 items-center gap-1" aria-label="Answering">
      {[0, 150, 300].map((delay) => (
        <span
          key={delay}
          className="size-1.5 animate-pulse rounded-full bg-faint"
          style={{ animationDelay: `${delay}ms` }}
        />
      ))}
    </output>
  )
}

function AnswerActions({ text, onRetry }: { text: string; onRetry: (() => void) | undefined }) {
  const [copied, setCopied] = useState(false)
  async function copy() {
    await copyText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <div className="-ml-1.5 flex gap-0.5 opacity-0 transition-opacity group-focus-within/answer:opacity-100 group-hover/answer:opacity-100">
      <IconButton label={copied ? "Copied" : "Copy the answer"} onClick={() => void copy()}>
        {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
      </IconButton>
      {onRetry && (
        <IconButton label="Answer again" onClick={onRetry}>
          <RotateCcw aria-hidden />
        </IconButton>
      )}
    </div>
  )
}
