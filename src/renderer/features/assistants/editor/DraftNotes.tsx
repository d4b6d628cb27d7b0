import { t } from "i18next"
import { formatMoment } from "../../../lib/words/format.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { Note } from "../../../ui/Note.tsx"

interface DraftNotesProps {
  state: { dirty: boolean; kept: boolean; restoredFrom: string | undefined }
  /** An error from the box that concerns no single field. */
  refused: string | undefined
  onDiscard: () => void
}

/** The state of unsaved changes. */
export function DraftNotes({ state: { dirty, kept, restoredFrom }, refused, onDiscard }: DraftNotesProps) {
  return (
    <div className="mb-5 flex flex-col gap-2 empty:hidden">
      {refused !== undefined && <Note kind="error">{refused}</Note>}
      {dirty && restoredFrom !== undefined && (
        <Note
          action={
            <Button variant="quiet" className="-my-1.5" onClick={onDiscard}>
              {t("assistants:draft.discard")}
            </Button>
          }
        >
          {t("assistants:draft.restored", { moment: formatMoment(restoredFrom) })}
        </Note>
      )}
      {!kept && <Note kind="warning">{t("assistants:draft.notKept")}</Note>}
    </div>
  )
}
