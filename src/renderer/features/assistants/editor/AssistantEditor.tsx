import { t } from "i18next"
import { RotateCcw, Ellipsis, MessageSquarePlus, PanelRight } from "lucide-react"
import { Suspense, useState, type ComponentType, type ComponentProps } from "react"
import type { Assistant } from "../../../../shared/contract/assistants.ts"
import { shortcutName, useShortcuts } from "../../../lib/keys/shortcut.ts"
import { navigate } from "../../../lib/navigation/hash-location.ts"
import { useLeaveGuard } from "../../../lib/navigation/leave-guard.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { formatMoment } from "../../../lib/words/format.ts"
import { Note } from "../../../ui/Note.tsx"
import { PageHeader } from "../../../ui/PageParts.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { classNames } from "../../../ui/class-names.ts"
import { Button, IconButton, ButtonLink } from "../../../ui/controls/Button.tsx"
import { Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"
import { AssistantAvatar } from "../../../ui/pictures/AssistantAvatar.tsx"
import { AssistantMenu } from "../AssistantMenu.tsx"
import { TemplateLine } from "../AssistantTemplates.tsx"
import { AssistantFields } from "../fields/AssistantFields.tsx"
import type { AssistantForm, FormChanges } from "./form.ts"
import { useAssistantForm, useSaveAssistant } from "./use-assistant-form.ts"

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
function PreviewPanel({ className, assistant, dirty, saving, onSave, Preview }: PreviewPanelProps) {
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

interface DraftNotesProps {
  state: { dirty: boolean; kept: boolean; restoredFrom: string | undefined }
  /** An error from the box that concerns no single field. */
  refused: string | undefined
  onDiscard: () => void
}

/** The state of unsaved changes. */
function DraftNotes({ state: { dirty, kept, restoredFrom }, refused, onDiscard }: DraftNotesProps) {
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

interface FormOrPreviewProps {
  trying: boolean
  onChange: (trying: boolean) => void
}

/** Switches between form and preview if there isn't room for both. */
function FormOrPreview({ trying, onChange }: FormOrPreviewProps) {
  return (
    <fieldset
      aria-label={t("assistants:preview.switch")}
      className="flex shrink-0 gap-1 border-b border-line px-4 py-1.5 @4xl:hidden"
    >
      {[false, true].map((each) => (
        <button
          key={String(each)}
          type="button"
          aria-pressed={each === trying}
          onClick={() => onChange(each)}
          className="h-8 flex-1 rounded-md px-2.5 text-sm text-soft hover:bg-hover aria-pressed:bg-selected aria-pressed:text-ink"
        >
          {each ? t("assistants:preview.title") : t("assistants:preview.form")}
        </button>
      ))}
    </fieldset>
  )
}

interface LeaveDialogProps {
  open: boolean
  name: string
  saving: boolean
  onStay: () => void
  /** Keeps the changes in the browser. */
  onKeep: () => void
  onDiscard: () => void
  onSave: () => void
}

/** Asks what to do with unsaved changes when the editor is left. */
function LeaveDialog({ open, name, saving, onStay, onKeep, onDiscard, onSave }: LeaveDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onStay}
      title={t("assistants:leave.title")}
      description={name === "" ? t("assistants:leave.textNew") : t("assistants:leave.text", { name })}
    >
      <DialogActions>
        <Button variant="danger" onClick={onDiscard} className="mr-auto">
          {t("assistants:leave.discard")}
        </Button>
        <Button onClick={onKeep}>{t("assistants:leave.keep")}</Button>
        <Button variant="primary" busy={saving} onClick={onSave}>
          {t("assistants:save")}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

interface EditorHeaderProps {
  title: string
  appearance: ComponentProps<typeof AssistantAvatar>["assistant"]
  /** Undefined for a new assistant. */
  assistant: Assistant | undefined
  savedName: string
  /** The save state, in words. */
  saveStatus: string
  preview: boolean
  onPreview: () => void
  canSave: boolean
  saving: boolean
  onSave: () => void
  onDeleted: () => void
}

/** The editor's title, with actions for the assistant as a whole. */
function EditorHeader({
  title,
  appearance,
  assistant,
  savedName,
  saveStatus,
  preview,
  onPreview,
  canSave,
  saving,
  onSave,
  onDeleted,
}: EditorHeaderProps) {
  return (
    <PageHeader title={title} icon={<AssistantAvatar assistant={appearance} size="small" />}>
      <span className="shrink-0 text-xs text-faint @max-2xl:hidden" aria-live="polite">
        {saveStatus}
      </span>
      <IconButton
        label={preview ? t("assistants:preview.close") : t("assistants:preview.open")}
        aria-pressed={preview}
        onClick={onPreview}
        className="aria-pressed:bg-selected @max-4xl:hidden"
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
            onDelete={onDeleted}
            trigger={
              <IconButton label={t("assistants:menu", { name: savedName })}>
                <Ellipsis aria-hidden />
              </IconButton>
            }
          />
        </>
      )}
      <Button
        variant="primary"
        title={shortcutName("save")}
        busy={saving}
        disabled={!canSave}
        onClick={onSave}
      >
        {assistant ? t("assistants:save") : t("assistants:create")}
      </Button>
    </PageHeader>
  )
}

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
  const isUnconfirmed = assistant?.writtenByScopedKey === true

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
        canSave={assistant === undefined || dirty || isUnconfirmed}
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
            {isUnconfirmed && (
              <div className="mb-4">
                <Note kind="warning">{t("assistants:writtenByKey")}</Note>
              </div>
            )}
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
