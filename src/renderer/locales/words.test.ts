import { readFileSync } from "node:fs"
import { join } from "node:path"
import i18next from "i18next"
import { expect, test, vi } from "vitest"
import { fileReasons } from "../../shared/contract/file-reasons.ts"
import { sentences as english } from "../../shared/sentences/sentences.ts"
import { de } from "./de/de.ts"
import { en } from "./en/en.ts"
import { it } from "./it/it.ts"

interface Strings {
  [key: string]: string | Strings
}

/** Lists all strings with their keys: "menu.rename" -> "Rename". */
const flatten = (strings: Strings, prefix = ""): [key: string, text: string][] =>
  Object.entries(strings).flatMap(([key, value]) =>
    typeof value === "string"
      ? [[prefix + key, value] as [string, string]]
      : flatten(value, `${prefix}${key}.`),
  )

const readDesktopStrings = (language: string) =>
  JSON.parse(
    readFileSync(join(import.meta.dirname, `../../main/strings/${language}.json`), "utf8"),
  ) as Strings

// Alternative names for searching may contain any word.
const { search: deSearch, ...dePage } = de
const { search: enSearch, ...enPage } = en
const { search: itSearch, ...itPage } = it
const catalogues = {
  de: {
    settings: "Einstellungen",
    strings: flatten({
      ...dePage,
      search: { ...deSearch, words: {}, settings: {} },
      desktop: readDesktopStrings("de"),
    }),
  },
  en: {
    settings: "Settings",
    strings: [
      ...flatten({ ...enPage, search: { ...enSearch, words: {}, settings: {} } }),
      ...flatten({ sentences: english, reasons: fileReasons, desktop: readDesktopStrings("en") }),
    ],
  },
  it: {
    settings: "Impostazioni",
    strings: flatten({
      ...itPage,
      search: { ...itSearch, words: {}, settings: {} },
      desktop: readDesktopStrings("it"),
    }),
  },
}

// Catches advice to open a section of the settings that doesn't exist, was renamed, or is written in another way.
test.each(["de", "en", "it"] as const)("the settings that the strings of %s name exist", async (language) => {
  await i18next.init({ lng: language, resources: { de, en, it }, defaultNS: "common" })
  const { settings, strings } = catalogues[language]
  // The sections of the desktop app, which has one more than the browser.
  vi.stubGlobal("window", { casella: {} })
  const { settingsSections } = await import("../app/settings/SettingsScreen.tsx")
  const sections = settingsSections.map(({ name }) => name())
  const wrong = strings
    // Imports name the settings of other programs.
    .filter(([key]) => !key.startsWith("imports.programs."))
    .flatMap(([key, text]) => {
      const places = Array.from(
        text.matchAll(new RegExp(`${settings}(?:, | → | › )(?=\\p{Lu})(.*)`, "gu")),
        ([place]) => place,
      )
      const isRight = (place: string) =>
        sections.some((section) => place.startsWith(`${settings} › ${section}`))
      return places.filter((place) => !isRight(place)).map((place) => `${key}: ${place}`)
    })
  expect(strings.filter(([, text]) => text.includes(`${settings} › `)).length).toBeGreaterThan(10)
  expect(wrong).toEqual([])
})

/** Words that the interface doesn't use, and the word to use instead. The table in docs/contributing/design-system.md explains them. */
const rejected: Record<"en" | "it", [pattern: RegExp, instead: string][]> = {
  en: [
    [/\b(search|sorting) model\b/i, "embedding model, reranking model"],
    [/\btool servers?\b/i, "MCP server"],
    [/\bconversations?\b/i, "chat"],
    [/\b(unlink|link(ed|ing)) /i, "connect, disconnect"],
    [/\btake[ns]? (over|back)\b/i, "import, undo"],
    [/\bput(ting)? back\b/i, "restore"],
    [/\bcall(ed)? off\b/i, "cancel"],
    [/\bhold(s)? at once\b/i, "context window"],
    [/\bpictures?\b/i, "image"],
    [/\be-mails?\b/i, "email"],
    [/\bsub-folder/i, "subfolder"],
    [/\b(somebody|nobody|whoever owns)\b/i, "someone, no one"],
    [/\banew\b/i, "again"],
    [/\bbegun\b/i, "started"],
    [/\bswitch(ed|es)? (it )?(on|off)\b/i, "turn on, turn off"],
    [/\bnever altered\b|\bin circles\b|\bfell silent\b/i, "a true, plain sentence"],
    [/\bthe box\b/i, "Casella"],
  ],
  it: [
    [/\bmodello di (ricerca|riordinamento)\b/i, "modello di embedding, modello di reranking"],
    [/\bserver di strumenti\b/i, "server MCP"],
    [/\bconversazion[ei]\b/i, "chat"],
    [/\bscaricamento\b/i, "download"],
    [/\bricerca nel web\b|\bcerca(to|re)? nel web\b/i, "sul web"],
    [/\b(il|un|nessun|questo) box\b/i, "Casella"],
    [/\bmuri\b/i, "isolamento, sandbox"],
    [/[“”]|\w'\w/, "«…», ’"],
    [/\b(perchè|poichè|nè|finchè|affinchè|cosi|puo|gia|piu)\b/i, "the right accent"],
  ],
}
// Catches a second word for one thing, and words of a dialect that readers have to decode.
test.each(["en", "it"] as const)("the strings of %s use one word for one thing", (language) => {
  const wrong = catalogues[language].strings.flatMap(([key, text]) =>
    rejected[language]
      .filter(([pattern]) => pattern.test(text))
      .map(([, instead]) => `${key}: ${text} (use: ${instead})`),
  )
  expect(wrong).toEqual([])
})

// Catches straight quotes on a page whose other texts have curly ones.
test("the page's English strings have curly quotes", () => {
  const straight = flatten({ ...enPage, reasons: {} }).filter(([, text]) => /["']/.test(text))
  expect(straight).toEqual([])
})
