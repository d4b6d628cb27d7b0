import { t } from "i18next"
import { RotateCcw } from "lucide-react"
import { Suspense, useState, type ComponentType } from "react"
import type { Assistant } from "../../../../shared/contract/assistants.ts"
import { classNames } from "../../../ui/class-names.ts"
import { Button, IconButton } from "../../../ui/controls/Button.tsx"
import { Note } from "../../../ui/Note.tsx"
import { Spinner } from "../../../ui/Progress.tsx"

/** A short trial chat with an assistant. */
export type AssistantPreview = ComponentType<{ assistant: Assistant }>

interface PreviewPanelProps {
  className: string
  /** The saved assistant; undefined for a new one. */
  assistant: Assistant | undefined
  dirty: boolean
  saving: boolean
  onSave: () => void
  Preview: AssistantPreview
}

/** A trial chat with the assistant as last saved, for use while editing. */
export function PreviewPanel({ className, assistant, dirty, saving, onSave, Preview }: PreviewPanelProps) {
  const [turn, setTurn] = useState(0)
  const save = (
    <Button variant="quiet" className="-my-1.5" busy={saving} onClick={onSave}>
      {t("assistants:preview.save")}
    </Button>
  )
  return (
    <aside
      aria-label={t("assistants:preview.title")}
      className={classNames(
        "flex w-full min-w-0 flex-col border-line @4xl:w-96 @4xl:shrink-0 @4xl:border-l",
        className,
      )}
    >
      <div className="flex h-11 shrink-0 items-center gap-2 px-4">
        <h2 className="min-w-0 flex-1 truncate text-sm font-medium">{t("assistants:preview.title")}</h2>
        {assistant && (
          <IconButton label={t("assistants:preview.again")} onClick={() => setTurn(turn + 1)}>
            <RotateCcw aria-hidden />
          </IconButton>
        )}
      </div>
      <div className="px-4 pb-2">
        {!assistant ? (
          <Note action={save}>{t("assistants:preview.new")}</Note>
        ) : dirty ? (
          <Note action={save}>{t("assistants:preview.dirty")}</Note>
        ) : (
          <p className="text-xs text-faint">{t("assistants:preview.text")}</p>
        )}
      </div>
      {assistant &&
        (assistant.enabled ? (
          <Suspense
            fallback={
              <div className="m-auto text-faint">
                <Spinner label={t("common:loading")} />
              </div>
            }
          >
            <Preview key={turn} assistant={assistant} />
          </Suspense>
        ) : (
          <p className="m-auto p-6 text-center text-sm text-soft">{t("assistants:preview.off")}</p>
        ))}
    </aside>
  )
}
