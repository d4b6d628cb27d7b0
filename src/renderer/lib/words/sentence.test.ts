import i18next from "i18next"
import { beforeAll, expect, test } from "vitest"
import type { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { it } from "../../locales/it/it.ts"
import { toPageLanguage } from "./sentence.ts"

beforeAll(() => i18next.init({ lng: "it", resources: { it }, interpolation: { escapeValue: false } }))

const toItalian = ({ text, field }: Sentence) => toPageLanguage(text, field.sentence)

// Catches sentences, or nested ones, that stay English on an Italian page, and other people's text that is changed.
test("translates sentences and those nested in them", () => {
  expect(toItalian(sentence("core.no_server_named", { host: "example.org" }))).toBe(
    "Non è stato trovato alcun server di nome example.org.",
  )
  const words = "$t(sentences:core.disk_full) {{what}} $1"
  expect(
    toItalian(sentence("tools.server_said", { what: sentence("tools.server_ended_early"), words })),
  ).toBe(`Il server MCP si è chiuso prima di rispondere. Ha detto: ${words}`)
  const refused = sentence("integrations.owners_only", { what: sentence("integrations.run_programs") })
  expect(toItalian(refused)).toBe("Solo i proprietari possono avviare programmi su questo computer.")
  const size = sentence("quotas.size", { size: 1.2, symbol: "GB" })
  expect(toItalian(sentence("quotas.bytes", { used: size, most: size, wanted: size }))).toContain("1,2 GB su")
  const invalid = sentence("http.invalid", {
    what: sentence("http.field", {
      field: "name",
      what: sentence("validation.most_characters", { count: 5 }),
    }),
  })
  expect(toItalian(invalid)).toBe("La richiesta non è valida: name: può avere al massimo 5 caratteri")
})

// Catches a code, or half a sentence, on the page when the box is newer.
test("shows the original if the page doesn't know the sentence or one nested in it", () => {
  expect(toPageLanguage("Something new.")).toBe("Something new.")
  expect(toPageLanguage("Something new.", { code: "new.thing" })).toBe("Something new.")
  const values = { what: { code: "new.thing" }, words: "x" }
  expect(toPageLanguage("New. It says: x", { code: "remote.says", values })).toBe("New. It says: x")
  expect(toPageLanguage("Constructed.", { code: "constructor" })).toBe("Constructed.")
})
