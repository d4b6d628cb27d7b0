import { expect, test } from "vitest"
import { reasonSentence } from "../../../../shared/contract/file-reasons.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { Block } from "../../../parsers/parser.ts"
import { computeCoverage } from "./documents.ts"
import { testDocument } from "./testing/documents.ts"

const block = (location: Block["location"], text = "Words."): Block => ({ kind: "paragraph", text, location })
const late = sentence("reading.late")

function covered(blocks: Block[], unread: number[] = []) {
  const reason = unread.length > 0 ? late : null
  const document = testDocument("f", blocks)
  const { files, complete } = computeCoverage([{ document, unread: { blocks: new Set(unread), reason } }])
  return { ...files[0], complete }
}

// Catches pages reported as read although part of them wasn't, and blank pages that are never reported as read.
test("a page is reported as read when all of it was read", () => {
  const pages = [block({ page: 1 }), block({ page: 2 }), block({ page: 2 }), block({ page: 4 })]
  expect(covered(pages)).toMatchObject({ read: 4, of: 4, unit: "page", skipped: null, complete: true })
  expect(covered(pages, [2])).toMatchObject({ read: 2, of: 4, skipped: late.text, complete: false })
  expect(covered(pages, [0, 1, 2, 3])).toMatchObject({ read: 0, of: 4 })
})

// Catches a reason shown in English to users of another language.
test("the reason for an unread file is sent as a code with values", () => {
  const skipped = [reasonSentence({ code: "pages_unread", values: { count: 2 } })]
  const document = { ...testDocument("f", [block({ page: 1 })]), skipped }
  const { files } = computeCoverage([{ document, unread: { blocks: new Set([0]), reason: late } }])
  const [first] = skipped
  expect(files[0]).toMatchObject({
    skipped: `${late.text} ${first?.text}`,
    sentences: [{ code: "reading.late" }, { code: "reasons.pages_unread", values: { count: 2 } }],
  })
})

test("each kind of file is counted in its own unit", () => {
  const sheets = [block({ sheet: "A", row: 1 }), block({ sheet: "B", row: 1 }), block({ sheet: "B", row: 2 })]
  expect(covered(sheets, [2])).toMatchObject({ read: 1, of: 2, unit: "sheet" })
  const lines = [block({ line: 1 }, "a\nb"), block({ line: 5 }, "c")]
  expect(covered(lines, [0])).toMatchObject({ read: 1, of: 5, unit: "line" })
  expect(covered([block({ heading: "H" }), block({ page: 1 })], [1])).toMatchObject({
    read: 1,
    of: 2,
    unit: "part",
  })
  expect(covered([])).toMatchObject({ read: 0, of: 0, unit: "part" })
})
