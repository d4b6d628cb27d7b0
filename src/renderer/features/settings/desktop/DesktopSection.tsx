import { t } from "i18next"
import { useState, type KeyboardEvent, useId, type ReactNode } from "react"
import { pageLanguage } from "../../../lib/words/language.ts"
import { Note } from "../../../ui/Note.tsx"
import { Button } from "../../../ui/controls/Button.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { Switch } from "../../../ui/controls/Toggles.tsx"
import { UpdateGroup } from "./UpdateGroup.tsx"
import {
  acceleratorName,
  getAccelerator,
  useChangeDesktopOptions,
  useDesktopOptions,
} from "./desktop-options.ts"

interface ShortcutFieldProps {
  keys: string | null
  registered: boolean
  onChange: (keys: string | null) => void
}

const isMac = navigator.platform.startsWith("Mac")

/** Records the shortcut that opens quick ask from any program: press the button, then the keys. */
function ShortcutField({ keys, registered, onChange }: ShortcutFieldProps) {
  const [listening, setListening] = useState(false)

  function onKeyDown(event: KeyboardEvent) {
    if (!listening || event.key === "Tab") return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === "Escape") return setListening(false)
    const accelerator = getAccelerator(event.nativeEvent, isMac)
    if (accelerator === null) return
    setListening(false)
    onChange(accelerator)
  }

  const shown = keys === null ? t("settings:desktop.noShortcut") : acceleratorName(keys, isMac)
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Button
          aria-label={t("settings:desktop.shortcut", { keys: shown })}
          onClick={() => setListening(!listening)}
          onKeyDown={onKeyDown}
          onBlur={() => setListening(false)}
          className="min-w-44"
        >
          {listening ? t("settings:desktop.pressKeys") : shown}
        </Button>
        {keys !== null && (
          <Button onClick={() => onChange(null)}>{t("settings:desktop.removeShortcut")}</Button>
        )}
      </div>
      {keys !== null && !registered && (
        <Note kind="warning">
          {t("settings:desktop.shortcutTaken", { keys: acceleratorName(keys, isMac) })}
        </Note>
      )}
    </div>
  )
}

interface SpellCheckGroupProps {
  available: string[]
  chosen: string[]
  onChange: (languages: string[]) => void
}

/** Chooses the languages for spell checking. */
function SpellCheckGroup({ available, chosen, onChange }: SpellCheckGroupProps) {
  const names = new Intl.DisplayNames(pageLanguage(), { type: "language" })
  const languages = available
    .map((code) => ({ code, name: names.of(code) ?? code }))
    .toSorted((a, b) => a.name.localeCompare(b.name, pageLanguage()))
  return (
    <SettingsGroup title={t("settings:desktop.spelling")} description={t("settings:desktop.spellingHint")}>
      <fieldset
        aria-label={t("settings:desktop.spelling")}
        className="grid max-h-60 grid-cols-2 gap-x-4 gap-y-1 overflow-y-auto rounded-lg border border-line p-3"
      >
        {languages.map(({ code, name }) => (
          <label key={code} className="flex min-w-0 items-center gap-2 text-sm">
            <input
              type="checkbox"
              checked={chosen.includes(code)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, code] : chosen.filter((other) => other !== code))
              }
            />
            <span className="truncate">{name}</span>
          </label>
        ))}
      </fieldset>
    </SettingsGroup>
  )
}

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
