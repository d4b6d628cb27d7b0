import { session } from "electron"

/**
 * Sets the spell-check languages. On macOS the system checks spelling. On other systems Chromium downloads a dictionary for each language,
 * so spell check is off until the user selects languages.
 */
export function setSpellCheck(languages: string[] | null): void {
  const { defaultSession } = session
  if (process.platform === "darwin") return
  const known = (languages ?? []).filter((code) =>
    defaultSession.availableSpellCheckerLanguages.includes(code),
  )
  defaultSession.setSpellCheckerEnabled(known.length > 0)
  defaultSession.setSpellCheckerLanguages(known)
}

export const spellCheckLanguages = (): { chosen: string[]; available: string[] } => ({
  chosen: session.defaultSession.isSpellCheckerEnabled()
    ? session.defaultSession.getSpellCheckerLanguages()
    : [],
  available: session.defaultSession.availableSpellCheckerLanguages,
})
