import { rm } from "node:fs/promises"
import { afterEach, beforeEach, expect, test } from "vitest"
import { startTestObjectStore, type TestObjectStore } from "../../../shared/testing/test-object-store.ts"
import { createRemoteIndex, fileOf, found, passage } from "./testing/remote-index.ts"

let objects: TestObjectStore
let place: Awaited<ReturnType<typeof createRemoteIndex>>
// LanceDB keeps connections to a store, also those that a fault broke off: each test has its own store.
beforeEach(async () => {
  objects = await startTestObjectStore()
  place = await createRemoteIndex(objects)
})
afterEach(async () => {
  await place[Symbol.asyncDispose]()
  await objects[Symbol.asyncDispose]()
})

// Catches tables that lie here, rows that a restart loses, and removed ones that are found again.
test("an index on a store finds what was put, also after a restart, and not what was removed", async () => {
  place.stored.push(passage(1, "Penguins swim well."), passage(2, "Penguins walk badly."))
  {
    await using index = await place.open()
    await index.put(place.stored)
    expect(await found(index, "penguins")).toEqual([1, 2])
    await index.removeFile(fileOf(2))
  }
  place.stored.pop()
  expect(place.keys().length).toBeGreaterThan(0)
  objects.requests.length = 0
  await using index = await place.open()
  expect(index.state.status).toBe("ready") // what is there is taken as it is
  expect(await found(index, "penguins")).toEqual([1])
})

// Catches an index that is thrown away because its store was away for a while.
test("a store that fails is told, and the index is there again afterwards", async () => {
  place.stored.push(passage(1, "Penguins swim well."))
  await using index = await place.open()
  await index.put(place.stored)
  const generations = () => new Set(place.keys().map((key) => key.split("/")[1]))
  const before = generations()
  objects.fault = () => ({ status: 403, code: "AccessDenied" })
  await expect(index.put([passage(2, "Not now.")])).rejects.toMatchObject({ code: "unavailable" })
  objects.fault = () => ({ cutAfter: 10 }) // which LanceDB tells as files that aren't there
  await expect(found(index, "penguins")).rejects.toMatchObject({ code: "unavailable" })
  objects.fault = null
  expect(generations()).toEqual(before)
  await index.put([passage(3, "Penguins again.")])
  expect(await found(index, "penguins")).toEqual([1, 3])
})

// Catches an older index that stays on the store for ever, and one that deletes what isn't its own.
test("an index that is built anew leaves nothing of the one before, nor touches what lies beside it", async () => {
  objects.objects.set(`${place.prefix}/tables-of-somebody/a`, Buffer.from("mine"))
  objects.objects.set(`${place.prefix}/photo.jpg`, Buffer.from("mine"))
  place.stored.push(passage(1, "Penguins swim well."))
  {
    await using index = await place.open()
    await index.put(place.stored)
  }
  const old = place.keys()
  await rm(place.directory, { recursive: true })
  await using index = await place.open()
  await expect.poll(() => index.state.status).toBe("ready")
  expect(await found(index, "penguins")).toEqual([1])
  await expect
    .poll(() => old.filter((key) => objects.objects.has(key)).toSorted())
    .toEqual([`${place.prefix}/photo.jpg`, `${place.prefix}/tables-of-somebody/a`])
})

// Catches an index whose place was changed, and that is searched as if it were the other.
test("between a directory and a store the index is built anew", async () => {
  place.stored.push(passage(1, "Penguins swim well."))
  {
    await using index = await place.openHere()
    await index.put(place.stored)
  }
  await using index = await place.open()
  await expect.poll(() => index.state.status).toBe("ready")
  expect(await found(index, "penguins")).toEqual([1])
})

// Catches an index that stays broken for ever once its files on the store are damaged or deleted.
test.each([
  ["deleted", (key: string) => objects.objects.delete(key)],
  ["damaged", (key: string) => objects.objects.set(key, Buffer.alloc(100, 7))],
])("tables that somebody %s are built anew", async (_, harm) => {
  place.stored.push(passage(1, "Penguins swim well."))
  {
    await using index = await place.open()
    await index.put(place.stored)
  }
  for (const key of place.keys()) harm(key)
  await using index = await place.open()
  await found(index, "penguins")
  await expect.poll(() => index.state.status).toBe("ready")
  expect(await found(index, "penguins")).toEqual([1])
})
