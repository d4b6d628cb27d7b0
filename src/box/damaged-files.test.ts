import { execFileSync } from "node:child_process"
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { claimDataDirectory } from "./core/data-directory/claim.ts"
import { lockDataDirectory, findRunningBox } from "./core/data-directory/instance-lock.ts"
import { persistentDirectories } from "./core/data-layout.ts"
import { startTestBox } from "./testing/test-box.ts"
import { waitFor } from "../shared/testing/wait-for.ts"

let root: string, kept: string, dataDir: string, key: string, folder: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "casella-damaged-files-"))
  kept = join(root, "kept")
  dataDir = join(root, "data")
  const { client, box, key: firstKey } = await startTestBox({ dataDir })
  key = firstKey
  folder = (await client.folders.create({ body: { name: "Birds" } })).vector.id
  const params = { id: folder }
  await client.files.upload({ params, file: new Blob(["The heron stands."]), fileName: "heron.txt" })
  await waitFor(async () => {
    expect((await client.files.list({ params })).files).toMatchObject([{ status: "completed" }])
  })
  await box[Symbol.asyncDispose]()
  await cp(dataDir, kept, { recursive: true, preserveTimestamps: true })
})
beforeEach(async () => {
  await rm(dataDir, { recursive: true, force: true })
  await cp(kept, dataDir, { recursive: true, preserveTimestamps: true })
})
afterAll(() => rm(root, { recursive: true, force: true }))

/** Replaces the item of this name with a file of this text; with a directory if the text is null. */
async function replaceBy(text: string | null, name: string): Promise<void> {
  const path = join(dataDir, name)
  await rm(path, { recursive: true, force: true })
  await mkdir(join(path, ".."), { recursive: true })
  if (text === null) await mkdir(path)
  else await writeFile(path, text)
}

async function expectToWork(): Promise<void> {
  const test = await startTestBox({ dataDir })
  const client = test.getClient(key)
  try {
    await waitFor(async () => {
      const { results } = await client.folders.search({ body: { query: "heron", vector: [folder] } })
      expect(results).toHaveLength(1)
    })
    await client.files.upload({
      params: { id: folder },
      file: new Blob(["A magpie."]),
      fileName: "magpie.txt",
    })
    expect((await client.storage.read()).storage.restore).toBeNull()
    await expect(client.models.catalogue()).rejects.toThrow(/^models.json in the data directory isn't/)
    await expect(client.integrations.list()).rejects.toThrow(/^secrets.json in the data directory is damaged/)
  } finally {
    await test.box[Symbol.asyncDispose]()
  }
}

const readByTheBox = ["box.json", "gpu.json", "index/index.json", "models.json", "secrets.json"]
const readBySentence = ["box.lock", "casella.json", "restore-ready/restore.json"]

// Catches a box that can't start, or answers only "internal", because of a file of a few bytes.
it.each([
  ["cut off", "{"],
  ["empty", ""],
  ["zeros", "\0".repeat(5_000)],
  ["something else", "[1]"],
])("works with damaged small files: %s", async (_, text) => {
  for (const name of [...readByTheBox, ...readBySentence]) await replaceBy(text, name)
  await expectToWork()
})

it("works with directories in place of small files, and files in place of recreated directories", async () => {
  for (const name of [...readByTheBox, "restore-ready/restore.json"]) await replaceBy(null, name)
  for (const name of ["uploads", "tmp", "index.broken", "restore-moving"]) await replaceBy("x", name)
  await expectToWork()
})

// Catches a start that waits for a writer of a named pipe and doesn't react to signals.
it(
  "works with named pipes in place of small files, and of files that are being written",
  { tags: "unix" },
  async () => {
    const written = ["box.json", "clock.json", "index/index.json"].map((name) => `${name}.new`)
    for (const name of [...readByTheBox, ...written, "clock.json", "restore-ready/restore.json"]) {
      await replaceBy("", name)
      await rm(join(dataDir, name))
      execFileSync("mkfifo", [join(dataDir, name)])
    }
    await expectToWork()
  },
)

it("works with a file in place of the index", async () => {
  for (const name of ["models.json", "secrets.json"]) await replaceBy("{", name)
  await replaceBy("x", "index")
  await expectToWork()
})

// Catches files and directories that are reported one at a time, with a stack trace each.
it.each([
  ...persistentDirectories.map((name) => [name, "x"] as const),
  ...["box.lock", "casella.json", "casella.sqlite"].map((name) => [name, null] as const),
])("reports in one sentence that %s isn't what it should be", async (name, text) => {
  await replaceBy(text, name)
  const kind = text === null ? "file" : "directory"
  expect(() => claimDataDirectory(dataDir)).toThrow(
    `${join(dataDir, name)} should be a ${kind}, but isn't. Move it away, then start again.`,
  )
})

// Catches commands that can't be used and don't report why.
it("reports that the address of the running box is damaged", async () => {
  using lock = lockDataDirectory(dataDir)
  expect(lock).not.toBeNull()
  for (const text of ["{", "", "[1]", null]) {
    await replaceBy(text, "box.json")
    expect(() => findRunningBox(dataDir)).toThrow(
      "box.json, which contains its address, is damaged. Restart the server",
    )
  }
})

// Catches two boxes on one directory, because a process that finds the lock damaged creates another one.
it("still treats a damaged lock file as one lock", async () => {
  await replaceBy("not a database, but longer than a header of one".repeat(10), "box.lock")
  using lock = lockDataDirectory(dataDir)
  expect(lock).not.toBeNull()
  expect(lockDataDirectory(dataDir)).toBeNull()
})
