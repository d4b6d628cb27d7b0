import {
  cp,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  unlink,
  writeFile,
} from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import type { Client } from "../../../../shared/client/http-client.ts"
import { directoryState } from "../../../testing/disk.ts"
import { startFolderServer, type FolderServer } from "../../../testing/folder-server.ts"

let base: string, outside: string
let server: FolderServer
let client: Client
let params: { id: string }
let directory: string
const ids = new Map<string, string>()

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "casella-replaced-")))
  outside = join(base, "outside")
  await start()
  const { vector } = await client.folders.create({ body: { name: "Managed" } })
  params = { id: vector.id }
  directory = vector.folder
  for (const relativePath of ["letters/a.txt", "letters/deep/b.txt", "c.txt", "d.txt", "e.txt", "f.txt"]) {
    const { files } = await client.files.upload({
      params,
      file: new Blob(["own"]),
      fileName: "x",
      relativePath,
    })
    ids.set(relativePath, files[0]?.id ?? "")
  }
  await server.ingestion.whenIdle()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await rm(base, { recursive: true, force: true })
})

async function start(): Promise<void> {
  server = await startFolderServer({ dataDir: join(base, "data") })
  client = server.getClient("alice")
}

const getParams = (path: string) => ({ ...params, fileId: ids.get(path) ?? "" })
const listed = async () => (await client.files.list({ params })).files.map(({ id }) => id).toSorted()
const getAvailability = async () => {
  const { available, missingCount } = (await client.folders.read({ params })).vector
  return { available, missingCount }
}
async function rescan(): Promise<void> {
  await server.files.release(params.id)
  await server.files.follow(params.id)
}

/** Puts something of someone else's in place of this directory of the box. */
async function putInPlaceOf(path: string, what: string): Promise<void> {
  await rename(path, join(base, "taken-away"))
  await cp(join(base, "taken-away"), outside, { recursive: true })
  await writeFile(join(outside, "own.txt"), "somebody's own")
  if (what === "a link") await symlink(outside, path)
  else await writeFile(path, "a file")
}

// Catches documents that leave the list because a program replaced their directory, and anything written, deleted or read through the
// replacement.
it.each([["a link"], ["a file"]])(
  "%s in place of a directory gives no access to the outside, and its files are missing until they are back",
  async (what) => {
    const before = await listed()
    const letters = join(directory, "letters")
    await putInPlaceOf(letters, what)
    const state = await directoryState(outside)
    const [file, fileName] = [new Blob(["new"]), "a.txt"]
    await expect(client.files.content({ params: getParams("letters/a.txt") })).rejects.toMatchObject({
      code: "not_found",
    })
    await expect(
      client.files.replace({ params: getParams("letters/a.txt"), file, fileName }),
    ).rejects.toMatchObject({ code: "not_found" })
    await expect(
      client.files.replace({ params: getParams("letters/a.txt"), file, fileName: "z.txt" }),
    ).rejects.toMatchObject({ code: "conflict" })
    await expect(
      client.files.upload({ params, file, fileName, relativePath: "letters/z.txt" }),
    ).rejects.toMatchObject({ code: "conflict" })
    await rescan()
    await expect.poll(getAvailability).toEqual({ available: false, missingCount: 2 })
    expect(await listed()).toEqual(before)

    await unlink(letters)
    await rename(join(base, "taken-away"), letters)
    await rescan()
    await expect.poll(getAvailability).toEqual({ available: true, missingCount: 0 })
    expect(await listed()).toEqual(before)
    expect(await (await client.files.content({ params: getParams("letters/a.txt") })).text()).toBe("own")
    expect(await directoryState(outside)).toEqual(state)
  },
)

// Catches a folder that reads, writes or deletes elsewhere because its directory, or that of all folders, is a link.
it.each([["the folder's own"], ["that of all folders"]])(
  "a link in place of a directory, %s, gives no access to the outside",
  async (which) => {
    await putInPlaceOf(which === "the folder's own" ? directory : join(directory, ".."), "a link")
    const state = await directoryState(outside)
    const [file, fileName] = [new Blob(["new"]), "c.txt"]
    const one = { params: getParams("c.txt") }
    for (const refused of [
      () => client.files.replace({ ...one, file, fileName }),
      () => client.files.replace({ ...one, file, fileName: "z.txt" }),
      () => client.files.upload({ params, file, fileName }),
      () => client.files.remove(one),
    ])
      await expect(refused()).rejects.toMatchObject({ code: "unavailable" })
    if (which === "the folder's own")
      await expect(client.files.content(one)).rejects.toMatchObject({ code: "not_found" })
    await client.folders.remove({ params })
    expect(await directoryState(outside)).toEqual(state)
  },
)

// Catches a trash whose emptying follows a link and deletes a user's own files.
it("deletes nothing through a link when the trash is emptied", async () => {
  await mkdir(join(outside, "letters"), { recursive: true })
  await writeFile(join(outside, "letters", "own.txt"), "somebody's own")
  const trash = join(base, "data", "trash")
  await mkdir(trash, { recursive: true })
  for (const day of ["2026-01-01", "2999-01-01"]) await symlink(outside, join(trash, day))
  await server.trash.empty()
  await server.trash.purge()
  expect(await readFile(join(outside, "letters", "own.txt"), "utf8")).toBe("somebody's own")
})
