import { mkdir, mkdtemp, realpath, rename, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import type { Client } from "../../../../shared/client/http-client.ts"
import { startFolderServer, type FolderServer } from "../../../testing/folder-server.ts"
import { waitFor } from "../../../../shared/testing/wait-for.ts"

let server: FolderServer
let client: Client
let base: string
let root: string
let id: string

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "casella-names-")))
  root = join(base, "documents")
  await mkdir(root)
  server = await startFolderServer({ dataDir: join(base, "data") })
  client = server.getClient("alice")
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await rm(base, { recursive: true, force: true })
})

/** Returns a path in the followed directory whose names may contain any bytes. */
const getBytes = (...names: string[]) => Buffer.from([root, ...names].join("/"), "latin1")
const follow = async () => {
  id = (await client.folders.create({ body: { name: "Documents", folder: root } })).vector.id
}
const files = async () => {
  const listed = await client.files.list({ params: { id } })
  return listed.files
    .map(({ relativePath, status }) => `${relativePath.slice(id.length + 1)}: ${status}`)
    .toSorted()
}
const waitUntilListed = (expected: string[]) =>
  waitFor(async () => expect(await files()).toEqual(expected.toSorted()))

// Only Linux keeps names that aren't text. Catches documents from an old system or a zip archive that aren't listed, two that look the
// same, and a directory whose documents vanish because of its name.
test(
  "lists a file whose name isn't UTF-8 with the reason, and files below such a directory",
  { tags: "linux" },
  async () => {
    await mkdir(getBytes("\xE8"))
    await mkdir(getBytes("\xE8", "below"))
    for (const names of [
      ["caf\xE9.txt"],
      ["caf\xE8.txt"],
      ["\xE8", "a.txt"],
      ["\xE8", "below", "b\xFF.txt"],
      ["plain.txt"],
    ])
      await writeFile(getBytes(...names), "The heron stands still.")
    await writeFile(join(root, "real \uFFFD.txt"), "The otter swims.")
    await follow()
    await waitUntilListed([
      "caf�E9.txt: skipped",
      "caf�E8.txt: skipped",
      "�E8/a.txt: skipped",
      "�E8/below/b�FF.txt: skipped",
      "plain.txt: completed",
      "real �.txt: completed",
    ])
    const skipped = (await client.files.list({ params: { id } })).files.filter(
      ({ status }) => status === "skipped",
    )
    for (const file of skipped) expect(file.reasons?.map(({ code }) => code)).toEqual(["name_not_utf8"])
  },
)

// Catches files that are noticed only by the hourly scan, a corrected name whose file isn't read, and a "deleted" response for a file that
// stays.
test(
  "notices such a file when it appears, reads it after it is renamed, and never reports it as deleted",
  { tags: "linux" },
  async () => {
    await mkdir(join(root, "sub"))
    await follow()
    await writeFile(join(root, "sub", "plain.txt"), "A magpie.")
    await waitUntilListed(["sub/plain.txt: completed"])
    await writeFile(getBytes("sub", "caf\xE9.txt"), "The heron stands still.")
    await waitUntilListed(["sub/caf�E9.txt: skipped", "sub/plain.txt: completed"])
    const file = (await client.files.list({ params: { id } })).files.find(
      ({ status }) => status === "skipped",
    )
    const params = { id, fileId: file?.id ?? "" }
    await expect(client.files.remove({ params })).rejects.toMatchObject({ code: "conflict" })
    await expect(
      client.files.replace({ params, file: new Blob(["x"]), fileName: file?.name ?? "" }),
    ).rejects.toMatchObject({ code: "conflict" })
    await expect(client.files.content({ params })).rejects.toMatchObject({ code: "not_found" })
    await client.files.retry({ params })
    await waitUntilListed(["sub/caf�E9.txt: skipped", "sub/plain.txt: completed"])
    expect((await stat(getBytes("sub", "caf\xE9.txt"))).size).toBe(23)
    await rename(getBytes("sub", "caf\xE9.txt"), join(root, "sub", "café.txt"))
    await waitUntilListed(["sub/café.txt: completed", "sub/plain.txt: completed"])
  },
)
