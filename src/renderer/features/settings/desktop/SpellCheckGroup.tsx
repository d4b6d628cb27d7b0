import i18next, { t } from "i18next"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"

interface SpellCheckGroupProps {
  available: string[]
  chosen: string[]
  onChange: (languages: string[]) => void
}

/** Chooses the languages for spell checking. */
export function SpellCheckGroup({ available, chosen, onChange }: SpellCheckGroupProps) {
  const names = new Intl.DisplayNames(i18next.language, { type: "language" })
  const languages = available
    .map((code) => ({ code, name: names.of(code) ?? code }))
    .toSorted((a, b) => a.name.localeCompare(b.name, i18next.language))
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
