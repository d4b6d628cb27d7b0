import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { createClient } from "../../../../shared/client/http-client.ts"
import { signIn } from "../../../testing/clients.ts"
import { runCommand, startFaultyBox } from "../../../testing/box-process.ts"
import { startTestBox } from "../../../testing/test-box.ts"

let root: string, dataDir: string, copy: string, documents: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "casella-stale-"))
  ;[dataDir, copy, documents] = [join(root, "data"), join(root, "copy"), join(root, "documents")]
  await mkdir(documents)
  for (const name of ["old", "other"]) await writeFile(join(documents, `${name}.txt`), name)
})
afterEach(() => rm(root, { recursive: true, force: true }))

/** Copies the data directory as a backup program would, after the new file has its name and before the database is updated. */
const copiesItself = () => `
import { cpSync } from "node:fs"
import fs from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
const real = fs.link
fs.link = async (from, to) => {
  await real(from, to)
  if (!to.endsWith("new.txt")) return
  cpSync(${JSON.stringify(dataDir)}, ${JSON.stringify(copy)}, { recursive: true, preserveTimestamps: true })
}
syncBuiltinESMExports()
`

async function putInPlace(): Promise<string> {
  for (const name of ["casella.sqlite", "casella.sqlite-wal", "casella.sqlite-shm"]) {
    await rm(join(dataDir, name), { force: true })
    await cp(join(copy, name), join(dataDir, name), { force: true }).catch(() => undefined)
  }
  return dataDir
}

async function restore(): Promise<string> {
  const file = join(root, "backup.tgz")
  for (const command of [
    ["backup", file, "--data", copy],
    ["restore", file, "--data", dataDir],
  ])
    expect(await runCommand(...command)).toMatchObject({ code: 0 })
  return dataDir
}

// Catches a user's document that is removed because a copy of the data states that it is about to get its name.
it.each([
  ["an older copy of the database", putInPlace],
  ["a backup", restore],
  ["a copy of the data directory", () => Promise.resolve(copy)],
])("removes nothing because of a change that was in progress when %s was made", async (_, use) => {
  const box = await startFaultyBox(copiesItself(), dataDir)
  const key = box.firstRunKey ?? ""
  const { files, folders } = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
  const { vector } = await folders.create({ body: { name: "Documents", folder: documents } })
  const params = { id: vector.id }
  const old = async () => (await files.list({ params })).files.find(({ name }) => name === "old.txt")
  await expect.poll(async () => (await old())?.status).toBe("completed")
  const fileId = (await old())?.id ?? ""
  await files.replace({ params: { ...params, fileId }, file: new Blob(["new"]), fileName: "new.txt" })
  await box.stop()

  await using restarted = await startTestBox({ dataDir: await use() })
  const session = await signIn(restarted.url, await restarted.box.signInToken())
  const { storage } = createClient({ baseUrl: restarted.url, headers: session })
  for (const item of (await storage.held()).items)
    // after a restore
    await storage.decideHeld({
      body: { ...item, decision: "turn_on", ...(item.kind === "api_key" && { key }) },
    })
  const listed = async () => (await restarted.getClient(key).files.list({ params })).files
  const names = async () => (await listed()).map(({ name }) => name).toSorted()
  await expect.poll(names).toEqual(["new.txt", "other.txt"])
  expect((await readdir(documents)).toSorted()).toEqual(["new.txt", "other.txt"])
  expect(await readFile(join(documents, "new.txt"), "utf8")).toBe("new")
})
