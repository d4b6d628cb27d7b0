import { useSyncExternalStore } from "react"
import { applyTheme, readTheme, storageKey, type Theme } from "./theme-choice.ts"

const listeners = new Set<() => void>()

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
