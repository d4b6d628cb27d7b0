import { Monitor, Moon, Sun } from "lucide-react"
import { themes, useTheme } from "../../lib/theme.ts"
import { SettingsGroup } from "../../ui/SettingsGroup.tsx"

const choices = {
  system: { name: "As the system", icon: Monitor },
  light: { name: "Light", icon: Sun },
  dark: { name: "Dark", icon: Moon },
}

export function AppearanceSection() {
  const [theme, setTheme] = useTheme()
  return (
    <SettingsGroup title="Theme">
      <fieldset aria-label="Theme" className="grid max-w-md grid-cols-3 gap-2">
        {themes.map((option) => {
          const { name, icon: Icon } = choices[option]
          return (
            <label
              key={option}
              className="flex flex-col items-center gap-2 rounded-lg border border-line px-3 py-4 text-sm text-soft transition-colors hover:bg-hover has-checked:border-accent has-checked:bg-tint has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-accent"
            >
              <input
                type="radio"
                name="theme"
                checked={theme === option}
                onChange={() => setTheme(option)}
                className="sr-only"
              />
              <Icon className="size-5" strokeWidth={1.75} aria-hidden />
              {name}
            </label>
          )
        })}
      </fieldset>
    </SettingsGroup>
  )
}
