import { session } from "electron"
import type { Noted } from "../box/core/outbound/outbound.ts"
import type { RunningBox } from "../box/start-box.ts"

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

/** Chromium's dictionary server, taken from its sources. */
const dictionaries = "https://redirector.gvt1.com/edgedl/chrome/dict/"

/**
 * Records which dictionaries Chromium downloads. While local-only is on, Chromium looks for them on the box, which has none; installed
 * dictionaries keep working. macOS has its own.
 */
export function watchDictionaries({ url, outbound, onLocalOnly }: RunningBox): void {
  if (process.platform === "darwin") return
  const { defaultSession } = session
  const under = new Map<string, Noted>()
  const isRefused = () => outbound.refusal(dictionaries) !== null
  const point = () =>
    defaultSession.setSpellCheckerDictionaryDownloadURL(
      isRefused() ? `${url}/no-dictionaries/` : dictionaries,
    )
  const end = (outcome: "ok" | "failed") => (_event: unknown, language: string) => {
    under.get(language)?.end(outcome)
    under.delete(language)
  }
  point()
  onLocalOnly(point)
  defaultSession.on("spellcheck-dictionary-download-begin", (_event, language) => {
    if (!isRefused()) under.set(language, outbound.noteForeign("dictionary", dictionaries))
  })
  defaultSession.on("spellcheck-dictionary-download-success", end("ok"))
  defaultSession.on("spellcheck-dictionary-download-failure", end("failed"))
}
