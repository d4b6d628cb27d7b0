import { useMutation } from "@tanstack/react-query"
import { t } from "i18next"
import { Ellipsis, MessageSquarePlus, PanelRight } from "lucide-react"
import { useState } from "react"
import type { Assistant } from "../../../../shared/contract/assistants.ts"
import { createAssistant, updateAssistant, useTools } from "../../../data/assistants.ts"
import { navigate } from "../../../lib/places/hash-location.ts"
import { useLeaveGuard } from "../../../lib/places/leave-guard.ts"
import { routes } from "../../../lib/places/routes.ts"
import { shortcutName, useShortcuts } from "../../../lib/keys/shortcut.ts"
import { AssistantAvatar } from "../../../ui/pictures/AssistantAvatar.tsx"
import { Button } from "../../../ui/controls/Button.tsx"
import { ButtonLink } from "../../../ui/controls/ButtonLink.tsx"
import { classNames } from "../../../ui/class-names.ts"
import { IconButton } from "../../../ui/controls/IconButton.tsx"
import { PageHeader } from "../../../ui/PageHeader.tsx"
import { AssistantFields } from "../fields/AssistantFields.tsx"
import { AssistantMenu } from "../AssistantMenu.tsx"
import { DraftNotes } from "./DraftNotes.tsx"
import { draftOf, patchOf, type AssistantForm, type FormChanges } from "./form.ts"
import { firstIssue, formIssues, ownIssues } from "./form-issues.ts"
import { LeaveDialog } from "./LeaveDialog.tsx"
import { PreviewPanel, type AssistantPreview } from "./PreviewPanel.tsx"
import { TemplateCards } from "../TemplateCards.tsx"
import { useAssistantForm } from "./use-assistant-form.ts"

interface AssistantEditorProps {
  userId: string
  /** Undefined for one that isn't made yet. */
  assistant: Assistant | undefined
  saved: AssistantForm
  draftName: string
  Preview: AssistantPreview
}

/** Below this width, in pixels, the preview takes the form's place when it is opened. */
const roomForPreview = 1100

/** Everything an assistant is made of, with a chat beside it to try it in. */
export function AssistantEditor({ userId, assistant, saved, draftName, Preview }: AssistantEditorProps) {
  const state = useAssistantForm({ userId, draftName, saved })
  const { form, changes, dirty } = state
  const { data: tools } = useTools()
  const [preview, setPreview] = useState(() => window.innerWidth >= roomForPreview)
  const [checked, setChecked] = useState(false)
  const guard = useLeaveGuard(state.isDirty)

  const save = useMutation({
    mutationFn: async (sent: FormChanges): Promise<Assistant> => {
      const known = tools && new Set(tools.map(({ key }) => key))
      if (!assistant) return createAssistant(draftOf({ ...saved, ...sent }, known))
      return updateAssistant(assistant.id, patchOf(sent, known))
    },
    onSuccess: (_, sent) => state.clear(sent),
    onError: (error) => {
      guard.stay()
      reveal(firstIssue(formIssues(error)))
    },
  })
  const local = ownIssues(form)
  const issues = { ...formIssues(save.error), ...(checked ? local : {}) }

  /** Saves, then goes on; what is missing is shown instead. */
  function submit(then?: (assistant: Assistant) => void) {
    setChecked(true)
    const missing = firstIssue(local)
    if (missing !== undefined) return reveal(missing)
    if (save.isPending) return
    if (assistant && !dirty) return then?.(assistant)
    save.mutate(changes, {
      onSuccess(result) {
        if (then) then(result)
        else if (!assistant) navigate(routes.assistant(result.id), { replace: true })
      },
    })
  }

  function change(part: FormChanges) {
    if (save.isError) save.reset()
    state.change(part)
  }

  useShortcuts({ save: () => submit() })

  // The box has a copy of the picture that is saved.
  const pictureOf = assistant?.customImage === form.customImage ? assistant.id : undefined
  const title = form.name.trim() || (assistant ? saved.name : t("assistants:new"))
  return (
    <section aria-label={title} className="@container flex min-w-0 flex-1 flex-col">
      <PageHeader
        title={title}
        icon={<AssistantAvatar assistant={{ ...form, id: pictureOf }} size="small" />}
      >
        <span className="shrink-0 text-xs text-faint @max-2xl:hidden" aria-live="polite">
          {dirty ? t("assistants:unsaved") : save.isSuccess ? t("assistants:saved") : ""}
        </span>
        <IconButton
          label={preview ? t("assistants:preview.close") : t("assistants:preview.open")}
          aria-pressed={preview}
          onClick={() => setPreview(!preview)}
          className="aria-pressed:bg-selected"
        >
          <PanelRight aria-hidden />
        </IconButton>
        {assistant && (
          <>
            <ButtonLink href={routes.newChatWith(assistant.id)}>
              <MessageSquarePlus aria-hidden />
              <span className="@max-2xl:sr-only">{t("assistants:chat")}</span>
            </ButtonLink>
            <AssistantMenu
              assistant={assistant}
              canEdit={false}
              onDelete={() => {
                guard.lift()
                navigate(routes.assistants)
              }}
              trigger={
                <IconButton label={t("assistants:menu", { name: saved.name })}>
                  <Ellipsis aria-hidden />
                </IconButton>
              }
            />
          </>
        )}
        <Button
          variant="primary"
          title={shortcutName("save")}
          busy={save.isPending}
          disabled={assistant !== undefined && !dirty}
          onClick={() => submit()}
        >
          {assistant ? t("assistants:save") : t("assistants:create")}
        </Button>
      </PageHeader>
      <div className="flex min-h-0 flex-1">
        <div
          className={classNames("min-w-0 flex-1 overflow-y-auto", preview && "@max-4xl:hidden")}
          data-editor
        >
          <div className="mx-auto max-w-2xl px-6 py-5">
            <DraftNotes state={state} refused={issues.other} onDiscard={() => state.clear()} />
            {!assistant && !dirty && draftName === "new" && (
              <div className="mb-8">
                <h2 className="mb-2 text-xs font-medium text-faint">{t("assistants:templates")}</h2>
                <TemplateCards />
              </div>
            )}
            <AssistantFields
              form={form}
              pictureOf={pictureOf}
              assistantId={assistant?.id}
              savedHandle={assistant?.handle}
              issues={issues}
              onChange={change}
            />
          </div>
        </div>
        {preview && (
          <PreviewPanel
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
          if (firstIssue(local) !== undefined) guard.stay()
          submit(guard.leave)
        }}
      />
    </section>
  )
}

/** Brings a field with an issue into view. */
function reveal(field: string | undefined): void {
  if (field === undefined) return
  requestAnimationFrame(() => {
    const section = document.querySelector(`[data-field="${field}"]`)
    section?.scrollIntoView({ block: "center" })
    section?.querySelector<HTMLElement>("input, textarea")?.focus({ preventScroll: true })
  })
}
