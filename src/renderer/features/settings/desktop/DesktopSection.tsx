import { t } from "i18next"
import { useId, type ReactNode } from "react"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { Switch } from "../../../ui/controls/Toggles.tsx"
import { useChangeDesktopOptions, useDesktopOptions } from "./desktop-options.ts"
import { ShortcutField } from "./ShortcutField.tsx"
import { SpellCheckGroup } from "./SpellCheckGroup.tsx"
import { UpdateGroup } from "./UpdateGroup.tsx"

/** Settings of the desktop app on this computer. */
export function DesktopSection() {
  const { data: options } = useDesktopOptions()
  const { mutate: change } = useChangeDesktopOptions()
  if (!options) return <p className="text-sm text-soft">{t("settings:desktop.onlyInDesktop")}</p>
  return (
    <>
      <SettingsGroup title={t("settings:desktop.running")}>
        <div className="divide-y divide-line rounded-lg border border-line">
          <SwitchRow
            name={t("settings:desktop.openAtLogin")}
            checked={options.openAtLogin}
            onChange={(openAtLogin) => change({ openAtLogin })}
          />
          <SwitchRow
            name={t("settings:desktop.keepRunning")}
            hint={t("settings:desktop.keepRunningHint")}
            checked={options.keepRunning}
            onChange={(keepRunning) => change({ keepRunning })}
          />
        </div>
      </SettingsGroup>
      <SettingsGroup title={t("frame:quickAsk.name")} description={t("settings:desktop.quickAskHint")}>
        <ShortcutField
          keys={options.quickAskShortcut}
          registered={options.quickAskRegistered}
          onChange={(quickAskShortcut) => change({ quickAskShortcut })}
        />
      </SettingsGroup>
      {options.availableSpellCheckLanguages.length > 0 && (
        <SpellCheckGroup
          available={options.availableSpellCheckLanguages}
          chosen={options.spellCheckLanguages}
          onChange={(spellCheckLanguages) => change({ spellCheckLanguages })}
        />
      )}
      <UpdateGroup />
    </>
  )
}

interface SwitchRowProps {
  name: string
  hint?: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
}

function SwitchRow({ name, hint, checked, onChange }: SwitchRowProps) {
  const id = useId()
  return (
    <div className="flex min-h-12 items-center gap-6 px-3 py-2">
      <div className="min-w-0 flex-1">
        <label htmlFor={id} className="text-sm font-medium">
          {name}
        </label>
        {hint !== undefined && <p className="text-xs text-soft">{hint}</p>}
      </div>
      <Switch id={id} checked={checked} onCheckedChange={onChange} />
    </div>
  )
}
