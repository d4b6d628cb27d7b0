import i18next from "i18next"
import { beforeAll, expect, test } from "vitest"
import type { BoxNews } from "../../../shared/contract/box-news.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { en } from "../../locales/en/en.ts"
import { it as italian } from "../../locales/it/it.ts"
import { secondLine, getText, getTitle } from "./wording.ts"

beforeAll(() =>
  i18next.init({ lng: "it", resources: { en, it: italian }, interpolation: { escapeValue: false } }),
)

const stored = { title: "In English", description: "As it was sent" }
const getTexts = (news: BoxNews) => [getTitle({ ...stored, news }), secondLine({ ...stored, news })]

// Catches an English notification from the box on an Italian page, and reworded notifications from others.
test("shows the box's own notifications in the page's language, and others as they were sent", () => {
  expect(getTexts({ kind: "folder_indexed", folder: "Bolle", files: 3 })).toEqual([
    "Bolle: indicizzazione completata",
    "3 file indicizzati.",
  ])
  expect(getTexts({ kind: "ticket_changed", status: "RESOLVED" })).toEqual([
    "La tua segnalazione è risolta",
    "As it was sent",
  ])
  expect(getTitle(stored)).toBe("In English")
  expect(secondLine({ ...stored, preview: "Short" })).toBe("Short")
})

// Catches a count that is one too high, and folder names read as markup.
test("names failed files and counts the rest", () => {
  const names = ["a", "b", "c"]
  const news = { kind: "files_failed" as const, folder: "A & B", failed: 4, names, indexed: 1 }
  expect(getTexts(news)).toEqual(["A & B: 4 file non riusciti", "a, b, c e 1 altro. 1 file indicizzato."])
  expect(getText({ ...stored, news: { ...news, failed: 3 } })).toBe("a, b, c. 1 file indicizzato.")
  expect(getText({ ...stored, news: { ...news, failed: 3, indexed: 0 } })).toBe("a, b, c.")
})

// Catches an English reason under an Italian title, and rows from an earlier Casella that have no translatable reason.
test("explains failures in the page's language", () => {
  const { text: reason, field } = sentence("models.no_chat_model")
  expect(getTexts({ kind: "question_held", about: "What is it?", reason, ...field })).toEqual([
    "Non è stato possibile inviare una domanda in coda",
    "What is it?: Non è installato alcun modello di chat. Scaricane uno in Impostazioni › Altri modelli.",
  ])
  expect(getTexts({ kind: "model_failed", model: "Small", reason: "Somebody's words" })[1]).toBe(
    "Somebody's words",
  )
  expect(getTexts({ kind: "report_refused" })[1]).toBe("As it was sent")
})
