import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { startTestObjectStore, type TestObjectStore } from "../../../shared/testing/test-object-store.ts"
import { openS3 } from "../../core/objects/s3-store.ts"
import { createOutbound } from "../../core/outbound/outbound.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { openPassageIndex, type PassageRecord } from "./passage-index.ts"
import { storageOptionsOf, type TableStore } from "./remote-tables.ts"

let objects: TestObjectStore
let directory: string
let prefix: string
let tests = 0
/** What the database would have. */
let stored: PassageRecord[]
beforeAll(async () => {
  objects = await startTestObjectStore()
})
afterAll(() => objects[Symbol.asyncDispose]())
beforeEach(async () => {
  objects.fault = null
  prefix = `index-${++tests}`
  stored = []
  directory = await mkdtemp(join(tmpdir(), "casella-remote-index-"))
  return () => rm(directory, { recursive: true })
})

const outbound = createOutbound({
  localOnly: () => ({ on: false, decidedBy: "start", programs: true }),
  record: () => undefined,
})
function tableStore(): TableStore {
  const place = objects.at(prefix)
  const { list, remove } = openS3(place, outbound)
  const look = () => Promise.resolve()
  const answers = () => Promise.resolve(true)
  return { uri: place.address, storageOptions: storageOptionsOf(place), look, answers, list, remove }
}
async function* passages() {
  yield stored
}
const open = (store: TableStore | null = tableStore()) =>
  openPassageIndex({
    directory: join(directory, "index"),
    passages,
    store: store ?? undefined,
    logger: silentLogger,
  })
const uuid = (number: number, kind = 0) =>
  `${String(number).padStart(8, "0")}-0000-4000-8000-00000000000${kind}`
const folder = uuid(0, 1)
const passage = (number: number, text: string): PassageRecord => ({
  id: uuid(number),
  vectorId: folder,
  fileId: uuid(number, 2),
  text,
})
const keysHere = () => [...objects.objects.keys()].filter((key) => key.startsWith(`${prefix}/`))
const ascending = (a: number, b: number) => a - b
const idsOf = (hits: readonly { id: string }[]) => hits.map(({ id }) => Number(id.slice(0, 8)))

// Catches tables that lie here, rows that a restart loses, and removed ones that are found again.
test("an index on a store finds what was put, also after a restart, and not what was removed", async () => {
  stored = [passage(1, "Penguins swim well."), passage(2, "Penguins walk badly.")]
  {
    await using index = await open()
    await index.put(stored)
    expect(idsOf(await index.keyword("penguins", [folder], 5)).toSorted(ascending)).toEqual([1, 2])
    await index.removeFile(uuid(2, 2))
  }
  stored.pop()
  expect(keysHere().length).toBeGreaterThan(0)
  objects.requests.length = 0
  await using index = await open()
  expect(index.state.status).toBe("ready") // what is there is taken as it is
  expect(idsOf(await index.keyword("penguins", [folder], 5))).toEqual([1])
})

// Catches an index that is thrown away because its store was away for a while.
test("a store that fails is told, and the index is there again afterwards", async () => {
  stored = [passage(1, "Penguins swim well.")]
  await using index = await open()
  await index.put(stored)
  const generations = () => new Set(keysHere().map((key) => key.split("/")[1]))
  const before = generations()
  objects.fault = () => ({ status: 403, code: "AccessDenied" })
  await expect(index.put([passage(2, "Not now.")])).rejects.toMatchObject({ code: "unavailable" })
  objects.fault = () => ({ cutAfter: 10 }) // which LanceDB tells as files that aren't there
  await expect(index.keyword("penguins", [folder], 5)).rejects.toMatchObject({ code: "unavailable" })
  objects.fault = null
  expect(generations()).toEqual(before)
  await index.put([passage(3, "Penguins again.")])
  expect(idsOf(await index.keyword("penguins", [folder], 5)).toSorted(ascending)).toEqual([1, 3])
})

// Catches an older index that stays on the store for ever, and one that deletes what isn't its own.
test("an index that is built anew leaves nothing of the one before, nor touches what lies beside it", async () => {
  objects.objects.set(`${prefix}/tables-of-somebody/a`, Buffer.from("mine"))
  objects.objects.set(`${prefix}/photo.jpg`, Buffer.from("mine"))
  stored = [passage(1, "Penguins swim well.")]
  {
    await using index = await open()
    await index.put(stored)
  }
  const old = keysHere()
  await rm(join(directory, "index"), { recursive: true })
  await using index = await open()
  await expect.poll(() => index.state.status).toBe("ready")
  expect(idsOf(await index.keyword("penguins", [folder], 5))).toEqual([1])
  await expect
    .poll(() => old.filter((key) => objects.objects.has(key)).toSorted())
    .toEqual([`${prefix}/photo.jpg`, `${prefix}/tables-of-somebody/a`])
})

// Catches an index whose place was changed, and that is searched as if it were the other.
test("between a directory and a store the index is built anew", async () => {
  stored = [passage(1, "Penguins swim well.")]
  {
    await using index = await open(null)
    await index.put(stored)
  }
  await using index = await open()
  await expect.poll(() => index.state.status).toBe("ready")
  expect(idsOf(await index.keyword("penguins", [folder], 5))).toEqual([1])
})

// Catches an index that stays broken for ever once its files on the store are damaged or deleted.
test.each([
  ["deleted", (key: string) => objects.objects.delete(key)],
  ["damaged", (key: string) => objects.objects.set(key, Buffer.alloc(100, 7))],
])("tables that somebody %s are built anew", async (_, harm) => {
  stored = [passage(1, "Penguins swim well.")]
  {
    await using index = await open()
    await index.put(stored)
  }
  for (const key of keysHere()) harm(key)
  await using index = await open()
  await index.keyword("penguins", [folder], 5)
  await expect.poll(() => index.state.status).toBe("ready")
  expect(idsOf(await index.keyword("penguins", [folder], 5))).toEqual([1])
})
