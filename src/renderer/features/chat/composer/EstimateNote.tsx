import { t } from "i18next"
import type { ReadingEstimateRequest } from "../../../../shared/contract/chat.ts"
import { useReadingEstimate } from "../../../data/chats/reading.ts"
import { useDebounced } from "../../../lib/debounced.ts"
import { formatRoughTime } from "../../../lib/words/format.ts"
import { Note } from "../../../ui/Note.tsx"
import type { Choices } from "./choices/use-choices.ts"

/** The content that would be read for the next question. */
export const createEstimateRequest = (
  chatId: string,
  { folderIds, files, filter, assistantId, model }: Choices,
): ReadingEstimateRequest => ({
  id: chatId,
  vector: folderIds,
  assistantId,
  modelId: model?.id ?? null,
  filter,
  ...(files.length > 0 && { fileIds: files.map(({ fileId }) => fileId) }),
})

/** Shows, before the question is asked, what it would take to read everything. */
export function EstimateNote({ chatId, choices }: { chatId: string; choices: Choices }) {
  const estimate = useReadingEstimate(createEstimateRequest(chatId, choices))
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
  /** The question as typed so far. */
  text: string
}

/** Shows the same estimate if the box decides how much to read and would read everything for this question. */
export function DecisionNote({ chatId, choices, text }: DecisionNoteProps) {
  const content = useDebounced(text.trim(), 600)
  const isTyped = content.length >= minTyped
  const estimate = useReadingEstimate(
    isTyped ? { ...createEstimateRequest(chatId, choices), content } : undefined,
  )
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

/** Shorter texts can't be a request for everything. */
const minTyped = 8
