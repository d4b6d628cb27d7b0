import { t } from "i18next"
import { useId } from "react"
import type { Settings } from "../../../../shared/contract/settings.ts"
import { useChangeLocalOnly } from "../../../data/settings.ts"
import { describeError } from "../../../lib/box.ts"
import { Note } from "../../../ui/Note.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { Switch } from "../../../ui/controls/Toggles.tsx"
import { useOwner } from "../../../data/session.ts"

/** The switch that keeps everything on this computer. */
export function LocalOnlyGroup({ settings }: { settings: Settings }) {
  const { localOnly, localOnlyPrograms, localOnlyDecidedBy } = settings
  const owner = useOwner()
  const change = useChangeLocalOnly()
  const decided = localOnlyDecidedBy === "start"
  const disabled = !owner || decided || change.isPending
  return (
    <SettingsGroup title={t("privacy:localOnly.title")} description={t("privacy:localOnly.description")}>
      <div className="divide-y divide-line rounded-lg border border-line">
        <SwitchRow
          name={t("privacy:localOnly.switch")}
          hint={t("privacy:localOnly.hint")}
          checked={localOnly}
          disabled={disabled}
          onChange={(on) => change.mutate({ localOnly: on })}
        />
        {localOnly && (
          <SwitchRow
            name={t("privacy:localOnly.programs")}
            hint={t("privacy:localOnly.programsHint")}
            checked={localOnlyPrograms}
            disabled={disabled}
            onChange={(on) => change.mutate({ localOnlyPrograms: on })}
          />
        )}
      </div>
      <div className="mt-2 flex flex-col gap-2 empty:hidden">
        {change.error && <Note kind="error">{describeError(change.error)}</Note>}
        {decided && <Note>{t("privacy:localOnly.decided", { flag: "--local-only" })}</Note>}
        {!owner && <Note kind="quiet">{t("privacy:localOnly.ownersOnly")}</Note>}
      </div>
    </SettingsGroup>
  )
}

interface SwitchRowProps {
  name: string
  hint: string
  checked: boolean
  disabled: boolean
  onChange: (checked: boolean) => void
}

function SwitchRow({ name, hint, checked, disabled, onChange }: SwitchRowProps) {
  const id = useId()
  return (
    <div className="flex items-start gap-4 px-3 py-2.5 text-sm">
      <div className="min-w-0 flex-1">
        <label htmlFor={id}>{name}</label>
        <p id={`${id}-hint`} className="mt-0.5 text-xs text-soft">
          {hint}
        </p>
      </div>
      <Switch
        id={id}
        aria-describedby={`${id}-hint`}
        checked={checked}
        disabled={disabled}
        onCheckedChange={onChange}
      />
    </div>
  )
}
