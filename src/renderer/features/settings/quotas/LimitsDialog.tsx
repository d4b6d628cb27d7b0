import { t } from "i18next"
import { useState } from "react"
import type { Limits } from "../../../../shared/contract/quotas.ts"
import { describeError } from "../../../lib/box.ts"
import { showToast } from "../../../lib/toasts.ts"
import { formatTime } from "../../../lib/words/format.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { SelectField, TextField } from "../../../ui/controls/Field.tsx"
import { Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"
import { Note } from "../../../ui/Note.tsx"
import { toDraft, parseLimits, type Field, type Way } from "./limits-form.ts"
import { formatAmount, kinds, type Kind, useQuotas, useSetLimits, type Whose } from "./quotas.ts"

interface LimitsDialogProps {
  whose: Whose
  resetsAt: string
  onClose: () => void
}

/** Edits the four limits of everyone, a user or a workspace. */
export function LimitsDialog({ whose, resetsAt, onClose }: LimitsDialogProps) {
  const isPerson = whose.of === "person"
  const [draft, setDraft] = useState(() => toDraft(whose.limits, isPerson))
  const [wrong, setWrong] = useState<Kind[]>([])
  const set = useSetLimits(whose)
  const name = whose.of === "everybody" ? t("quotas:everybody") : whose.name

  function save() {
    const { limits, wrong } = parseLimits(draft, isPerson)
    setWrong(wrong)
    if (wrong.length > 0) return
    set.mutate(limits, {
      onSuccess: () => {
        showToast(t("quotas:saved"))
        onClose()
      },
    })
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={t("quotas:titleOf", { name })}
      {...(!isPerson && { description: getHint(whose.of, resetsAt) })}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          {kinds.map((kind) => (
            <LimitField
              key={kind}
              kind={kind}
              field={draft[kind]}
              everybody={isPerson ? whose.everybody : null}
              isWrong={wrong.includes(kind)}
              onChange={(field) => setDraft({ ...draft, [kind]: field })}
            />
          ))}
        </div>
        {set.error && (
          <div className="mt-4">
            <Note kind="error">{describeError(set.error)}</Note>
          </div>
        )}
        <DialogActions>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button type="submit" variant="primary" busy={set.isPending}>
            {t("settings:save")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

function getHint(of: "everybody" | "workspace", resetsAt: string): string {
  const whose = t(of === "everybody" ? "quotas:everybodyHint" : "quotas:workspaceHint")
  return `${whose} ${t("quotas:leftEmpty", { time: formatTime(resetsAt) })}`
}

interface LimitFieldProps {
  kind: Kind
  field: Field
  /** The limits of users without their own; null unless a user's limits are edited. */
  everybody: Limits | null
  isWrong: boolean
  onChange: (field: Field) => void
}

function LimitField({ kind, field, everybody, isWrong, onChange }: LimitFieldProps) {
  const number = (label: string) => (
    <TextField
      label={label}
      inputMode="decimal"
      maxLength={20}
      value={field.text}
      placeholder={everybody ? undefined : t("quotas:none")}
      error={isWrong ? t("quotas:notANumber") : undefined}
      onChange={(event) => onChange({ ...field, text: event.target.value })}
    />
  )
  const label = t(`quotas:kind.${kind}`)
  if (!everybody) return number(label)
  const most = everybody[kind]
  return (
    <div className="flex flex-col gap-2">
      <SelectField
        label={label}
        value={field.way}
        onChange={(event) => onChange({ ...field, way: event.target.value as Way })}
      >
        <option value="everybody">
          {most === null
            ? t("quotas:asEverybodyFree")
            : t("quotas:asEverybody", { limit: formatAmount(kind, most) })}
        </option>
        <option value="none">{t("quotas:none")}</option>
        <option value="own">{t("quotas:own")}</option>
      </SelectField>
      {field.way === "own" && number(t("quotas:ownLimit", { kind: label }))}
    </div>
  )
}

/** Edits a user's limits after they have loaded. */
export function PersonLimitsDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error } = useQuotas()
  const person = data?.people.find((person) => person.id === id)
  if (error)
    return (
      <Dialog open onClose={onClose} title={t("quotas:title")}>
        <Note kind="error">{describeError(error)}</Note>
      </Dialog>
    )
  if (!data || !person) return null
  return (
    <LimitsDialog
      whose={{ of: "person", ...person, everybody: data.default }}
      resetsAt={data.resetsAt}
      onClose={onClose}
    />
  )
}
