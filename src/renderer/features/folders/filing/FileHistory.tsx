import { t } from "i18next"
import { useFileHistory } from "../../../data/folders/filing.ts"
import { describeError } from "../../../lib/box.ts"
import { formatFullMoment } from "../../../lib/words/format.ts"
import { Note } from "../../../ui/Note.tsx"
import { ChangeRow } from "./ChangeRow.tsx"
import { stepWords } from "./filing-words.ts"
import { useUndo } from "./use-undo.ts"

/** A file's history, newest step first; nothing if it has none. */
export function FileHistory({ folderId, fileId }: { folderId: string; fileId: string }) {
  const { data, error } = useFileHistory(folderId, fileId)
  const { busy, undo } = useUndo()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!data || data.history.length === 0) return null
  const undone = new Set(
    data.history.flatMap(({ step, filingId }) => (step === "undone" && filingId !== null ? [filingId] : [])),
  )
  return (
    <section aria-labelledby={`history-${fileId}`} className="mt-4">
      <h3 id={`history-${fileId}`} className="mb-1 text-sm font-medium">
        {t("filing:history")}
      </h3>
      <ol
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
        tabIndex={0}
        aria-labelledby={`history-${fileId}`}
        className="max-h-64 divide-y divide-line overflow-y-auto rounded-lg border border-line"
      >
        {data.history.map((entry) => {
          const { at, step, by, chatId, filingId } = entry
          const canUndo = step === "done" && filingId !== null && !undone.has(filingId)
          return (
            <ChangeRow
              key={`${at}${step}${filingId ?? ""}`}
              words={stepWords(entry)}
              details={
                <>
                  <span>{formatFullMoment(at)}</span>
                  {by !== null && by !== "" && <span>{t("filing:by", { name: by })}</span>}
                </>
              }
              chatId={chatId}
              undo={canUndo ? { run: () => undo(filingId), busy: busy === filingId } : null}
            />
          )
        })}
      </ol>
    </section>
  )
}
