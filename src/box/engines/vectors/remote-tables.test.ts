import { rm } from "node:fs/promises"
import { afterEach, beforeEach, expect, test } from "vitest"
import { startTestObjectStore, type TestObjectStore } from "../../../shared/testing/test-object-store.ts"
import { createRemoteIndex, getFile, found, passage } from "./testing/remote-index.ts"

let objects: TestObjectStore
let remoteIndex: Awaited<ReturnType<typeof createRemoteIndex>>
// LanceDB keeps connections to a store open, even after a fault broke them, so each test has its own store.
beforeEach(async () => {
  objects = await startTestObjectStore()
  remoteIndex = await createRemoteIndex(objects)
})
afterEach(async () => {
  await remoteIndex[Symbol.asyncDispose]()
  await objects[Symbol.asyncDispose]()
})

// Catches tables that are stored locally, rows that are lost on restart, and removed rows that are found again.
test("an index on a store finds stored passages, even after a restart, but not removed ones", async () => {
  remoteIndex.stored.push(passage(1, "Penguins swim well."), passage(2, "Penguins walk badly."))
  {
    await using index = await remoteIndex.open()
    await index.put(remoteIndex.stored)
    expect(await found(index, "penguins")).toEqual([1, 2])
    await index.removeFile(getFile(2))
  }
  remoteIndex.stored.pop()
  expect(remoteIndex.keys().length).toBeGreaterThan(0)
  objects.requests.length = 0
  await using index = await remoteIndex.open()
  expect(index.state.status).toBe("ready") // the existing tables are used as they are
  expect(await found(index, "penguins")).toEqual([1])
})

// Catches an index that is discarded because its store was temporarily unavailable.
test("a failing store is reported, and the index works again afterwards", async () => {
  remoteIndex.stored.push(passage(1, "Penguins swim well."))
  await using index = await remoteIndex.open()
  await index.put(remoteIndex.stored)
  const generations = () => new Set(remoteIndex.keys().map((key) => key.split("/")[1]))
  const before = generations()
  objects.fault = () => ({ status: 403, code: "AccessDenied" })
  await expect(index.put([passage(2, "Not now.")])).rejects.toMatchObject({ code: "unavailable" })
  objects.fault = () => ({ cutAfter: 10 }) // reported by LanceDB as missing files
  await expect(found(index, "penguins")).rejects.toMatchObject({ code: "unavailable" })
  objects.fault = null
  expect(generations()).toEqual(before)
  await index.put([passage(3, "Penguins again.")])
  expect(await found(index, "penguins")).toEqual([1, 3])
})

// Catches an older index that stays on the store permanently, and a rebuild that deletes foreign objects.
test("a rebuilt index deletes the previous one but no other objects in its location", async () => {
  objects.objects.set(`${remoteIndex.prefix}/tables-of-somebody/a`, Buffer.from("mine"))
  objects.objects.set(`${remoteIndex.prefix}/photo.jpg`, Buffer.from("mine"))
  remoteIndex.stored.push(passage(1, "Penguins swim well."))
  {
    await using index = await remoteIndex.open()
    await index.put(remoteIndex.stored)
  }
  const old = remoteIndex.keys()
  await rm(remoteIndex.directory, { recursive: true })
  await using index = await remoteIndex.open()
  await expect.poll(() => index.state.status).toBe("ready")
  expect(await found(index, "penguins")).toEqual([1])
  await expect
    .poll(() => old.filter((key) => objects.objects.has(key)).toSorted())
    .toEqual([`${remoteIndex.prefix}/photo.jpg`, `${remoteIndex.prefix}/tables-of-somebody/a`])
})

// Catches an index whose location was changed, but that is searched as if it were the other one.
test("moving between a directory and a store rebuilds the index", async () => {
  remoteIndex.stored.push(passage(1, "Penguins swim well."))
  {
    await using index = await remoteIndex.openHere()
    await index.put(remoteIndex.stored)
  }
  await using index = await remoteIndex.open()
  await expect.poll(() => index.state.status).toBe("ready")
  expect(await found(index, "penguins")).toEqual([1])
})

// Catches an index that stays broken permanently after its files on the store were damaged or deleted.
test.each([
  ["deleted", (key: string) => objects.objects.delete(key)],
  ["damaged", (key: string) => objects.objects.set(key, Buffer.alloc(100, 7))],
])("tables that someone %s are rebuilt", async (_, harm) => {
  remoteIndex.stored.push(passage(1, "Penguins swim well."))
  {
    await using index = await remoteIndex.open()
    await index.put(remoteIndex.stored)
  }
  for (const key of remoteIndex.keys()) harm(key)
  await using index = await remoteIndex.open()
  await found(index, "penguins")
  await expect.poll(() => index.state.status).toBe("ready")
  expect(await found(index, "penguins")).toEqual([1])
})
