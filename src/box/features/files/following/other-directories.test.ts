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
import { mountSmallDisk, type SmallDisk } from "../../../testing/small-disk.ts"

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
  for (const place of mountPoints) spawnSync("umount", ["-l", place]) // where the test failed
  mountPoints.clear()
  await drive[Symbol.asyncDispose]()
  await rm(base, { recursive: true, force: true })
})

async function start(): Promise<void> {
  server = await startFolderServer({ dataDir: join(base, "data") })
  client = server.clientOf("alice")
}

function plug(place: string): void {
  execFileSync("mount", ["--bind", drive.path, place])
  mountPoints.add(place)
}
const unplug = (place: string) => execFileSync("umount", ["-l", place]) // as when it is pulled out while it is read

/** Follows the directory, in which there are these files by then. */
async function follow(...paths: string[]): Promise<void> {
  for (const path of paths) await writeFile(join(root, path), `text ${path}`)
  params = { id: (await client.folders.create({ body: { name: "Documents", folder: root } })).vector.id }
  await expect.poll(async () => (await listed()).length).toBe(paths.length)
  await server.ingestion.whenIdle()
  await expect.poll(standing).toEqual({ available: true, missingCount: 0 })
}

const files = async () => (await client.files.list({ params })).files
const listed = async () => (await files()).map(({ id, relativePath }) => `${id} ${relativePath}`).toSorted()
const standing = async () => {
  const { available, missingCount } = (await client.folders.read({ params })).vector
  return { available, missingCount }
}

/** Settles once each way to change the file, or add one beside it, was refused. */
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

// Would catch: changes that are acknowledged at the mount point of a drive that isn't there, and lost when it is back.
test(
  "changes are refused where a drive was mounted, also after a start without it",
  { tags: "mount" },
  async () => {
    plug(root)
    await follow("a.txt", "b.txt")
    const before = await listed()
    unplug(root)
    await expectNoChange("a.txt")
    await expect.poll(standing).toEqual({ available: false, missingCount: 0 })
    await expectNoChange("a.txt")
    await server[Symbol.asyncDispose]()
    await start()
    await expectNoChange("a.txt")
    expect(await readdir(root)).toEqual([])
    plug(root)
    await server.files.release(params.id)
    await server.files.follow(params.id)
    await expect.poll(standing).toEqual({ available: true, missingCount: 0 })
    expect(await listed()).toEqual(before)
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("text a.txt")
    await client.files.upload({ params, file: new Blob(["new"]), fileName: "fresh.txt" })
    expect((await readdir(root)).toSorted()).toEqual(["a.txt", "b.txt", "fresh.txt"])
    unplug(root)
  },
)

// Would catch: the same below the directory, and a drive there whose absence nobody is told.
test.for([["the mount point stays"], ["the mount point goes"]])(
  "changes are refused where a drive was mounted below the directory, and it is told as missing: %s",
  { tags: "mount" },
  async ([what]) => {
    const place = join(root, "media", "usb")
    await mkdir(place, { recursive: true })
    plug(place)
    await mkdir(join(place, "letters"))
    await follow("1.txt", "2.txt", "3.txt", "4.txt", "media/usb/a.txt", "media/usb/letters/b.txt")
    const before = await listed()
    unplug(place)
    if (what === "the mount point goes") await rmdir(place)
    await expectNoChange("media/usb/a.txt")
    await expectNoChange("media/usb/letters/b.txt")
    await expect.poll(standing).toEqual({ available: false, missingCount: 2 })
    await mkdir(place, { recursive: true })
    expect(await readdir(place)).toEqual([])
    plug(place)
    await expect.poll(standing).toEqual({ available: true, missingCount: 0 })
    expect(await listed()).toEqual(before)
    unplug(place)
    await expect.poll(standing).toEqual({ available: false, missingCount: 2 }) // asked for nothing
  },
)

// Would catch: documents that leave the list, because just before their drive was taken away something happened to some of them.
test(
  "files of a drive that isn't there are missing, all of them, also those that were being looked at",
  { tags: "mount" },
  async () => {
    const place = join(root, "usb")
    await mkdir(place)
    plug(place)
    await mkdir(join(place, "letters"))
    await follow("1.txt", "2.txt", "3.txt", "4.txt", "usb/a.txt", "usb/letters/b.txt")
    unplug(place)
    await appendFile(join(drive.path, "letters", "b.txt"), " and more") // still watched
    await expect.poll(standing).toEqual({ available: false, missingCount: 2 })
  },
)

// Would catch: changes in a directory that was put in the place of the followed one, before anybody has looked.
test("changes are refused in another directory than the one that was followed", async () => {
  await follow("a.txt", "b.txt", "c.txt")
  const before = await listed()
  renameSync(root, `${root}-away`)
  mkdirSync(root) // before the box sees that there is none
  await expectNoChange("a.txt")
  expect(await readdir(root)).toEqual([])
  await rmdir(root)
  await rename(`${root}-away`, root)
  await server.files.release(params.id)
  await server.files.follow(params.id)
  await expect.poll(standing).toEqual({ available: true, missingCount: 0 })
  expect(await listed()).toEqual(before)
})

// Would catch: a folder in which nothing can be changed any more, because its directory was copied and exchanged for the copy.
test("changes are taken by another directory that holds the same once it was looked through", async () => {
  await follow("a.txt", "b.txt", "c.txt")
  renameSync(root, `${root}-away`)
  cpSync(`${root}-away`, root, { recursive: true })
  const upload = () => client.files.upload({ params, file: new Blob(["new"]), fileName: "fresh.txt" })
  await expect(upload()).rejects.toMatchObject({ code: "unavailable" })
  await expect.poll(() => upload().then(() => "taken")).toBe("taken")
})

// Would catch: changes of the box's own documents that go to what was mounted over them, and documents that leave the list.
test.for([["the folder's directory"], ["a directory in it"]])(
  "changes are refused where something is mounted over %s",
  { tags: "mount" },
  async ([what]) => {
    const { vector } = await client.folders.create({ body: { name: "Managed" } })
    params = { id: vector.id }
    for (const relativePath of ["letters/a.txt", "b.txt", "c.txt", "d.txt"])
      await client.files.upload({ params, file: new Blob(["own"]), fileName: "x", relativePath })
    await server.ingestion.whenIdle()
    const before = await listed()
    const place = what === "a directory in it" ? join(vector.folder, "letters") : vector.folder
    plug(place)
    await expectNoChange("letters/a.txt")
    await expect.poll(async () => (await standing()).available).toBe(false)
    await expectNoChange("letters/a.txt")
    expect(await readdir(drive.path)).toEqual([])
    unplug(place)
    await server.files.release(params.id)
    await server.files.follow(params.id)
    await expect.poll(standing).toEqual({ available: true, missingCount: 0 })
    expect(await listed()).toEqual(before)
    expect(await readFile(join(vector.folder, "letters", "a.txt"), "utf8")).toBe("own")
  },
)
