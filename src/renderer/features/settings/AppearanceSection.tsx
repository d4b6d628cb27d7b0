import { t } from "i18next"
import { Monitor, Moon, Sun } from "lucide-react"
import { type ReactNode, useState } from "react"
import { themes } from "../../lib/theme-choice.ts"
import { useTheme } from "../../lib/theme.ts"
import { languageCodes, languages } from "../../../shared/languages.ts"
import { chooseLanguage, readLanguageChoice } from "../../lib/words/language.ts"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"

interface ChoiceCardsProps<T extends string> {
  label: string
  options: readonly { value: T; name: string; sign: ReactNode }[]
  value: T
  onChange: (value: T) => void
}

/** A choice between a few options, each shown as a card with an icon. */
function ChoiceCards<T extends string>({ label, options, value, onChange }: ChoiceCardsProps<T>) {
  return (
    <fieldset aria-label={label} className="grid grid-cols-[repeat(auto-fill,minmax(6.5rem,1fr))] gap-2">
      {options.map((option) => (
        <label
          key={option.value}
          className="flex flex-col items-center gap-2 rounded-lg border border-line px-3 py-4 text-center text-sm text-soft transition-colors hover:bg-hover has-checked:border-accent has-checked:bg-tint has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-accent [&_svg]:size-5"
        >
          <input
            type="radio"
            name={label}
            checked={value === option.value}
            onChange={() => onChange(option.value)}
            className="sr-only"
          />
          {option.sign}
          {option.name}
        </label>
      ))}
    </fieldset>
  )
}

const themeIcons = { system: Monitor, light: Sun, dark: Moon }

export function AppearanceSection() {
  return (
    <>
      <ThemeGroup />
      <LanguageGroup />
    </>
  )
}

function ThemeGroup() {
  const [theme, setTheme] = useTheme()
  return (
    <SettingsGroup title={t("settings:appearance.theme")}>
      <ChoiceCards
        label={t("settings:appearance.theme")}
        value={theme}
        onChange={setTheme}
        options={themes.map((value) => {
          const Icon = themeIcons[value]
          return {
            value,
            name: t(`settings:appearance.themes.${value}`),
            sign: <Icon strokeWidth={1.75} aria-hidden />,
          }
        })}
      />
    </SettingsGroup>
  )
}

/** Each language is named in that language, so that people find theirs whatever the page's language. */
function LanguageGroup() {
  const [choice, setChoice] = useState(readLanguageChoice)
  return (
    <SettingsGroup
      title={t("settings:appearance.language")}
      description={t("settings:appearance.languageDescription")}
    >
      <ChoiceCards
        label={t("settings:appearance.language")}
        value={choice}
        onChange={(next) => {
          setChoice(next)
          void chooseLanguage(next)
        }}
        options={[
          {
            value: "system",
            name: t("settings:appearance.themes.system"),
            sign: <Monitor strokeWidth={1.75} aria-hidden />,
          },
          ...languageCodes.map((value) => ({
            value,
            name: languages[value],
            sign: (
              <span aria-hidden className="font-mono text-sm leading-5 uppercase">
                {value}
              </span>
            ),
          })),
        ]}
      />
    </SettingsGroup>
  )
}
