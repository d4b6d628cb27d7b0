import { t } from "i18next"
import { useState } from "react"
import type { OwnLimits, Limits, Quotas, Use } from "../../../../shared/contract/quotas.ts"
import { describeError } from "../../../lib/box.ts"
import { showToast } from "../../../lib/toasts.ts"
import { formatTime } from "../../../lib/words/format.ts"
import { Note } from "../../../ui/Note.tsx"
import { Button } from "../../../ui/controls/Button.tsx"
import { SelectField, TextField } from "../../../ui/controls/Field.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"
import {
  formatAmount,
  getWorkspaceName,
  kinds,
  useQuotas,
  useSetLimits,
  type Kind,
  type Whose,
} from "./quotas.ts"

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
    const limit = limits[kind]
    if (typeof limit === "number") return { way: "own", text: String(limit / perUnit(kind)) }
    if (limit === "unlimited") return { way: "none", text: "" }
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
    const limit = Math.round(Number(given) * perUnit(kind))
    if (given === "") {
      if (isPerson) wrong.push(kind)
    } else if (!/^\d+(\.\d+)?$/.test(given) || limit > 1e15 || (kind !== "bytes" && given.includes(".")))
      wrong.push(kind)
    else limits[kind] = limit
  }
  return { limits, wrong }
}

interface LimitsDialogProps {
  whose: Whose
  resetsAt: string
  onClose: () => void
}

/** Edits the four limits of everyone, a user or a workspace. */
function LimitsDialog({ whose, resetsAt, onClose }: LimitsDialogProps) {
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
  const limit = everybody[kind]
  return (
    <div className="flex flex-col gap-2">
      <SelectField
        label={label}
        value={field.way}
        onChange={(event) => onChange({ ...field, way: event.target.value as Way })}
      >
        <option value="everybody">
          {limit === null
            ? t("quotas:asEverybodyFree")
            : t("quotas:asEverybody", { limit: formatAmount(kind, limit) })}
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

/** Limits for users' storage and questions, and their usage. */
export function QuotasGroup() {
  const { data: quotas, error } = useQuotas()
  const [changed, setChanged] = useState<Whose | null>(null)
  return (
    <SettingsGroup title={t("quotas:title")} description={t("quotas:description")}>
      {error && <Note kind="error">{describeError(error)}</Note>}
      {quotas && (
        <ul aria-label={t("quotas:title")} className="divide-y divide-line rounded-lg border border-line">
          {getRows(quotas).map(({ whose, name, lines }) => (
            <li
              key={whose.of === "everybody" ? "" : whose.id}
              className="flex items-center gap-3 px-3 py-2.5 text-sm"
            >
              <div className="min-w-0 flex-1">
                <p className="truncate" title={name}>
                  {name}
                </p>
                {whose.of === "workspace" && <p className="text-xs text-faint">{t("quotas:workspace")}</p>}
                <p className="text-xs text-soft">
                  {lines.length === 0 ? t("quotas:none") : lines.join(" · ")}
                </p>
              </div>
              <Button aria-label={t("quotas:changeOf", { name })} onClick={() => setChanged(whose)}>
                {t("quotas:change")}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {changed && quotas && (
        <LimitsDialog whose={changed} resetsAt={quotas.resetsAt} onClose={() => setChanged(null)} />
      )}
    </SettingsGroup>
  )
}

interface Row {
  whose: Whose
  name: string
  lines: string[]
}

/** Users are listed only if a limit applies to any of them. */
function getRows({ default: everybody, people, workspaces }: Quotas): Row[] {
  const rows: Row[] = [
    {
      whose: { of: "everybody", limits: everybody },
      name: t("quotas:everybody"),
      lines: kinds.flatMap((kind) => {
        const limit = everybody[kind]
        return limit === null
          ? []
          : `${t(kind === "bytes" ? "quotas:name.bytes" : `quotas:kind.${kind}`)}: ${formatAmount(kind, limit)}`
      }),
    },
  ]
  for (const { id, name: stored, limits, use } of workspaces) {
    const name = getWorkspaceName(stored)
    rows.push({ whose: { of: "workspace", id, name, limits }, name, lines: formatLines(limits, use) })
  }
  const isAny = (limits: object) => Object.values(limits).some((limit) => limit !== null)
  const areLimited = isAny(everybody) || people.some(({ limits }) => isAny(limits))
  for (const { id, name, limits, use } of areLimited ? people : []) {
    const held = { ...everybody }
    for (const kind of kinds) {
      const own = limits[kind]
      if (own !== null) held[kind] = own === "unlimited" ? null : own
    }
    rows.push({ whose: { of: "person", id, name, limits, everybody }, name, lines: formatLines(held, use) })
  }
  return rows
}

const formatLines = (limits: Limits, use: Use): string[] =>
  kinds.flatMap((kind) => {
    const limit = limits[kind]
    if (limit === null) return []
    const said = t("quotas:of", { used: formatAmount(kind, use[kind]), most: formatAmount(kind, limit) })
    return `${t(`quotas:name.${kind}`)}: ${said}`
  })
