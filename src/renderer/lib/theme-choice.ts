export const themes = ["system", "light", "dark"] as const
export type Theme = (typeof themes)[number]

export const storageKey = "theme"

export const readTheme = (): Theme =>
  themes.find((theme) => theme === localStorage.getItem(storageKey)) ?? "system"

/** Applies the stored theme, or the system's if none is stored. */
export function applyTheme(): void {
  const theme = readTheme()
  if (theme === "system") delete document.documentElement.dataset["theme"]
  else document.documentElement.dataset["theme"] = theme
}
