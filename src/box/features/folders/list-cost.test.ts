import SqliteDatabase from "better-sqlite3"
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"

const rounds = 10
let box: TestBox
beforeAll(async () => {
  box = await startTestBox()
})
afterAll(() => box[Symbol.asyncDispose]())
afterEach(() => vi.restoreAllMocks())

interface Statement {
  source: string
}

/**
 * The statements that each of several requests runs, repeated as often as the request runs them. Statements that the server runs on its own
 * aren't included.
 */
async function getStatements(request: () => Promise<unknown>): Promise<string[]> {
  const counts = new Map<string, number>()
  using memory = { db: new SqliteDatabase(":memory:"), [Symbol.dispose]: () => void memory.db.close() }
  const prototype = Object.getPrototypeOf(memory.db.prepare("SELECT 1")) as Record<
    "all" | "get" | "run",
    (this: Statement, ...values: unknown[]) => unknown
  >
  for (const method of ["all", "get", "run"] as const) {
    const own = prototype[method]
    vi.spyOn(prototype, method).mockImplementation(function (this: Statement, ...values) {
      counts.set(this.source, (counts.get(this.source) ?? 0) + 1)
      return own.apply(this, values)
    })
  }
  for (let round = 0; round < rounds; round++) await request()
  vi.restoreAllMocks()
  return [...counts].flatMap(([source, count]) => Array<string>(Math.floor(count / rounds)).fill(source))
}

const list = () => box.client.folders.list({})

/** The statements for listing after a write, without those of the write itself. */
async function statementsAfterWrite(id: string): Promise<string[]> {
  const write = () => box.client.folders.update({ params: { id }, body: { description: "Something else" } })
  const both = await getStatements(async () => {
    await write()
    await list()
  })
  for (const statement of await getStatements(write)) both.splice(both.indexOf(statement), 1)
  return both
}

// Catches a statement for each folder, and a statement per request whose result is already known.
it.each([1, 50])("listing %i folders takes two statements that read folders", async (count) => {
  for (let have = (await list()).vectors.length; have < count; have++)
    await box.client.folders.create({ body: { name: `Folder ${have}` } })
  const { vectors } = await list()
  const statements = await statementsAfterWrite(vectors[0]?.id ?? "")
  const tables = statements.flatMap((one) => /from "(folders|fileCounts)"/.exec(one)?.[1] ?? [])
  expect(tables.toSorted()).toEqual(["fileCounts", "folders"])
  expect(statements).toHaveLength(5) // includes reading the key, and two checks for writes since the key and the list were read
})

// Catches lists that are read again although nothing was written.
it("listing again without a write only checks for writes", async () => {
  await list()
  const statements = await getStatements(list)
  expect(statements.filter((one) => !one.includes("data_version"))).toEqual([])
  expect(statements).toHaveLength(2) // one for the key, one for the list
})
