import { t } from "i18next"
import { useMutation } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { useLocation } from "wouter"
import type { Automation } from "../../../shared/contract/automations.ts"
import { renewHook } from "../../data/automations.ts"
import { shortcutName, useShortcuts } from "../../lib/keys/shortcut.ts"
import { useLeaveGuard } from "../../lib/navigation/leave-guard.ts"
import { workRoutes } from "../../lib/navigation/work-routes.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { Button, ButtonLink } from "../../ui/controls/Button.tsx"
import { TextField } from "../../ui/controls/Field.tsx"
import { ConfirmDialog } from "../../ui/layers/Dialog.tsx"
import { Note } from "../../ui/Note.tsx"
import { PageHeader } from "../../ui/PageParts.tsx"
import { fields, isSame, maxNameLength, type AutomationForm } from "./automation-form.ts"
import { InWords } from "./InWords.tsx"
import { HookDialog } from "./HookDialog.tsx"
import { LimitFields } from "./LimitFields.tsx"
import { showFailure } from "./run-now.ts"
import { TaskFields } from "./TaskFields.tsx"
import { TriggerFields } from "./TriggerFields.tsx"

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
export function AutomationEditor({
  title,
  initialForm,
  isNew = false,
  hookOf,
  back,
  save,
}: AutomationEditorProps) {
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
  const renewing = useMutation({ mutationFn: renewHook, onSuccess: onSaved, onError: showFailure })
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
