import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdirSync, renameSync } from "node:fs"
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  writeFile,
} from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import type { Client } from "../../../../shared/client/http-client.ts"
import { startFolderServer, type FolderServer } from "../../../testing/folder-server.ts"
import { mountSmallDisk, type SmallDisk } from "../../../testing/disk.ts"

let server: FolderServer
let client: Client
let base: string
let root: string
let drive: SmallDisk
let params: { id: string }
const mountPoints = new Set<string>()

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "casella-other-")))
  root = join(base, "documents")
  await mkdir(root)
  drive = await mountSmallDisk("4m")
  await start()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  for (const mountPoint of mountPoints) spawnSync("umount", ["-l", mountPoint]) // in case the test fails
  mountPoints.clear()
  await drive[Symbol.asyncDispose]()
  await rm(base, { recursive: true, force: true })
})

async function start(): Promise<void> {
  server = await startFolderServer({ dataDir: join(base, "data") })
  client = server.getClient("alice")
}

function plug(mountPoint: string): void {
  execFileSync("mount", ["--bind", drive.path, mountPoint])
  mountPoints.add(mountPoint)
}
const unplug = (mountPoint: string) => execFileSync("umount", ["-l", mountPoint]) // as when a drive is pulled out while it is being read

/** Creates these files in the directory and follows it. */
async function follow(...paths: string[]): Promise<void> {
  for (const path of paths) await writeFile(join(root, path), `text ${path}`)
  params = { id: (await client.folders.create({ body: { name: "Documents", folder: root } })).vector.id }
  await expect.poll(async () => (await listed()).length).toBe(paths.length)
  await server.ingestion.whenIdle()
  await expect.poll(getAvailability).toEqual({ available: true, missingCount: 0 })
}

const files = async () => (await client.files.list({ params })).files
const listed = async () => (await files()).map(({ id, relativePath }) => `${id} ${relativePath}`).toSorted()
const getAvailability = async () => {
  const { available, missingCount } = (await client.folders.read({ params })).vector
  return { available, missingCount }
}

/** Settles when each way of changing the file, or adding one next to it, was refused. */
async function expectNoChange(path: string): Promise<void> {
  const name = path.split("/").at(-1) ?? ""
  const fileId = (await files()).find((file) => file.name === name)?.id ?? ""
  const relativePath = path.replace(name, "fresh.txt")
  const [file, one] = [new Blob(["new"]), { ...params, fileId }]
  for (const change of [
    () => client.files.remove({ params: one }),
    () => client.files.replace({ params: one, file, fileName: name }),
    () => client.files.replace({ params: one, file, fileName: "other.txt" }),
    () => client.files.upload({ params, file, fileName: "fresh.txt", relativePath }),
  ])
    await expect(change()).rejects.toMatchObject({ code: "unavailable" })
}

// Catches changes that are accepted at the mount point of a missing drive and lost when it is back.
test(
  "refuses changes where a drive was mounted, even after a start without it",
  { tags: "mount" },
  async () => {
    plug(root)
    await follow("a.txt", "b.txt")
    const before = await listed()
    unplug(root)
    await expectNoChange("a.txt")
    await expect.poll(getAvailability).toEqual({ available: false, missingCount: 0 })
    await expectNoChange("a.txt")
    await server[Symbol.asyncDispose]()
    await start()
    await expectNoChange("a.txt")
    expect(await readdir(root)).toEqual([])
    plug(root)
    await server.files.release(params.id)
    await server.files.follow(params.id)
    await expect.poll(getAvailability).toEqual({ available: true, missingCount: 0 })
    expect(await listed()).toEqual(before)
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("text a.txt")
    await client.files.upload({ params, file: new Blob(["new"]), fileName: "fresh.txt" })
    expect((await readdir(root)).toSorted()).toEqual(["a.txt", "b.txt", "fresh.txt"])
    unplug(root)
  },
)

// Catches the same fault below the directory, and a missing drive there that isn't reported.
test.for([["the mount point stays"], ["the mount point goes"]])(
  "refuses changes where a drive was mounted below the directory, and reports it as missing: %s",
  { tags: "mount" },
  async ([what]) => {
    const mountPoint = join(root, "media", "usb")
    await mkdir(mountPoint, { recursive: true })
    plug(mountPoint)
    await mkdir(join(mountPoint, "letters"))
    await follow("1.txt", "2.txt", "3.txt", "4.txt", "media/usb/a.txt", "media/usb/letters/b.txt")
    const before = await listed()
    unplug(mountPoint)
    if (what === "the mount point goes") await rmdir(mountPoint)
    await expectNoChange("media/usb/a.txt")
    await expectNoChange("media/usb/letters/b.txt")
    await expect.poll(getAvailability).toEqual({ available: false, missingCount: 2 })
    await mkdir(mountPoint, { recursive: true })
    expect(await readdir(mountPoint)).toEqual([])
    plug(mountPoint)
    await expect.poll(getAvailability).toEqual({ available: true, missingCount: 0 })
    expect(await listed()).toEqual(before)
    unplug(mountPoint)
    await expect.poll(getAvailability).toEqual({ available: false, missingCount: 2 }) // without any request
  },
)

// Catches documents that leave the list because some of them changed just before their drive was removed.
test(
  "reports all files of a missing drive as missing, including those being scanned",
  { tags: "mount" },
  async () => {
    const mountPoint = join(root, "usb")
    await mkdir(mountPoint)
    plug(mountPoint)
    await mkdir(join(mountPoint, "letters"))
    await follow("1.txt", "2.txt", "3.txt", "4.txt", "usb/a.txt", "usb/letters/b.txt")
    unplug(mountPoint)
    await appendFile(join(drive.path, "letters", "b.txt"), " and more") // still watched
    await expect.poll(getAvailability).toEqual({ available: false, missingCount: 2 })
  },
)

// Catches changes in a directory that replaced the followed one before it was scanned.
test("refuses changes in a directory other than the followed one", async () => {
  await follow("a.txt", "b.txt", "c.txt")
  const before = await listed()
  renameSync(root, `${root}-away`)
  mkdirSync(root) // before the box sees that it is missing
  await expectNoChange("a.txt")
  expect(await readdir(root)).toEqual([])
  await rmdir(root)
  await rename(`${root}-away`, root)
  await server.files.release(params.id)
  await server.files.follow(params.id)
  await expect.poll(getAvailability).toEqual({ available: true, missingCount: 0 })
  expect(await listed()).toEqual(before)
})

// Catches a folder that can no longer be changed because its directory was replaced by a copy.
test("accepts changes in another directory with the same content after it was scanned", async () => {
  await follow("a.txt", "b.txt", "c.txt")
  renameSync(root, `${root}-away`)
  cpSync(`${root}-away`, root, { recursive: true })
  const upload = () => client.files.upload({ params, file: new Blob(["new"]), fileName: "fresh.txt" })
  await expect(upload()).rejects.toMatchObject({ code: "unavailable" })
  await expect.poll(() => upload().then(() => "taken")).toBe("taken")
})

// Catches changes to the box's own documents that are written to a drive mounted over them, and documents that leave the list.
test.for([["the folder's directory"], ["a directory in it"]])(
  "refuses changes where something is mounted over %s",
  { tags: "mount" },
  async ([what]) => {
    const { vector } = await client.folders.create({ body: { name: "Managed" } })
    params = { id: vector.id }
    for (const relativePath of ["letters/a.txt", "b.txt", "c.txt", "d.txt"])
      await client.files.upload({ params, file: new Blob(["own"]), fileName: "x", relativePath })
    await server.ingestion.whenIdle()
    const before = await listed()
    const mountPoint = what === "a directory in it" ? join(vector.folder, "letters") : vector.folder
    plug(mountPoint)
    await expectNoChange("letters/a.txt")
    await expect.poll(async () => (await getAvailability()).available).toBe(false)
    await expectNoChange("letters/a.txt")
    expect(await readdir(drive.path)).toEqual([])
    unplug(mountPoint)
    await server.files.release(params.id)
    await server.files.follow(params.id)
    await expect.poll(getAvailability).toEqual({ available: true, missingCount: 0 })
    expect(await listed()).toEqual(before)
    expect(await readFile(join(vector.folder, "letters", "a.txt"), "utf8")).toBe("own")
  },
)
