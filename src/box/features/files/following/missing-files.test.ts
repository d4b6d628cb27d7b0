import { execFileSync, spawnSync } from "node:child_process"
import { mkdir, mkdtemp, readdir, realpath, rename, rm, unlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { Client } from "../../../../shared/client/http-client.ts"
import { startFolderServer, type FolderServer } from "../../../testing/folder-server.ts"
import { mountSmallDisk } from "../../../testing/disk.ts"
import { areTooManyAbsent } from "./missing-files.ts"

let server: FolderServer
let client: Client
let base: string
let root: string
let folderId: string

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "casella-missing-")))
  root = join(base, "documents")
  await mkdir(root)
  await start()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await rm(base, { recursive: true, force: true })
})

async function start(): Promise<void> {
  server = await startFolderServer({ dataDir: join(base, "data") })
  client = server.getClient("alice")
}

async function write(count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, number) => `${number}.txt`)
  await Promise.all(names.map((name) => writeFile(join(root, name), `text of apples ${name}`)))
  return names
}

const follow = async () =>
  (folderId = (await client.folders.create({ body: { name: "Documents", folder: root } })).vector.id)
const total = async () => (await client.files.list({ params: { id: folderId } })).total
const findable = async () =>
  (await client.folders.search({ body: { query: "apples", vector: [folderId], topK: 50 } })).results.length
const getAvailability = async () => {
  const { paused, available, missingCount } = (await client.folders.read({ params: { id: folderId } })).vector
  return { paused, available, missingCount }
}
const unchangedState = { paused: false, available: true, missingCount: 0 }

/** Settles when `done` returns true. It is called whenever something is pushed. */
async function until(done: () => Promise<boolean>): Promise<void> {
  for (;;) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const stop = server.listen(() => resolve())
    if (await done()) return stop()
    await promise
    stop()
  }
}

const indexed = (count: number) => until(async () => (await findable()) === count)
const missed = (count: number) => until(async () => (await getAvailability()).missingCount === count)

/** Scans immediately instead of within ten seconds. */
async function rescan(): Promise<void> {
  await server.files.release(folderId)
  await server.files.follow(folderId)
}

describe("a followed directory", () => {
  // Catches an index that is lost with a drive whose mount point isn't empty, and files of another drive in its place.
  test(
    "on an unplugged drive keeps its index, whatever is at the mount point",
    { tags: "mount" },
    async () => {
      await using drive = await mountSmallDisk("4m")
      await writeFile(join(root, ".keep"), "")
      const plug = () => execFileSync("mount", ["--bind", drive.path, root])
      plug()
      try {
        await write(3)
        await follow()
        await indexed(3)
        execFileSync("umount", [root])
        await writeFile(join(root, "of-another-drive.txt"), "apples")
        await rescan()
        await missed(3)
        expect(await getAvailability()).toEqual({ paused: true, available: false, missingCount: 3 })
        expect([await total(), await findable()]).toEqual([3, 3])
        const sent = client.files.upload({
          params: { id: folderId },
          file: new Blob(["x"]),
          fileName: "x.txt",
        })
        await expect(sent).rejects.toMatchObject({ code: "unavailable" })
        expect((await readdir(root)).sort()).toEqual([".keep", "of-another-drive.txt"])
      } finally {
        plug()
      }
      await rescan()
      await until(async () => (await getAvailability()).available)
      expect([await total(), await findable()]).toEqual([3, 3])
      execFileSync("umount", [root])
    },
  )

  // Catches files that leave the index because their drive, somewhere below the directory, isn't mounted.
  test(
    "keeps the files of a missing drive below it until someone confirms that they are gone",
    { tags: "mount" },
    async () => {
      await using drive = await mountSmallDisk("4m")
      const mountPoint = join(root, "usb", "drive")
      await mkdir(mountPoint, { recursive: true })
      using _ = { [Symbol.dispose]: () => spawnSync("umount", ["-l", mountPoint]) } // in case the test fails
      const plug = () => execFileSync("mount", ["--bind", drive.path, mountPoint])
      const unplug = async () => {
        await server.files.release(folderId) // as if the box were off
        execFileSync("umount", [mountPoint])
      }
      const ids = async () =>
        (await client.files.list({ params: { id: folderId } })).files.map(({ id, relativePath }) => [
          id,
          relativePath,
        ])
      await write(10)
      plug()
      await mkdir(join(mountPoint, "letters"))
      for (const name of ["1.txt", "2.txt", "3.txt"])
        await writeFile(join(mountPoint, "letters", name), `apples ${name}`)
      await follow()
      await indexed(13)
      const before = await ids()
      await unplug()
      await server.files.follow(folderId)
      await missed(3)
      expect([await total(), await findable()]).toEqual([13, 13])
      await rescan() // three of thirteen are few, but they are on a missing drive
      await missed(3)
      plug()
      await rescan()
      await until(async () => (await getAvailability()).available)
      expect(await ids()).toEqual(before)
      await unplug()
      await server.files.follow(folderId)
      await missed(3)
      await client.folders.forgetMissing({ params: { id: folderId } })
      await indexed(10)
      expect(await getAvailability()).toEqual(unchangedState)
    },
  )

  // Catches documents that stay failed forever because their drive was removed while they waited to be read.
  test("that was missing when a file was to be read has the file read when it is back", async () => {
    await write(1)
    await follow()
    await indexed(1)
    await server.files.release(folderId)
    await rename(root, join(base, "unplugged"))
    const [file] = (await client.files.list({ params: { id: folderId } })).files
    const params = { id: folderId, fileId: file?.id ?? "" }
    await client.files.retry({ params })
    await server.ingestion.whenIdle()
    expect((await client.files.read({ params })).file.status).toBe("failed")
    await rename(join(base, "unplugged"), root)
    await server.files.follow(folderId)
    await indexed(1)
    expect((await client.files.read({ params })).file).toMatchObject({ status: "completed", error: null })
  })

  // Catches an index that is lost when a program empties the directory, and a folder that stays missing when its files are back.
  test("that is emptied is reported as missing, and recovers when its files are back", async () => {
    await write(5)
    await follow()
    await indexed(5)
    await mkdir(join(base, "elsewhere"))
    for (const name of await readdir(root)) await rename(join(root, name), join(base, "elsewhere", name))
    await missed(5)
    expect(await getAvailability()).toEqual({ paused: true, available: false, missingCount: 5 })
    expect([await total(), await findable()]).toEqual([5, 5])
    await rename(join(base, "elsewhere", "0.txt"), join(root, "0.txt"))
    await rescan() // as after a start: the first file to return isn't taken for all
    await missed(4)
    for (const name of await readdir(join(base, "elsewhere")))
      await rename(join(base, "elsewhere", name), join(root, name))
    await rescan()
    await until(async () => (await getAvailability()).available)
    expect(await getAvailability()).toEqual(unchangedState)
    expect([await total(), await findable()]).toEqual([5, 5])
  })

  // Catches files that can't be removed from the index, and more files being forgotten than were reported.
  test("forgets missing files on request, but no more than were reported", async () => {
    const names = await write(50)
    await follow()
    await indexed(50)
    await Promise.all(names.slice(0, 30).map((name) => unlink(join(root, name))))
    await missed(30)
    expect(await findable()).toBe(50)
    await Promise.all(names.slice(0, 40).map((name) => rm(join(root, name), { force: true })))
    await client.folders.forgetMissing({ params: { id: folderId } })
    await missed(40)
    expect(await total()).toBe(50)
    await client.folders.forgetMissing({ params: { id: folderId } })
    await until(async () => (await total()) === 10)
    expect([await getAvailability(), await findable()]).toEqual([unchangedState, 10])
  })

  // Catches a user's own choice that is treated as a loss.
  test("isn't reported as missing if rules exclude its files or only a few are deleted", async () => {
    await write(4)
    await follow()
    await indexed(4)
    await unlink(join(root, "0.txt"))
    await indexed(3)
    await writeFile(join(root, ".casellaignore"), "*.txt\n")
    await until(async () => (await total()) === 0)
    expect(await getAvailability()).toEqual(unchangedState)
  })

  // Catches a directory on another drive at the same path whose files are treated as the rest of the original.
  test("on a different device must contain more than half of its previous files", async () => {
    await write(5)
    await follow()
    await indexed(5)
    await server.files.release(folderId)
    await server.db.updateTable("folders").set({ device: "1" }).execute()
    await Promise.all(["0.txt", "1.txt"].map((name) => unlink(join(root, name))))
    await server.files.follow(folderId)
    await indexed(3)
    expect(await getAvailability()).toEqual(unchangedState)
    await server.files.release(folderId)
    await server.db.updateTable("folders").set({ device: "1" }).execute()
    await Promise.all(["2.txt", "3.txt"].map((name) => unlink(join(root, name))))
    await server.files.follow(folderId)
    await missed(2)
    expect(await findable()).toBe(3)
  })
})

// Catches documents that disappear silently with the box's own directory.
test("reports documents as missing if their managed directory was emptied", async () => {
  const { vector } = await client.folders.create({ body: { name: "Managed" } })
  folderId = vector.id
  await client.files.upload({ params: { id: folderId }, file: new Blob(["apples"]), fileName: "one.txt" })
  await indexed(1)
  await unlink(join(vector.folder, "one.txt"))
  await rescan()
  await missed(1)
  expect([await total(), await findable()]).toEqual([1, 1])
  await client.files.upload({ params: { id: folderId }, file: new Blob(["apples"]), fileName: "two.txt" })
  await indexed(2)
  expect(await total()).toBe(2)
  await client.folders.forgetMissing({ params: { id: folderId } })
  await indexed(1)
  expect(await getAvailability()).toEqual(unchangedState)
})

// Catches thresholds that trigger on everyday actions, or that a slow program stays below.
test("reports files as missing if more are absent than a person deletes at once", () => {
  const trusted = { state: "trusted", removedLately: 0 } as const
  const doubtful = { state: "doubtful", removedLately: 0 } as const
  const missedBefore = { state: "missed", removedLately: 0 } as const
  const cases = [
    [0, 0, trusted, false],
    [1, 1, trusted, false],
    [2, 2, trusted, true],
    [19, 20, trusted, false],
    [21, 40, trusted, true],
    [21, 42, trusted, false],
    [6, 12, { ...trusted, removedLately: 15 }, true],
    [5, 30, { ...trusted, removedLately: 15 }, false],
    [0, 0, doubtful, false],
    [1, 1, doubtful, true],
    [1, 2, doubtful, false],
    [2, 3, doubtful, true],
    [1, 9, missedBefore, true],
    [1, 10, missedBefore, false],
  ] as const
  for (const [absent, all, circumstances, expected] of cases)
    expect([absent, all, circumstances, areTooManyAbsent(absent, all, circumstances)]).toEqual([
      absent,
      all,
      circumstances,
      expected,
    ])
})
