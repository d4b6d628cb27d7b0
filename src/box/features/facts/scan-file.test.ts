import { expect, test } from "vitest"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Block } from "../../parsers/parser.ts"
import { createFactCollector } from "./collect-facts.ts"
import { scanFile, type CoverageScan, type FactFile } from "./scan-file.ts"

const file: FactFile = {
  id: "a",
  name: "a.pdf",
  status: "completed",
  error: null,
  note: null,
  updatedAt: "2026-01-01T00:00:00.000Z",
}
const page = (number: number, text = "words"): Block => ({
  kind: "paragraph",
  text,
  location: { page: number },
})
const opened = (blocks: readonly Block[]) => async () =>
  (async function* () {
    yield [...blocks]
  })()
const scan = (blocks: readonly Block[], more: Partial<CoverageScan> = {}, its: Partial<FactFile> = {}) =>
  scanFile(
    { ...file, ...its },
    { blocks: opened(blocks), visit: () => null, signal: new AbortController().signal, ...more },
  )

// Catches a partly read file that is reported as complete, or whose reason is lost.
test("reports how much was read, in the document's own units, and why not all", async () => {
  const pages = [page(1), page(1), page(2), page(4)]
  expect(await scan(pages)).toEqual({
    fileId: "a",
    name: "a.pdf",
    unit: "page",
    read: 4,
    of: 4,
    skipped: null,
  })
  const described = { ...page(5), location: { page: 5, described: true as const } }
  expect(await scan([...pages, described])).toMatchObject({ unit: "page", read: 4, of: 4 })
  const stopReason = sentence("facts.too_many", { count: 3 })
  expect(await scan(pages, { visit: (_, number) => (number < 3 ? null : stopReason) })).toMatchObject({
    read: 2,
    of: 4,
    skipped: stopReason.text,
  })
  const mixed = [page(1), { ...page(1), location: {} }]
  expect(await scan(mixed)).toMatchObject({ unit: "part", of: 2 })
  const sheets = ["A", "A", "B"].map((sheet) => ({ ...page(1), location: { sheet } }))
  expect(await scan(sheets)).toMatchObject({ unit: "sheet", read: 2, of: 2 })
  const lines = [{ ...page(1, "one\ntwo"), location: { line: 3 } }]
  expect(await scan(lines)).toMatchObject({ unit: "line", read: 4, of: 4 })

  const note = {
    note: "Only the first 5 characters of the text were read.",
    reasons: [{ code: "characters_left_out", values: { count: 5 } }],
  }
  expect(await scan(pages, {}, note)).toMatchObject({
    read: 4,
    skipped: note.note,
    sentences: [{ code: expect.stringMatching(/characters_left_out$/) as string, values: { count: 5 } }],
  })
  expect((await scan(pages, {}, { note: "By OCR.", reasons: [{ code: "pages_by_ocr" }] })).skipped).toBeNull()
  expect((await scan([])).skipped).toBe(sentence("reading.no_text").text)
  expect((await scan(pages, {}, { status: "processing" })).skipped).toBe(
    sentence("reading.being_indexed").text,
  )
  expect((await scan(pages, {}, { status: "failed", error: "It is broken." })).skipped).toBe("It is broken.")
})

// Catches a long document that blocks the rest of the box.
test("yields to other work, and stops when it is no longer needed", async () => {
  const long = Array.from({ length: 400 }, (_, number) => page(number + 1, "1 2.3 € 1.2.26 ".repeat(250)))
  let turns = 0
  let next = setImmediate(function turn() {
    turns++
    next = setImmediate(turn)
  })
  const collector = createFactCollector(file)
  await scan(long, {
    visit(block, number) {
      collector.visit(block, number)
      return null
    },
  })
  clearImmediate(next)
  expect(turns).toBeGreaterThan(5)

  const gone = new AbortController()
  let seen = 0
  const visit = () => {
    if (++seen === 10) gone.abort(new Error("gone"))
    return null
  }
  await expect(scan(long, { visit, signal: gone.signal })).rejects.toThrow("gone")
  expect(seen).toBe(10)
})
