import { t } from "i18next"
import { useEffect, useRef, useState } from "react"
import type { KnownModelOptions } from "../../../../shared/contract/models.ts"
import { useCatalogue } from "../../../data/models/models.ts"
import { useChangeModelOptions, useModelOptions } from "../../../data/models/model-settings.ts"
import { describeError } from "../../../lib/box.ts"
import { useLeaveGuard } from "../../../lib/navigation/leave-guard.ts"
import { getIssues } from "../../../lib/words/field-issues.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { ConfirmDialog, Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"
import { Note } from "../../../ui/Note.tsx"
import { measuredSpeed, usesMuchMemory } from "./costs.ts"
import { toForm, numberFields, toPatch, untouched, type OptionsForm } from "./options-form.ts"
import { OptionsFields, type OptionsOf } from "./OptionsFields.tsx"

interface OptionsDialogProps {
  model: OptionsOf
  onClose: () => void
}

/** A chat model's default options, and what they cost on this computer. */
export function OptionsDialog({ model, onClose }: OptionsDialogProps) {
  const { data, error } = useModelOptions(model.id)
  if (data) return <LoadedDialog model={model} known={data} onClose={onClose} />
  if (!error) return null
  return (
    <Dialog open onClose={onClose} title={t("models:options.title", { name: model.name })}>
      <Note kind="error">{describeError(error)}</Note>
      <DialogActions>
        <Button onClick={onClose}>{t("common:close")}</Button>
      </DialogActions>
    </Dialog>
  )
}

function LoadedDialog({ model, known: read, onClose }: OptionsDialogProps & { known: KnownModelOptions }) {
  // Options that load again while the user types change the baseline, never the user's input.
  const before = toForm(read.options)
  const [edits, setEdits] = useState<Partial<OptionsForm>>({})
  const [asking, setAsking] = useState(false)
  const [wrong, setWrong] = useState<string[]>([])
  const { data: catalogue } = useCatalogue()
  const change = useChangeModelOptions(model.id)
  const form = { ...before, ...edits }
  const isDirty = Object.keys(toPatch(before, form).patch).length > 0
  const guard = useLeaveGuard(() => isDirty)
  const known = { ...read, gpu: catalogue?.computer.gpu ?? null }
  const issues: Record<string, string | undefined> = {
    ...getIssues(change.error, [...numberFields, "thinking", "device", "vision"]),
    ...Object.fromEntries(wrong.map((field) => [field, t("models:options.notANumber")])),
  }
  const fields = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (change.error !== null || wrong.length > 0)
      fields.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus()
  }, [change.error, wrong])
  const own = untouched(read.cost !== null)
  const isOwn = Object.keys(toPatch(own, form).patch).length === 0
  const close = () => (isDirty ? setAsking(true) : onClose())

  function edit(part: Partial<OptionsForm>) {
    setEdits({ ...edits, ...part })
    setWrong([])
    if (change.isError) change.reset()
  }

  function save() {
    const next = toPatch(before, form)
    setWrong(next.wrong)
    if (next.wrong.length > 0) return
    if (isDirty) change.mutate(next.patch, { onSuccess: onClose })
    else onClose()
  }

  return (
    <Dialog
      open
      wide
      onClose={close}
      title={t("models:options.title", { name: model.name })}
      description={measuredSpeed(known)}
    >
      <form
        ref={fields}
        className="flex flex-col gap-5"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <OptionsFields model={model} known={known} form={form} issues={issues} onChange={edit} />
        {usesMuchMemory(known, form) && <Note kind="warning">{t("models:options.takesMuch")}</Note>}
        {issues["other"] !== undefined && <Note kind="error">{issues["other"]}</Note>}
        <DialogActions>
          <Button variant="quiet" className="mr-auto" disabled={isOwn} onClick={() => edit(own)}>
            {t("models:options.reset")}
          </Button>
          <Button onClick={close}>{t("common:cancel")}</Button>
          <Button type="submit" variant="primary" busy={change.isPending} disabled={!isDirty}>
            {t("models:options.save")}
          </Button>
        </DialogActions>
      </form>
      <ConfirmDialog
        open={asking || guard.asked}
        onClose={() => {
          setAsking(false)
          guard.stay()
        }}
        onConfirm={guard.asked ? guard.leave : onClose}
        title={t("models:options.discardTitle")}
        description={t("models:options.discardHint", { name: model.name })}
        confirmLabel={t("models:options.discard")}
      />
    </Dialog>
  )
}
