import { readdir, readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Fact, FactKind } from "../../../shared/contract/facts.ts"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"

const corpus = fileURLToPath(new URL("../../../../../shared/corpus/", import.meta.url))
const directories = [`${corpus}documents/`, `${corpus}retrieval/chunking-eval/raw/`]
const maxFiles = 500

let box: TestBox
beforeAll(async () => {
  box = await startTestBox()
})
afterAll(() => box[Symbol.asyncDispose]())

const listed = async (id: string) =>
  (await box.client.files.list({ params: { id }, query: { limit: String(maxFiles) } })).files

/** Returns all facts, page by page, and the files named in their coverage. */
async function all(id: string, kind: FactKind) {
  const facts: Fact[] = []
  const covered: string[] = []
  for (let after: string | null | undefined; after !== null;) {
    const query = { kind, limit: "100", ...(after !== undefined && { after }) }
    const answer = await box.client.facts.list({ params: { id }, query })
    facts.push(...answer.facts)
    covered.push(...answer.coverage.files.map(({ fileId }) => fileId))
    after = answer.next
  }
  return { facts, covered }
}

const months = "january february march april may june july august september october november december".split(
  " ",
)
const name = months.join("|")
const twoDigits = (number: string | number) => String(number).padStart(2, "0")
const parseMonth = (word = "") => twoDigits(months.indexOf(word.toLowerCase()) + 1)

const isThere = (date: string) =>
  !Number.isNaN(Date.parse(date)) && new Date(date).toISOString().startsWith(date)

/** Finds dates in three formats as simply as possible. */
function plainDates(text: string): string[] {
  return [
    ...Array.from(text.matchAll(/(?<![\d-])(\d{4})-(\d\d)-(\d\d)(?![\d-])/g), ([whole]) => whole),
    ...Array.from(
      text.matchAll(RegExp(String.raw`\b(\d{1,2}) (${name}) (\d{4})\b`, "gi")),
      ([, day = "", month, year]) => `${year}-${parseMonth(month)}-${twoDigits(day)}`,
    ),
    ...Array.from(
      text.matchAll(RegExp(String.raw`\b(${name}) (\d{1,2}), (\d{4})\b`, "gi")),
      ([, month, day = "", year]) => `${year}-${parseMonth(month)}-${twoDigits(day)}`,
    ),
  ].filter((date) => isThere(date))
}

// Catches a file that no coverage names, a date that only a plain search finds, and one with a wrong location.
test(
  "finds all dates of real documents in the blocks that contain them",
  { tags: "corpus", timeout: 300_000 },
  async () => {
    const { vector } = await box.client.folders.create({ body: { name: "Corpus" } })
    const { id } = vector
    for (const directory of directories)
      for (const fileName of await readdir(directory)) {
        const file = new Blob([await readFile(directory + fileName)])
        await box.client.files.upload({ params: { id }, file, fileName }).catch(() => undefined) // hostile files are refused
      }
    const isRead = ({ status, phase }: { status: string; phase: string }) =>
      phase === "ocr" || !["queued", "processing"].includes(status)
    await expect
      .poll(async () => (await listed(id)).every(isRead), { timeout: 240_000, interval: 1_000 })
      .toBe(true)

    const files = await listed(id)
    const { facts, covered } = await all(id, "dates")
    expect(covered).toEqual(files.map((file) => file.id))
    const deadlines = await all(id, "deadlines")
    expect(deadlines.covered).toEqual(covered)
    expect(deadlines.facts).toEqual(facts.filter((fact) => fact.kind === "date" && fact.isDeadline))

    let compared = 0
    for (const { id: fileId, name: fileName, status } of files) {
      if (status !== "completed") continue
      const answer = await box.client.files.text({ params: { id, fileId }, query: { format: "blocks" } })
      const { blocks } = (await answer.json()) as { blocks: { text: string; location: object }[] }
      const own = facts.filter((fact) => fact.fileId === fileId)
      for (const fact of own) {
        const block = blocks[fact.block]
        expect(block?.text.replaceAll(/\s+/g, " "), fileName).toContain(fact.sentence)
        expect(fact.sentence, fileName).toContain(fact.text)
        expect(block?.location, fileName).toEqual(fact.location)
      }
      for (const [number, { text }] of blocks.entries()) {
        const here = own
          .filter(({ block }) => block === number)
          .map((fact) => fact.kind === "date" && fact.date)
        for (const date of plainDates(text)) {
          compared++
          expect(here, `${fileName}: ${text.slice(0, 300)}`).toContain(date)
        }
      }
    }
    expect(compared).toBeGreaterThan(500)
  },
)
