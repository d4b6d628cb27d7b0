import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, mkdtemp, readdir, realpath, rename, rm, unlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { Client } from "../../../../shared/client/http-client.ts"
import { startFolderServer, type FolderServer } from "../../../testing/folder-server.ts"
import { maxDeletionsAtOnce } from "./followed-folder.ts"

const many = 60
let server: FolderServer
let client: Client
let base: string
let root: string
let otherDirectory: string
let params: { id: string }

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "casella-departures-")))
  root = join(base, "documents")
  otherDirectory = join(base, "elsewhere")
  await mkdir(root)
  await mkdir(otherDirectory)
  for (let number = 0; number < many; number++)
    await writeFile(join(root, `${number}.txt`), `apples ${number}`)
  server = await startFolderServer({ dataDir: join(base, "data") })
  client = server.getClient("alice")
  params = { id: (await client.folders.create({ body: { name: "Documents", folder: root } })).vector.id }
  await until(async () => (await list({ status: "completed" })).total === many)
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await rm(base, { recursive: true, force: true })
})

const list = (query: { status?: "completed" } = {}) =>
  client.files.list({ params, query: { ...query, limit: 500 } })
const ids = async () => Object.fromEntries((await list()).files.map(({ name, id }) => [name, id]))
const getAvailability = async () => (await client.folders.read({ params })).vector

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

/** Moves all files back. */
async function putBack(): Promise<void> {
  for (const name of await readdir(otherDirectory)) await rename(join(otherDirectory, name), join(root, name))
}

describe("next to a program", { tags: "unix" }, () => {
  // Catches files that leave the index before enough are gone to be reported as missing, and IDs that are lost.
  test("that removes 20 files a second, only a few files leave the index and all keep their IDs", async () => {
    const before = await ids()
    const script = 'for name in *; do mv "$name" ../elsewhere/; sleep 0.05; done'
    const program = spawn("sh", ["-c", script], { cwd: root })
    await Promise.all([once(program, "exit"), until(async () => !(await getAvailability()).available)])
    // No file should leave, unless the program stalls for longer than people do between two deletions.
    expect((await list()).total).toBeGreaterThanOrEqual(many - maxDeletionsAtOnce)
    await putBack()
    await until(async () => (await getAvailability()).available && (await list()).total === many)
    expect(await ids()).toEqual(before)
  })

  // Catches deletions that aren't followed while something in the folder keeps changing.
  test("that writes constantly, deletions are followed", async () => {
    const program = spawn("sh", ["-c", "while sleep 0.1; do date > log.txt; done"], { cwd: root })
    try {
      for (let number = 0; number < 20; number++) await unlink(join(root, `${number}.txt`))
      await until(async () => !("19.txt" in (await ids())))
      expect((await getAvailability()).missingCount).toBe(0)
    } finally {
      program.kill()
    }
  })
})

// Catches a document that gets a new ID when a program or a user has put it back.
test("gives a file its ID back if it returns soon", async () => {
  const before = await ids()
  for (const name of ["1.txt", "2.txt", "3.txt"]) await rename(join(root, name), join(otherDirectory, name))
  await until(async () => (await list()).total === many - 3)
  await putBack()
  await until(async () => (await list({ status: "completed" })).total === many)
  expect(await ids()).toEqual(before)
})

// Catches a model's answer that is treated as evidence because a program moved its file away and back.
test("keeps the mark on a model-written file when it returns", async () => {
  const generatedBy = { chatId: "talk", assistantId: null, modelId: null }
  const name = "answer.md"
  const file = new Blob(["pears"])
  await client.files.upload({ params, file, fileName: name, generatedBy: JSON.stringify(generatedBy) })
  await until(async () => (await list({ status: "completed" })).total === many + 1)
  await rename(join(root, name), join(otherDirectory, name))
  await until(async () => (await list()).total === many)
  await putBack()
  await until(async () => (await list({ status: "completed" })).total === many + 1)
  const { files } = await list()
  expect(files.find((each) => each.name === name)).toMatchObject({ generatedBy })
})
