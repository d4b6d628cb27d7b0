import { mkdir, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises"
import { join, relative } from "node:path"
import { Readable } from "node:stream"
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest"
import { startTestObjectStore, type TestObjectStore } from "../../../shared/testing/test-object-store.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import type { PassageIndex } from "./passage-index.ts"
import type { TableStore } from "./tables-location.ts"
import { openTableCopies, type TableCopiesOptions } from "./table-copies.ts"
import { mountSmallDisk } from "../../testing/disk.ts"
import { createRemoteIndex, getFile, found, passage } from "./testing/remote-index.ts"

let objects: TestObjectStore
let remoteIndex: Awaited<ReturnType<typeof createRemoteIndex>>
let copiesPath: string
const disk = await mountSmallDisk("8m")
afterAll(() => disk[Symbol.asyncDispose]())
// LanceDB keeps connections to a store open, even after a fault broke them, so each test has its own store.
beforeEach(async () => {
  objects = await startTestObjectStore()
  remoteIndex = await createRemoteIndex(objects)
  copiesPath = join(remoteIndex.directory, "copies")
})
afterEach(async () => {
  await remoteIndex[Symbol.asyncDispose]()
  await objects[Symbol.asyncDispose]()
})

async function copiedFiles(): Promise<string[]> {
  const entries = await readdir(copiesPath, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}
async function copiedBytes(): Promise<number> {
  const sizes = (await copiedFiles()).map((path) =>
    stat(path).then(
      ({ blocks }) => blocks * 512,
      () => 0,
    ),
  )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
const getObject = (path: string) => objects.objects.get(`${remoteIndex.prefix}/${relative(copiesPath, path)}`)

/** Returns the number of store requests during a search for a word that these passages contain. */
async function getRequests(index: PassageIndex, word: string, numbers: number[]): Promise<number> {
  objects.requests.length = 0
  expect(await found(index, word)).toEqual(numbers)
  return objects.requests.length
}
const waitUntilCopied = (index: PassageIndex, word: string, numbers: number[]) =>
  expect.poll(() => getRequests(index, word, numbers)).toBe(0)

/** A store that returns something other than its objects when they are copied. */
const giving = (
  other: (bytes: Readable, key: string) => Readable | Promise<Readable>,
  max?: number,
): TableStore => {
  const store = remoteIndex.tableStore(max)
  return {
    ...store,
    async get(key, signal) {
      const bytes = await store.get(key, signal)
      return bytes && other(bytes, key)
    },
  }
}

function instead(bytes: Readable, other: Readable): Readable {
  bytes.on("error", () => undefined).destroy()
  return other
}

/** Creates an index with some passages about penguins and closes it. */
async function fill(store?: TableStore): Promise<number[]> {
  const numbers = [1, 2, 3]
  remoteIndex.stored.push(
    ...numbers.map((number) => passage(number, `Penguins swim, says number ${number}.`)),
  )
  await using index = await remoteIndex.open(store)
  await index.put(remoteIndex.stored)
  await waitUntilCopied(index, "penguins", numbers)
  return numbers
}

// Catches searches that query the store each time, and outdated copies that are read after the table has changed.
test("searches read an up-to-date copy and send no requests to the store", async () => {
  await using index = await remoteIndex.open()
  const numbers: number[] = []
  for (let number = 1; number <= 12; number++) {
    await index.put([passage(number, "Penguins swim well.")])
    numbers.push(number)
    expect(await found(index, "penguins")).toEqual(numbers)
    if (number % 3 === 0) await waitUntilCopied(index, "penguins", numbers)
    if (number % 4 !== 0) continue
    await index.removeFile(getFile(number))
    numbers.pop()
    expect(await found(index, "penguins")).toEqual(numbers)
  }
  await waitUntilCopied(index, "penguins", numbers)
  objects.fault = () => ({ status: 503, code: "SlowDown" })
  expect(await found(index, "penguins")).toEqual(numbers)
  await expect(index.put([passage(99, "Penguins swim well.")])).rejects.toMatchObject({ code: "unavailable" })
  objects.fault = null
  await index.put([passage(100, "Penguins swim well.")])
  expect(await found(index, "penguins")).toContain(100)
})

// Catches copies that contain credentials or anything but the tables, where other users could read them. Also catches copies that are
// downloaded again at each start.
test("copies equal the objects byte by byte, are private, and are reused after a restart", async () => {
  const numbers = await fill()
  const files = await copiedFiles()
  expect(files.length).toBeGreaterThan(3)
  for (const path of files) {
    expect(getObject(path)?.equals(await readFile(path))).toBe(true)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(join(path, ".."))).mode & 0o777).toBe(0o700)
  }
  const brought: string[] = []
  await using index = await remoteIndex.open(giving((bytes, key) => (brought.push(key), bytes)))
  await waitUntilCopied(index, "penguins", numbers)
  expect(brought.filter((key) => !key.endsWith(".manifest"))).toEqual([])
})

// Catches a partial file that is read as a complete one, or an endless file that fills the disk.
test.each([
  ["ends early", () => Readable.from([Buffer.alloc(10)])],
  ["is longer than it says", () => Readable.from([Buffer.alloc(1_000_000), Buffer.alloc(1_000_000)])],
  ["fails", () => new Readable({ read: (): void => void 0 }).destroy(new Error("cut"))],
])("an object from the store that %s isn't read", async (_, other) => {
  let isHarmed = true
  await using index = await remoteIndex.open(giving((bytes) => (isHarmed ? instead(bytes, other()) : bytes)))
  await index.put([passage(1, "Penguins swim well.")])
  for (let search = 0; search < 5; search++) expect(await found(index, "penguins")).toEqual([1])
  expect((await copiedFiles()).filter((path) => !path.includes("partial"))).toEqual([])
  isHarmed = false
  await index.put([passage(2, "Penguins walk badly.")])
  await waitUntilCopied(index, "penguins", [1, 2])
})

// Catches a file that a crash left incomplete and that is read or stays permanently.
test("incomplete files of an earlier run are downloaded again", async () => {
  const numbers = await fill()
  for (const path of (await copiedFiles()).slice(0, 3)) await truncate(path, 10)
  const generation = (await readdir(copiesPath))[0] ?? ""
  await writeFile(join(copiesPath, generation, ".casella-partial-1"), "half")
  await mkdir(join(copiesPath, "tables-of-another"))
  await using index = await remoteIndex.open()
  await waitUntilCopied(index, "penguins", numbers)
  const files = await copiedFiles()
  for (const path of files) expect(getObject(path)?.equals(await readFile(path))).toBe(true)
  expect(await readdir(copiesPath)).toEqual([generation])
})

// Catches a shutdown that waits for a store that doesn't respond.
test("closing an index doesn't wait for running copies", async () => {
  const started = Promise.withResolvers<void>()
  const isManifest = (key: string) => key.endsWith(".manifest")
  const store = giving((bytes, key) => {
    if (isManifest(key)) started.resolve()
    return bytes
  })
  const index = await remoteIndex.open(store)
  await index.put([passage(1, "Penguins swim well.")])
  objects.fault = (method, key) => (method === "GET" && isManifest(key) ? { stallsAfter: 10 } : undefined)
  await found(index, "penguins")
  await started.promise
  await index[Symbol.asyncDispose]()
  expect((await copiedFiles()).filter((path) => isManifest(path) || path.includes("partial"))).toEqual([])
})

// Catches damaged local copies that also break the index or searches.
test("searches use the store instead of a damaged copy, which is then downloaded again", async () => {
  const numbers = await fill()
  for (const path of await copiedFiles())
    if (!path.endsWith(".manifest")) await writeFile(path, Buffer.alloc((await stat(path)).size))
  const before = remoteIndex.keys()
  await using index = await remoteIndex.open()
  const copiedAfterSearch = async () => {
    expect(await found(index, "penguins")).toEqual(numbers)
    return copiedFiles()
  }
  await expect.poll(copiedAfterSearch).toEqual([])
  expect(index.state.status).toBe("ready")
  expect(remoteIndex.keys()[0]?.split("/")[1]).toBe(before[0]?.split("/")[1])
  await index.put([passage(4, "Penguins swim well.")])
  await waitUntilCopied(index, "penguins", [...numbers, 4])
})

// Catches searches that fail, or an error that blames the store, when a copy is damaged while it is read.
test.each([
  ["cut", (path: string) => truncate(path, 10)],
  ["filled with something else", (path: string) => writeFile(path, Buffer.alloc(100_000, 7))],
  ["deleted", (path: string) => rm(path)],
])("searches keep working when files of a copy are %s", async (_, harm) => {
  await using index = await remoteIndex.open()
  await index.put([1, 2].map((number) => passage(number, `Penguins swim, says number ${number}.`)))
  await waitUntilCopied(index, "penguins", [1, 2])
  for (const path of await copiedFiles()) await harm(path)
  for (const word of ["number", "penguins", "swim"]) expect(await found(index, word)).toEqual([1, 2])
  await index.put([passage(3, "Penguins swim well.")])
  await waitUntilCopied(index, "penguins", [1, 2, 3])
})

describe("The limit for copies", () => {
  // Catches copies that use more disk space than allowed, even briefly while the next version is copied.
  test("is respected while versions change, and searches still find everything", async () => {
    const max = 150_000
    const sizes: number[] = []
    const measured = giving(async (bytes) => (sizes.push(await copiedBytes()), bytes), max)
    await using index = await remoteIndex.open(measured)
    const numbers: number[] = []
    for (let number = 1; number <= 25; number++) {
      const words = Array.from({ length: 600 }, (_, at) => `w${number}x${at}`).join(" ")
      await index.put([passage(number, `Penguins ${words}`)])
      numbers.push(number)
      expect(await found(index, "penguins")).toEqual(numbers)
      sizes.push(await copiedBytes())
      if (number === 5) await waitUntilCopied(index, "penguins", numbers)
    }
    expect(Math.max(...sizes)).toBeGreaterThan(0)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(max)
    await expect.poll(copiedBytes).toBe(0) // it no longer fits
  })

  // Catches copies that exceed a lowered limit and stay until the next search or permanently.
  test.each([0, 10_000])("of %i bytes deletes larger copies at the start", async (max) => {
    const numbers = await fill()
    await using index = await remoteIndex.open(remoteIndex.tableStore(max))
    expect(await copiedBytes()).toBe(0)
    for (let search = 0; search < 3; search++) expect(await found(index, "penguins")).toEqual(numbers)
    expect(await copiedFiles()).toEqual([])
  })
})

// Catches copies of tables that no longer belong to the index and would use disk space for a week.
test("a rebuilt index keeps no copies of the previous one", async () => {
  const numbers = await fill()
  const [before] = await readdir(copiesPath)
  for (const key of remoteIndex.keys()) objects.objects.set(key, Buffer.alloc(100, 7))
  await using index = await remoteIndex.open()
  await found(index, "penguins")
  await expect.poll(() => index.state.status).toBe("ready")
  await waitUntilCopied(index, "penguins", numbers)
  const [after, ...others] = await readdir(copiesPath)
  expect([after === before, others]).toEqual([false, []])
  expect(await readdir(`${remoteIndex.directory}.broken`)).not.toContain("copies")
})

describe("Copies of a table", () => {
  const generation = "tables-1"
  const manifest = "_versions/18446744073709551614.manifest"
  const set = (file: string, text: string) =>
    objects.objects.set(`${remoteIndex.prefix}/${generation}/passages.lance/${file}`, Buffer.from(text))
  const openCopies = (changes: Partial<TableCopiesOptions> = {}) =>
    openTableCopies({
      directory: copiesPath,
      generation,
      store: remoteIndex.tableStore(),
      isInPlace: () => true,
      logger: silentLogger,
      ...changes,
    })
  const bring = async (copies: Awaited<ReturnType<typeof openCopies>>, version: number) =>
    (await copies.open("passages", version, async () => true)) ?? false
  const read = (file: string) => readFile(join(copiesPath, generation, "passages.lance", file), "utf8")

  // Catches a deleted and recreated table whose first version is mistaken for that of the old table.
  test("have the manifest that is currently on the store", async () => {
    await using copies = await openCopies()
    set(manifest, "one")
    set("data/a.lance", "rows")
    expect(await bring(copies, 1)).toBe(true)
    set(manifest, "two")
    expect(await bring(copies, 1)).toBe(true)
    expect([await read(manifest), await read("data/a.lance")]).toEqual(["two", "rows"])
    expect(await bring(copies, 2)).toBe(false)
  })

  // Catches a limit that applies per table instead of to all, and a table without space that takes another table's.
  test("share the limit, and exist only while they fit", async () => {
    await using copies = await openCopies({ store: remoteIndex.tableStore(20_000) })
    const tables = ["passages", "passages-2"]
    for (const table of tables)
      for (const file of [manifest, "data/a.lance"])
        objects.objects.set(`${remoteIndex.prefix}/${generation}/${table}.lance/${file}`, Buffer.alloc(8_000))
    const opened = tables.map((table) => copies.open(table, 1, async () => true))
    expect(await Promise.all(opened)).toEqual([true, null])
    expect(await readdir(join(copiesPath, generation))).toEqual(["passages.lance"])
    await copies.drop("passages")
    expect(await copies.open("passages-2", 1, async () => true)).toBe(true)
  })

  // Catches a store that can write anywhere on the box's disk.
  test("stay in their directory, whatever names the store uses", async () => {
    await using copies = await openCopies()
    set(manifest, "one")
    for (const file of ["data/../../../../x", "data/..", "/data/x", "_indices/../../x", "x", "data/.x"])
      set(file, "out")
    expect(await bring(copies, 1)).toBe(true)
    expect((await copiedFiles()).map((path) => relative(copiesPath, path))).toEqual([
      join(generation, "passages.lance", manifest),
    ])
    expect(await readdir(remoteIndex.directory)).toEqual(["copies"])
  })

  // Catches copies that fill the disk, or that keep their space when the disk is full.
  test("leave space for all other data on a disk", { tags: "mount" }, async () => {
    let fills = false
    const store = giving((bytes) => (fills && disk.fill(), bytes))
    const directory = join(disk.path, "copies")
    await using copies = await openCopies({ directory, store })
    set(manifest, "one")
    set("data/a.lance", "a".repeat(5_000_000)) // of 8 MB
    expect(await bring(copies, 1)).toBe(false)
    set("data/a.lance", "a".repeat(2_000_000))
    fills = true
    expect(await bring(copies, 1)).toBe(false)
    expect(await readdir(join(directory, generation))).toEqual([])
    fills = false
    disk.makeRoom()
    expect(await bring(copies, 1)).toBe(true)
  })

  // Catches a closed index whose directory LanceDB creates because it is just opening it.
  test("can't be opened after they are closed", async () => {
    const copies = await openCopies()
    set(manifest, "one")
    const [opens, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const order: string[] = []
    const opening = copies.open("passages", 1, async () => {
      opens.resolve()
      await opened.promise
      order.push("opened")
    })
    await opens.promise
    const closing = copies[Symbol.asyncDispose]().then(() => order.push("closed"))
    setImmediate(opened.resolve)
    await Promise.all([opening, closing])
    expect(order).toEqual(["opened", "closed"])
    expect(await bring(copies, 1)).toBe(false)
  })

  // Catches a data directory that was moved away and is created again at its old location.
  test("aren't made in a directory that no longer belongs to the box", async () => {
    await using copies = await openCopies({ isInPlace: () => false })
    set(manifest, "one")
    expect(await bring(copies, 1)).toBe(false)
    expect(await copiedFiles()).toEqual([])
  })
})
