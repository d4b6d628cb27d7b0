import i18next from "i18next"
import { beforeAll, expect, test } from "vitest"
import { reason, reasonSentence, reasonText } from "../../../shared/contract/file-reasons.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import type { FileReason } from "../../../shared/contract/files.ts"
import { it } from "../../locales/it/it.ts"
import { describeError } from "../box.ts"
import { getReason } from "./sentence.ts"
import { Sentence } from "../../../shared/sentences/sentence.ts"

beforeAll(() => i18next.init({ lng: "it", resources: { it }, interpolation: { escapeValue: false } }))

const describe = (...reasons: FileReason[]) =>
  getReason({ storage: "local", error: null, note: reasons.map(reasonText).join(" "), reasons })

// Catches English sentences on an Italian page, and attachment names that are read as placeholders.
test("gives the reason in the page's language", () => {
  expect(describe(reason("encrypted_pdf"))).toBe(
    "Questo PDF è cifrato. Inserisci la password, o salvane una copia senza.",
  )
  const name = "$t(reasons:gone) {{count}}.docx"
  const left = reason("embedded_left_out", { name, cause: reason("encrypted") })
  expect(
    describe({ ...left, document: "posta.msg" }, reason("pages_by_ocr", { pages: 2, count: 1200 })),
  ).toBe(
    `posta.msg: L’allegato «${name}» è stato saltato: Questo file è cifrato. Salvalo senza password. ` +
      "Pagine il cui testo è stato riconosciuto in un’immagine: 2 su 1200.",
  )
})

// Catches refused uploads that an Italian page explains in English.
test("explains why a file is refused", () => {
  const describe = reason("light_only")
  const error = new AppError("unsupported_type", reasonSentence(describe))
  expect(describeError(error)).toBe(
    "Questa cartella accetta solo PDF e immagini. Aggiungi questo file a un’altra cartella.",
  )
  const unknown = new AppError("unsupported_type", Sentence.asIs("Something new.", { code: "reasons.new" }))
  expect(describeError(unknown)).toBe("Something new.")
})

// Catches a page that shows codes, or nothing, for a newer box's reason.
test("shows the box's own sentence if it doesn't know the code", () => {
  const error = "Something new."
  expect(getReason({ storage: "local", error, note: null, reasons: [{ code: "new" }] })).toBe(error)
  expect(getReason({ storage: "local", error, note: null })).toBe(error)
})
