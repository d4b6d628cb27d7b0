import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Fact, FactKind } from "../../../shared/contract/facts.ts"
import type { Client } from "../../../shared/client/http-client.ts"
import { addUser, startTestBox, type TestBox } from "../../testing/test-box.ts"

let box: TestBox
beforeAll(async () => {
  box = await startTestBox()
})
afterAll(() => box[Symbol.asyncDispose]())

async function getFolder(files: Record<string, string>): Promise<{ id: string; ids: string[] }> {
  const { vector } = await box.client.folders.create({ body: { name: "Contracts" } })
  const params = { id: vector.id }
  const ids: string[] = []
  for (const [fileName, text] of Object.entries(files)) {
    const { files: made } = await box.client.files.upload({ params, file: new Blob([text]), fileName })
    ids.push(made[0]?.id ?? "")
  }
  await expect.poll(async () => (await box.client.folders.read({ params })).vector.pendingCount).toBe(0)
  return { id: vector.id, ids }
}

const list = (
  id: string,
  kind: FactKind,
  more: { limit?: string; after?: string } = {},
  client: Client = box.client,
) => client.facts.list({ params: { id }, query: { kind, ...more } })

async function listBlocks(id: string, fileId: string) {
  const answer = await box.client.files.text({ params: { id, fileId }, query: { format: "blocks" } })
  return ((await answer.json()) as { blocks: { text: string; location: object }[] }).blocks
}

const lease = [
  "# Lease",
  "Signed on 1 May 2026 by both parties of the lease. The rent is € 1.250,50 a month.",
  "## Notice",
  "The lessee gives notice no later than 31 December 2026. The lessee pays the rent for the lease.",
].join("\n\n")
const costs = "supplier,due date,amount\nMeyer,2026-03-05,$10.00\nRossi,2026-04-05,$20.00\n"

// Catches a fact with a wrong location, a table column that is ignored, and files that no coverage names.
test("returns dates, deadlines and amounts of a folder, each with its location", async () => {
  const { id, ids } = await getFolder({ "lease.md": lease, "costs.csv": costs, "empty.txt": "   " })
  const deadlines = await list(id, "deadlines")
  expect(deadlines.facts.map((fact) => [fact.fileName, fact.kind === "date" && fact.date])).toEqual([
    ["lease.md", "2026-12-31"],
    ["costs.csv", "2026-03-05"],
    ["costs.csv", "2026-04-05"],
  ])
  const dates = await list(id, "dates")
  expect(dates.facts).toHaveLength(4)
  expect(dates.facts[0]).toMatchObject({
    text: "1 May 2026",
    isDeadline: false,
    otherDate: null,
    location: { heading: "Lease" },
    sentence: "Signed on 1 May 2026 by both parties of the lease.",
  })
  const amounts = await list(id, "amounts")
  expect(amounts.facts.map((fact) => fact.kind === "amount" && [fact.value, fact.currency])).toEqual([
    [1250.5, "EUR"],
    [10, "USD"],
    [20, "USD"],
  ])
  for (const fact of [...dates.facts, ...amounts.facts]) {
    const block = (await listBlocks(id, fact.fileId))[fact.block]
    expect(block?.text.replaceAll(/\s+/g, " ")).toContain(fact.sentence)
    expect(block?.location).toEqual(fact.location)
  }
  expect(dates.next).toBeNull()
  expect(dates.coverage.complete).toBe(false)
  expect(dates.coverage.files.map(({ fileId }) => fileId)).toEqual(ids)
  expect(dates.coverage.files[2]).toMatchObject({ name: "empty.txt", read: 0 })
  expect(dates.coverage.files[2]?.skipped).not.toBeNull()
  expect(dates.coverage.files[0]?.skipped).toBeNull()
})

// Catches facts that are repeated or lost between two pages, and a file that no page's coverage includes.
test("continues each page where the previous one ended, even if a file was removed in the meantime", async () => {
  const { id, ids } = await getFolder({ "a.md": lease, "b.md": lease, "c.md": lease, "d.md": "Nothing." })
  const whole = await list(id, "dates")
  const found: Fact[] = []
  const covered: string[] = []
  for (let after: string | null | undefined; after !== null;) {
    const { facts, next, coverage } = await list(id, "dates", {
      limit: "1",
      ...(after !== undefined && { after }),
    })
    expect(facts.length).toBeLessThanOrEqual(1)
    found.push(...facts)
    covered.push(...coverage.files.map(({ fileId }) => fileId))
    after = next
  }
  expect(found).toEqual(whole.facts)
  expect(covered).toEqual(ids)

  const { next } = await list(id, "dates", { limit: "3" })
  await box.client.files.remove({ params: { id, fileId: ids[1] ?? "" } })
  const rest = await list(id, "dates", { after: next ?? "" })
  expect(rest.facts.map(({ fileName }) => fileName)).toEqual(["c.md", "c.md"])
  await expect(list(id, "dates", { after: "nonsense" })).rejects.toMatchObject({ status: 400 })
})

describe("an overview of a file", () => {
  // Catches headings without levels, terms that occur in the whole folder, and locations that don't open.
  test("contains its outline, terms, dates and amounts", async () => {
    const other = "The parties met at the harbour. The harbour has boats, and the parties paid for the boats."
    const { id, ids } = await getFolder({ "lease.md": lease, "boats.md": other, "more.md": other })
    const overview = await box.client.facts.overview({ params: { id, fileId: ids[0] ?? "" } })
    expect(overview.outline).toMatchObject({
      of: "headings",
      truncated: false,
      entries: [
        { title: "Lease", level: 1, block: 0 },
        { title: "Notice", level: 2 },
      ],
    })
    const terms = overview.terms.map(({ term }) => term)
    expect(terms).toContain("lessee")
    expect(terms.indexOf("rent")).toBeGreaterThanOrEqual(0)
    expect(terms.filter((term) => /^(?:the|by|of|parties)$/i.test(term)).slice(0, 1)).not.toEqual([terms[0]])
    for (const term of ["the", "by", "no", "1"]) expect(terms).not.toContain(term)
    expect(overview.terms[0]?.places[0]?.sentence.toLowerCase()).toContain(terms[0]?.toLowerCase())
    expect(overview.dates.map(({ date }) => date)).toEqual(["2026-05-01", "2026-12-31"])
    expect(overview.amounts.map(({ value }) => value)).toEqual([1250.5])
    expect(overview).toMatchObject({ truncated: false, coverage: { skipped: null } })

    const folder = await box.client.facts.terms({ params: { id } })
    expect(folder).toMatchObject({ looked: 3, of: 3 })
    expect(folder.terms.find(({ term }) => term === "harbour")).toMatchObject({ count: 4, files: 2 })
  })
})

// Catches a folder's dates returned to a user who may not see it.
test("returns facts only to users who may see the folder", async () => {
  const { id, ids } = await getFolder({ "lease.md": lease })
  const client = await addUser(box, "stranger@example.com")
  await expect(list(id, "dates", {}, client)).rejects.toMatchObject({ status: 403 })
  const params = { id, fileId: ids[0] ?? "" }
  await expect(client.facts.overview({ params })).rejects.toMatchObject({ status: 403 })
  await expect(client.facts.terms({ params: { id } })).rejects.toMatchObject({ status: 403 })
})
