import { useSyncExternalStore } from "react"

export const themes = ["system", "light", "dark"] as const
export type Theme = (typeof themes)[number]

const storageKey = "theme"
const listeners = new Set<() => void>()

const readTheme = (): Theme => themes.find((theme) => theme === localStorage.getItem(storageKey)) ?? "system"

/** Shows the stored choice; without one the system decides. */
export function applyTheme(): void {
  const theme = readTheme()
  if (theme === "system") delete document.documentElement.dataset["theme"]
  else document.documentElement.dataset["theme"] = theme
}

function setTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme)
  applyTheme()
  for (const listener of listeners) listener()
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, readTheme)
  return [theme, setTheme]
}
