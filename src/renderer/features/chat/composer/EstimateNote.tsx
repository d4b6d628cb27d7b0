import { t } from "i18next"
import { useReadingEstimate } from "../../../data/reading-estimate.ts"
import { formatRoughTime } from "../../../lib/words/format.ts"
import { Note } from "../../../ui/Note.tsx"
import type { Choices } from "./use-choices.ts"

/** What reading everything would take, told before the question is asked. */
export function EstimateNote({ chatId, choices }: { chatId: string; choices: Choices }) {
  const { folderIds, files, assistantId, model } = choices
  const estimate = useReadingEstimate({
    id: chatId,
    vector: folderIds,
    assistantId,
    modelId: model?.id ?? null,
    ...(files.length > 0 && { fileIds: files.map(({ fileId }) => fileId) }),
  })
  if (!estimate || estimate.files === 0) return null
  const time = formatRoughTime(estimate.estimatedSeconds)
  const values = { files: t("reading:files", { count: estimate.files }), time }
  return (
    <output className="mb-2 block px-1">
      <Note kind={estimate.fits ? "quiet" : "warning"}>
        {t(estimate.fits ? "reading:estimate" : "reading:estimateTooMuch", values)}
      </Note>
    </output>
  )
}
