import { t } from "i18next"
import { useState } from "react"
import type { Assistant } from "../../../../shared/contract/assistants.ts"
import { navigate } from "../../../lib/navigation/hash-location.ts"
import { useLeaveGuard } from "../../../lib/navigation/leave-guard.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { useShortcuts } from "../../../lib/keys/shortcut.ts"
import { classNames } from "../../../ui/class-names.ts"
import { AssistantFields } from "../fields/AssistantFields.tsx"
import { DraftNotes } from "./DraftNotes.tsx"
import { EditorHeader } from "./EditorHeader.tsx"
import type { AssistantForm, FormChanges } from "./form.ts"
import { LeaveDialog } from "./LeaveDialog.tsx"
import { PreviewPanel, type AssistantPreview } from "./PreviewPanel.tsx"
import { FormOrPreview } from "./FormOrPreview.tsx"
import { TemplateLine } from "../TemplateCards.tsx"
import { useAssistantForm } from "./use-assistant-form.ts"
import { useSaveAssistant } from "./use-save-assistant.ts"

interface AssistantEditorProps {
  userId: string
  /** Undefined for a new assistant. */
  assistant: Assistant | undefined
  saved: AssistantForm
  draftName: string
  Preview: AssistantPreview
}

/** Minimum window width, in pixels, at which the preview is initially open next to the form. */
const roomForPreview = 1100

/** Edits all properties of an assistant, with a trial chat next to the form. */
export function AssistantEditor({ userId, assistant, saved, draftName, Preview }: AssistantEditorProps) {
  const state = useAssistantForm({ userId, draftName, saved })
  const { form, changes, dirty } = state
  const [isPreviewOpen, setIsPreviewOpen] = useState(() => window.innerWidth >= roomForPreview)
  /** If there is room for only one: whether to show the preview instead of the form. */
  const [trying, setTrying] = useState(false)
  const guard = useLeaveGuard(state.isDirty)

  const { save, missing, issues, revealed, submit } = useSaveAssistant({
    assistant,
    saved,
    form,
    changes,
    onSaved: state.clear,
    onRefused: guard.stay,
    onReveal: () => setTrying(false),
  })

  function change(part: FormChanges) {
    if (save.isError) save.reset()
    state.change(part)
  }

  useShortcuts({ save: () => submit() })

  // The box has a copy of the saved image.
  const pictureId = assistant?.customImage === form.customImage ? assistant.id : undefined
  const title = form.name.trim() || (assistant ? saved.name : t("assistants:new"))
  return (
    <section aria-label={title} className="@container flex min-w-0 flex-1 flex-col">
      <EditorHeader
        title={title}
        appearance={{ ...form, id: pictureId }}
        assistant={assistant}
        savedName={saved.name}
        saveStatus={dirty ? t("assistants:unsaved") : save.isSuccess ? t("assistants:saved") : ""}
        preview={isPreviewOpen}
        onPreview={() => setIsPreviewOpen(!isPreviewOpen)}
        canSave={assistant === undefined || dirty}
        saving={save.isPending}
        onSave={() => submit()}
        onDeleted={() => {
          guard.lift()
          navigate(routes.assistants)
        }}
      />
      <FormOrPreview trying={trying} onChange={setTrying} />
      <div className="flex min-h-0 flex-1">
        <div
          className={classNames("min-w-0 flex-1 overflow-y-auto", trying && "@max-4xl:hidden")}
          data-editor
        >
          <div className="mx-auto max-w-2xl px-6 py-4">
            <DraftNotes state={state} refused={issues.other} onDiscard={() => state.clear()} />
            {!assistant && !dirty && draftName === "new" && <TemplateLine />}
            <AssistantFields
              form={form}
              pictureId={pictureId}
              assistantId={assistant?.id}
              savedHandle={assistant?.handle}
              issues={issues}
              revealed={revealed}
              onChange={change}
            />
          </div>
        </div>
        {(isPreviewOpen || trying) && (
          <PreviewPanel
            className={classNames(!isPreviewOpen && "@4xl:hidden", !trying && "@max-4xl:hidden")}
            assistant={assistant}
            dirty={dirty}
            saving={save.isPending}
            onSave={() => submit()}
            Preview={Preview}
          />
        )}
      </div>
      <LeaveDialog
        open={guard.asked}
        name={form.name.trim()}
        saving={save.isPending}
        onStay={guard.stay}
        onKeep={guard.leave}
        onDiscard={() => {
          state.clear()
          guard.leave()
        }}
        onSave={() => {
          if (missing !== undefined) guard.stay()
          submit(guard.leave)
        }}
      />
    </section>
  )
}
