import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative, resolve } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { readConfig } from "./box-config.ts"
import { claimDataDirectory } from "./core/data-directory/claim.ts"
import { ensureTestEmbeddingModel } from "./engines/llama/testing/test-models.ts"
import { startTestBox } from "./testing/test-box.ts"
import { waitFor } from "../shared/testing/wait-for.ts"

let root: string
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "casella-odd-")))
})
afterAll(() => rm(root, { recursive: true, force: true }))

/** Uploads, indexes, searches and backs up: everything that passes a path to a library or another process. */
async function useAll(dataDir: string): Promise<void> {
  const test = await startTestBox({ dataDir, embeddingModel: ensureTestEmbeddingModel() })
  try {
    const { client } = test
    const { vector } = await client.folders.create({ body: { name: "Birds" } })
    const params = { id: vector.id }
    await client.files.upload({ params, file: new Blob(["The heron stands still."]), fileName: "heron.txt" })
    await waitFor(async () => {
      const { files } = await client.files.list({ params })
      expect(files).toMatchObject([{ status: "completed" }])
    })
    await waitFor(async () => {
      const { results } = await client.folders.search({ body: { query: "heron", vector: [vector.id] } })
      expect(results).toHaveLength(1)
    })
    await client.storage.startBackup()
    await waitFor(async () => {
      expect((await client.storage.backup()).backup?.status).toBe("completed")
    })
    await test.restart()
    expect((await test.client.folders.list()).vectors).toHaveLength(1)
  } finally {
    await test[Symbol.asyncDispose]()
  }
}

// Catches a path that a library treats as a URL, a pattern, an option or an escape sequence.
it("accepts a data directory path with unusual characters", () =>
  useAll(
    join(
      root,
      ` #1 100%20, a=b; 'c' [d]{e} (f) & $HOME ~ città 🦔 日本${process.platform === "win32" ? "" : "\\"}`,
    ),
  ))

it("accepts a long path through a link, relative and with a trailing slash", async () => {
  const long = join(root, "l".repeat(200), "m".repeat(390 - root.length - 202))
  await mkdir(long, { recursive: true })
  await symlink(long, join(root, "link"))
  const { dataDir } = readConfig({ data: `${relative(process.cwd(), join(root, "link"))}/` })
  expect(dataDir).toBe(join(root, "link"))
  await useAll(dataDir)
})

// Catches a stack trace, and a start that never finishes.
it.each(["dangling", "loop", "file/below", "n".repeat(300), "/proc/nothing"])(
  "refuses a path that leads nowhere: %.20s",
  { tags: "linux" },
  async (name) => {
    await symlink(join(root, "nowhere"), join(root, "dangling")).catch(() => undefined)
    await symlink("loop", join(root, "loop")).catch(() => undefined)
    await writeFile(join(root, "file"), "")
    expect(() => claimDataDirectory(resolve(root, name))).toThrow("be created or isn't a directory")
  },
)

// Catches a stack trace from a library, or documents that wait forever.
it.each([
  ...["what?", 'a"b', "a:b", "a*", "a<b", "a|b", "a\nb", "a\0b"].map((name) => [name, "may not contain"]),
  [join("l".repeat(250), "m".repeat(250), "n".repeat(250), "o".repeat(150)), "at most 400"],
])("refuses an invalid path in one sentence: %j", async (name, why) => {
  const directory = join(root, name)
  expect(() => claimDataDirectory(directory)).toThrow(why)
  if (name.includes("\0") || directory.length > 1000) return
  await mkdir(directory, { recursive: true })
  const link = join(root, `link-${Buffer.from(name).toString("hex").slice(0, 20)}`)
  await symlink(directory, link)
  expect(() => claimDataDirectory(link)).toThrow(why)
})
