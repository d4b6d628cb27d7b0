import { t } from "i18next"
import { Monitor, Moon, Sun } from "lucide-react"
import { useState } from "react"
import { chooseLanguage, languages, readLanguageChoice, type Language } from "../../lib/words/language.ts"
import { themes } from "../../lib/theme-choice.ts"
import { useTheme } from "../../lib/theme.ts"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"
import { ChoiceCards } from "./ChoiceCards.tsx"

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
  const codes = Object.keys(languages) as Language[]
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
          ...codes.map((value) => ({
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
