import { chmod, chown, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createClient, type Client } from "../shared/client/http-client.ts"
import { startBoxProcessAs, type BoxProcess } from "./testing/box-process.ts"

const nobodyUid = 65_534
/** Root can use directories that are closed to everyone else. */
const owner = process.getuid?.() === 0 ? nobodyUid : (process.getuid?.() ?? -1)

let root: string
let dataDir: string
let box: BoxProcess
let client: Client
let params: { id: string }
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "casella-closed-"))
  await chown(root, owner, owner)
  dataDir = join(root, "data")
  box = await startBoxProcessAs(owner, dataDir)
  client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.firstRunKey ?? "" } })
  params = { id: (await client.folders.create({ body: { name: "Documents" } })).vector.id }
  await upload()
})
afterAll(async () => {
  await box.stop()
  await rm(root, { recursive: true, force: true })
})

const upload = async () =>
  (await client.files.upload({ params, file: new Blob(["a text"]), fileName: "a.txt" })).files[0]?.id ?? ""
const first = async () => ({ ...params, fileId: (await client.files.list({ params })).files[0]?.id ?? "" })

/** Runs a backup and throws the error it ends with. */
async function backUp(): Promise<void> {
  await client.storage.startBackup({})
  const state = async () => (await client.storage.backup({})).backup
  await expect.poll(async () => (await state())?.status).not.toBe("running")
  const backup = await state()
  if (backup?.error != null) throw Object.assign(new Error(backup.error), { status: 503 })
}

const works: Record<string, () => Promise<unknown>> = {
  upload,
  download: async () => client.files.content({ params: await first() }),
  replacement: async () =>
    client.files.replace({ params: await first(), file: new Blob(["new"]), fileName: "a.txt" }),
  deletion: async () => client.files.remove({ params: await first() }),
  "new folder": () => client.folders.create({ body: { name: "Another" } }),
  "emptied trash": () => client.storage.emptyTrash({}),
  "look at the storage": () => client.storage.read({}),
  "list of models": () => client.models.list({}),
  "look at the log": () => client.logs.read({ query: {} }),
  backup: backUp,
}

// Catches a 500 or the system's own error message if someone has closed a directory that the box needs.
test.each([
  ["folders/*", 0o000, ["upload", "download", "replacement", "deletion"]],
  ["folders/*", 0o500, ["upload", "replacement", "deletion"]],
  ["folders", 0o000, ["upload", "download", "replacement", "deletion", "new folder", "backup"]],
  ["uploads", 0o500, ["upload", "replacement", "backup"]],
  ["trash", 0o000, ["replacement", "deletion", "emptied trash", "backup", "look at the storage"]],
  ["backups", 0o500, ["backup"]],
  ["models", 0o000, ["list of models"]],
  ["logs", 0o000, ["look at the log"]],
])(
  "with %s closed by mode %o, the error describes what to do: %s",
  { tags: "other-user" },
  async (name, mode, refused) => {
    const directory = name.replace("*", params.id)
    const path = join(dataDir, directory)
    await mkdir(path, { recursive: true })
    await chown(path, owner, owner)
    await chmod(path, mode)
    const message = `Casella can't use "${directory}" in its data directory. Allow it to read and write there, then try again.`
    for (const work of refused)
      await expect(works[work]?.(), work).rejects.toMatchObject({ status: 503, message })
    await chmod(path, 0o700)
    for (const work of refused) await works[work]?.()
    await upload()
  },
)

// Catches the same fault if one of the box's directories becomes a file while it runs.
test("with logs replaced by a file, the error describes what to do", { tags: "other-user" }, async () => {
  const path = join(dataDir, "logs")
  await rename(path, `${path}-away`)
  await writeFile(path, "")
  await expect(works["look at the log"]?.()).rejects.toMatchObject({
    status: 503,
    message: `"logs" in the data directory must be a directory. Move away what is there, then restart Casella.`,
  })
  await rm(path)
  await rename(`${path}-away`, path)
  await works["look at the log"]?.()
})

// Catches a box that treats its database as lost because its directory was closed, and stores nothing until it is restarted.
test(
  "after the data directory is opened again, everything is stored as before",
  { tags: "other-user" },
  async () => {
    await chmod(dataDir, 0o000)
    await expect(upload()).rejects.toMatchObject({ status: 503 })
    await chmod(dataDir, 0o700)
    await upload()
  },
)
