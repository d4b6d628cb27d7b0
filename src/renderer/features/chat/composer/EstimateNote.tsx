import { t } from "i18next"
import { useReadingEstimate } from "../../../data/chats/reading-estimate.ts"
import { useDebounced } from "../../../lib/debounced.ts"
import { formatRoughTime } from "../../../lib/words/format.ts"
import { Note } from "../../../ui/Note.tsx"
import { readingOf } from "./choices/reading-of.ts"
import type { Choices } from "./choices/use-choices.ts"

/** What reading everything would take, told before the question is asked. */
export function EstimateNote({ chatId, choices }: { chatId: string; choices: Choices }) {
  const estimate = useReadingEstimate(readingOf(chatId, choices))
  if (!estimate || estimate.files === 0) return null
  const time = formatRoughTime(estimate.estimatedSeconds)
  const values = { files: t("reading:files", { count: estimate.files }), time }
  return (
    <output className="mb-2 block px-1">
      <Note kind={estimate.fits ? "quiet" : "warning"}>
        {t(estimate.fits ? "reading:estimate" : "reading:estimateTooMuch", values)}
        {!estimate.isMeasured && ` ${t("reading:estimateGuess")}`}
      </Note>
    </output>
  )
}

interface DecisionNoteProps {
  chatId: string
  choices: Choices
  /** The question as it is being typed. */
  text: string
}

/** The same where the box decides how much is read, and would read everything for what is typed. */
export function DecisionNote({ chatId, choices, text }: DecisionNoteProps) {
  const content = useDebounced(text.trim(), 600)
  const isTyped = content.length >= leastTyped
  const estimate = useReadingEstimate(isTyped ? { ...readingOf(chatId, choices), content } : undefined)
  if (!isTyped || !estimate?.isDecided) return null
  return (
    <output className="mb-2 block px-1">
      <Note kind="quiet">
        {t("reading:decided", {
          files: t("reading:files", { count: estimate.files }),
          time: formatRoughTime(estimate.estimatedSeconds),
        })}
      </Note>
    </output>
  )
}

/** Shorter than anything that asks for all of something. */
const leastTyped = 8
