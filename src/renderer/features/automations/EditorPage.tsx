import { useMutation } from "@tanstack/react-query"
import { t } from "i18next"
import { type ReactNode, useState, useEffect, useRef } from "react"
import { useLocation } from "wouter"
import type { Notify, Automation } from "../../../shared/contract/automations.ts"
import type { Conversation } from "../../../shared/contract/conversations.ts"
import { useAssistants } from "../../data/assistants.ts"
import { renewHook, createAutomation, updateAutomation } from "../../data/automations.ts"
import { useConversation } from "../../data/chats/conversations.ts"
import { useFolders } from "../../data/folders/folders.ts"
import { shortcutName, useShortcuts } from "../../lib/keys/shortcut.ts"
import { useLeaveGuard } from "../../lib/navigation/leave-guard.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { workRoutes } from "../../lib/navigation/work-routes.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { triggerWords } from "../../lib/words/schedule-words.ts"
import { Note } from "../../ui/Note.tsx"
import { PageHeader } from "../../ui/PageParts.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { Button, ButtonLink } from "../../ui/controls/Button.tsx"
import { SelectField, TextField } from "../../ui/controls/Field.tsx"
import { Disclosure } from "../../ui/controls/Sections.tsx"
import { Dialog, DialogActions, ConfirmDialog } from "../../ui/layers/Dialog.tsx"
import { CommandLine } from "../../ui/text/CommandLine.tsx"
import { AutomationLoader } from "./AutomationPage.tsx"
import { TaskFields } from "./TaskFields.tsx"
import { TriggerFields } from "./TriggerFields.tsx"
import {
  getTrigger,
  type AutomationForm,
  type FormPartProps,
  fields,
  isSame,
  maxNameLength,
  toBody,
  emptyForm,
  toForm,
  isTemplate,
  maxPromptLength,
  templateForm,
} from "./automation-form.ts"
import { showError } from "../../lib/toasts.ts"

interface HookDialogProps {
  hook: { url: string }
  onClose: () => void
}

/** Shows a webhook's URL, which is shown only this once. */
function HookDialog({ hook: { url }, onClose }: HookDialogProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("automations:hook.title")}
      description={t("automations:hook.text")}
    >
      <div className="flex flex-col gap-3">
        <Labelled label={t("automations:hook.address")}>
          <CommandLine command={url} kind="address" />
        </Labelled>
        <Labelled label={t("automations:hook.command")}>
          <CommandLine command={`curl --data "…" ${url}`} />
        </Labelled>
      </div>
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          {t("automations:hook.done")}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function Labelled({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <p className="mb-1.5 text-sm font-medium">{label}</p>
      {children}
    </div>
  )
}

/** Describes the automation being edited in words. A folder that isn't selected yet is left out. */
function InWords({ form }: { form: AutomationForm }) {
  const { data: folders } = useFolders()
  const { data: assistants } = useAssistants()
  if (form.kind === "file" && form.folderId === "") return null
  const when = triggerWords(getTrigger(form), (id) => folders?.find((folder) => folder.id === id)?.name)
  const handle = assistants?.find(({ id }) => id === form.assistantId)?.handle
  const who = handle === undefined ? t("automations:inWords.model") : `@${handle}`
  const watches = form.watch && form.kind === "file"
  const what = watches
    ? t("automations:inWords.watch", { when })
    : t("automations:inWords.ask", { when, who })
  return <p>{`${what} ${t(`automations:inWords.${watches ? "watched" : form.notify}`)}`}</p>
}

const notifyKinds = ["always", "result", "never"] as const satisfies Notify[]

/** When the owner is notified, and the automation's limits. */
function LimitFields({ form, issues, onChange }: FormPartProps) {
  const [open, setOpen] = useState(false)
  const isWrong = issues["budget.minutes"] !== undefined || issues["budget.runsPerDay"] !== undefined
  return (
    <>
      <SelectField
        label={t("automations:field.notify")}
        value={form.notify}
        onChange={(event) => onChange({ notify: event.target.value as Notify })}
        error={issues["notify"]}
      >
        {notifyKinds.map((kind) => (
          <option key={kind} value={kind}>
            {t(`automations:notify.${kind}`)}
          </option>
        ))}
      </SelectField>
      <div>
        <Disclosure
          title={t("automations:limits")}
          summary={t("automations:limitsSummary", { minutes: form.minutes, runs: form.runsPerDay })}
          open={open || isWrong}
          onToggle={() => setOpen(!open)}
        >
          <div className="mt-2 grid gap-3 sm:grid-cols-2">
            <TextField
              type="number"
              label={t("automations:field.minutes")}
              hint={t("automations:minutesHint")}
              value={form.minutes}
              onChange={(event) => onChange({ minutes: event.target.value })}
              error={issues["budget.minutes"]}
            />
            <TextField
              type="number"
              label={t("automations:field.runsPerDay")}
              hint={t("automations:runsPerDayHint")}
              value={form.runsPerDay}
              onChange={(event) => onChange({ runsPerDay: event.target.value })}
              error={issues["budget.runsPerDay"]}
            />
          </div>
        </Disclosure>
      </div>
    </>
  )
}

interface Saved {
  automation: Automation
  hook?: { url: string } | undefined
}

interface AutomationEditorProps {
  title: string
  initialForm: AutomationForm
  /** Nothing is stored yet, so the initial form can be saved unchanged. */
  isNew?: boolean
  /** ID of the automation whose webhook already has a URL. */
  hookOf: string | undefined
  /** The route for leaving without saving. */
  back: string
  save: (form: AutomationForm) => Promise<Saved>
}

/** Edits all properties of an automation. Changes stay until they are saved or discarded. */
function AutomationEditor({ title, initialForm, isNew = false, hookOf, back, save }: AutomationEditorProps) {
  const [changes, setChanges] = useState<Partial<AutomationForm>>({})
  const form = { ...initialForm, ...changes }
  const isDirty = !isSame(form, initialForm)
  const [hook, setHook] = useState<{ url: string; of: string }>()
  const [, navigate] = useLocation()
  const guard = useLeaveGuard(() => isDirty)
  const area = useRef<HTMLFormElement>(null)

  function onSaved({ automation: { id }, hook: made }: Saved) {
    guard.lift()
    if (made) setHook({ ...made, of: id })
    else navigate(workRoutes.one(id))
  }
  const saving = useMutation({ mutationFn: save, onSuccess: onSaved })
  const renewing = useMutation({ mutationFn: renewHook, onSuccess: onSaved, onError: showError })
  const issues = getIssues(saving.error, fields)
  const canSave = (isDirty || isNew) && !saving.isPending
  const submit = () => {
    if (canSave) saving.mutate(form)
  }
  useShortcuts({ save: submit })

  // Moves the focus to the first field with an error.
  useEffect(() => {
    if (saving.error) area.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [saving.error])

  const onChange = (part: Partial<AutomationForm>) => {
    if (saving.isError) saving.reset()
    setChanges({ ...changes, ...part })
  }
  const part = { form, issues, onChange }
  return (
    <section aria-label={title} className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={title} />
      <form
        ref={area}
        className="flex min-h-0 flex-1 flex-col"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <div className="min-h-0 flex-1 overflow-y-auto">
          <div className="mx-auto flex max-w-2xl flex-col gap-6 px-6 py-5">
            <TextField
              label={t("automations:field.name")}
              placeholder={t("automations:nameExample")}
              value={form.name}
              maxLength={maxNameLength}
              onChange={(event) => onChange({ name: event.target.value })}
              error={issues["name"]}
            />
            <TriggerFields {...part} />
            {hookOf !== undefined && form.kind === "hook" && (
              <Note
                action={
                  <Button
                    busy={renewing.isPending}
                    disabled={isDirty}
                    onClick={() => renewing.mutate(hookOf)}
                  >
                    {t("automations:hook.renew")}
                  </Button>
                }
              >
                {t("automations:hook.known")}
              </Note>
            )}
            <TaskFields {...part} />
            <LimitFields {...part} />
          </div>
        </div>
        <div className="shrink-0 border-t border-line">
          <div className="mx-auto flex max-w-2xl flex-wrap items-center justify-end gap-2 px-6 py-3">
            <div className="mr-auto w-full min-w-0 text-sm break-words text-soft">
              <InWords form={form} />
            </div>
            {issues["other"] !== undefined && (
              <div className="w-full">
                <Note kind="error">{issues["other"]}</Note>
              </div>
            )}
            <ButtonLink href={back}>{t("common:cancel")}</ButtonLink>
            <Button
              type="submit"
              variant="primary"
              title={shortcutName("save")}
              busy={saving.isPending}
              disabled={!canSave}
            >
              {t(isNew ? "automations:create" : "automations:save")}
            </Button>
          </div>
        </div>
      </form>
      {hook && <HookDialog hook={hook} onClose={() => navigate(workRoutes.one(hook.of))} />}
      <ConfirmDialog
        open={guard.asked}
        onClose={guard.stay}
        onConfirm={guard.leave}
        title={t("automations:leaveTitle")}
        description={t("automations:leaveText")}
        confirmLabel={t("automations:leave")}
      />
    </section>
  )
}

/** The editor of an existing automation. */
export const ChangePage = ({ id }: { id: string }) => (
  <AutomationLoader id={id}>{(automation) => <Change automation={automation} />}</AutomationLoader>
)

function Change({ automation }: { automation: Automation }) {
  const { id, name } = automation
  return (
    <AutomationEditor
      title={name}
      initialForm={toForm(automation)}
      hookOf={automation.trigger.kind === "hook" ? id : undefined}
      back={workRoutes.one(id)}
      save={(form) => updateAutomation(id, toBody(form))}
    />
  )
}

interface NewPageProps {
  template: string | undefined
  /** The folder whose files trigger it. */
  folderId: string | undefined
  /** The chat whose last question it asks. */
  chatId: string | undefined
}

/** A new automation: empty, from a template, for a folder, or from a chat. */
export function NewPage({ template, folderId, chatId }: NewPageProps) {
  const { data: chat, isPending } = useConversation(chatId ?? "", undefined, chatId !== undefined)
  if (chatId !== undefined && isPending)
    return (
      <div className="m-auto text-faint">
        <Spinner label={t("common:loading")} />
      </div>
    )
  if (chat) return <Make initialForm={createFormFromChat(chat)} />
  if (isTemplate(template)) return <Make initialForm={templateForm(template)} />
  return <Make initialForm={{ ...emptyForm(), ...(folderId !== undefined && { kind: "file", folderId }) }} />
}

function createFormFromChat({ title, assistantId, vectorIds, messages }: Conversation): AutomationForm {
  const asked = messages.findLast(({ role }) => role === "user")?.content ?? ""
  return {
    ...emptyForm(),
    name: title.slice(0, maxNameLength),
    prompt: asked.slice(0, maxPromptLength),
    assistantId,
    vectorIds,
  }
}

/** Keeps the initial form as it was when the editor was opened. */
function Make({ initialForm }: { initialForm: AutomationForm }) {
  const [kept] = useState(initialForm)
  return (
    <AutomationEditor
      title={t("automations:new")}
      initialForm={kept}
      isNew
      hookOf={undefined}
      back={routes.work}
      save={(form) => createAutomation(toBody(form))}
    />
  )
}
