import { t } from "i18next"
import { useState } from "react"
import type { OwnLimits, Limits } from "../../../../shared/contract/quotas.ts"
import { describeError } from "../../../lib/box.ts"
import { showToast } from "../../../lib/toasts.ts"
import { formatTime } from "../../../lib/words/format.ts"
import { Note } from "../../../ui/Note.tsx"
import { Button } from "../../../ui/controls/Button.tsx"
import { SelectField, TextField } from "../../../ui/controls/Field.tsx"
import { Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"
import { kinds, type Kind, formatAmount, useQuotas, useSetLimits, type Whose } from "./quotas.ts"

/** The source of a limit: the limit for everyone, none, or the number in its field. */
type Way = "everybody" | "none" | "own"

interface Field {
  way: Way
  text: string
}
type Draft = Record<Kind, Field>

const perUnit = (kind: Kind) => (kind === "bytes" ? 1_000_000_000 : 1)

/**
 * `null` means the limit for everyone if the limits are a user's, otherwise no limit. In the latter case, an empty field also means no
 * limit.
 */
function toDraft(limits: OwnLimits, isPerson: boolean): Draft {
  const field = (kind: Kind): Field => {
    const most = limits[kind]
    if (typeof most === "number") return { way: "own", text: String(most / perUnit(kind)) }
    if (most === "unlimited") return { way: "none", text: "" }
    return { way: isPerson ? "everybody" : "own", text: "" }
  }
  return { files: field("files"), bytes: field("bytes"), answers: field("answers"), tokens: field("tokens") }
}

/** Returns the limits, and the fields that contain no valid number. */
function parseLimits(draft: Draft, isPerson: boolean): { limits: OwnLimits; wrong: Kind[] } {
  const limits: OwnLimits = { files: null, bytes: null, answers: null, tokens: null }
  const wrong: Kind[] = []
  for (const kind of kinds) {
    const { way, text } = draft[kind]
    if (way === "none") limits[kind] = "unlimited"
    if (way !== "own") continue
    const given = text.trim().replace(",", ".")
    const most = Math.round(Number(given) * perUnit(kind))
    if (given === "") {
      if (isPerson) wrong.push(kind)
    } else if (!/^\d+(\.\d+)?$/.test(given) || most > 1e15 || (kind !== "bytes" && given.includes(".")))
      wrong.push(kind)
    else limits[kind] = most
  }
  return { limits, wrong }
}

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
