import { session } from "electron"

/**
 * macOS checks by itself. Elsewhere Chromium fetches a dictionary for each language, so it is off until its user has
 * chosen languages: nothing is fetched unasked.
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
