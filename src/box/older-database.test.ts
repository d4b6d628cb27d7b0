import { existsSync } from "node:fs"
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { startTestBox } from "./testing/test-box.ts"
import { waitFor } from "../shared/testing/wait-for.ts"

let root: string, dataDir: string, documents: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "casella-older-"))
  ;[dataDir, documents] = [join(root, "data"), join(root, "documents")]
  await mkdir(documents)
  await writeFile(join(documents, "heron.txt"), "The heron is a bird.")
})
afterEach(() => rm(root, { recursive: true, force: true }))

// Catches data that only the right database references, and that one start with an older database deletes for good.
it("One start with an older database loses no secret and no file of a chat", async () => {
  await using box = await startTestBox({ dataDir })
  const client = () => box.getClient(box.key)
  const database = join(dataDir, "casella.sqlite")
  const exchange = async (aside: string, put: string) => {
    await box.box[Symbol.asyncDispose]()
    await rename(database, join(root, aside))
    await cp(join(root, put), database)
    await box.restart()
  }
  await box.box[Symbol.asyncDispose]()
  await cp(database, join(root, "older"))
  await box.restart()
  const target = { kind: "http" as const, url: "http://127.0.0.1:9/mcp" }
  const { integration } = await client().integrations.add({
    body: { name: "Tools", target, token: "a-token" },
  })
  await client().settings.update({ body: { webSearch: { provider: "brave", apiKey: "a-search-key" } } })
  const made = join(dataDir, "chat-files", "of-a-chat")
  await mkdir(made, { recursive: true })

  await exchange("newer", "older")
  await exchange("older-again", "newer")
  const { hasToken } = (await client().integrations.read({ params: { key: integration.key } })).integration
  expect(hasToken).toBe(true)
  const secrets = await readFile(join(dataDir, "secrets.json"), "utf8")
  for (const secret of ["a-token", "a-search-key"]) expect(secrets).toContain(secret)
  expect(existsSync(made)).toBe(true)
})

// Catches passages that are never found again because database and index both record a clean shutdown.
it.each([
  ["casella.sqlite", ["heron.txt", "magpie.txt"]],
  ["index", ["magpie.txt"]],
])(
  "An older %s that replaced the current one while the box was off is detected, and the index matches the database",
  async (part, expected) => {
    await using box = await startTestBox({ dataDir })
    const client = () => box.getClient(box.key)
    const uploads = (await client().folders.create({ body: { name: "Uploads" } })).vector.id
    const followed = (await client().folders.create({ body: { name: "Followed", folder: documents } })).vector
    const finds = (names: string[]) =>
      waitFor(async () => {
        const vector = (await client().folders.list()).vectors.map(({ id }) => id)
        const { results } = await client().folders.search({ body: { query: "bird", vector } })
        expect(results.map(({ fileName }) => fileName).toSorted()).toEqual(names)
      })

    await finds(["heron.txt"])
    await box.box[Symbol.asyncDispose]()
    await cp(join(dataDir, part), join(root, "older"), { recursive: true, preserveTimestamps: true })
    await box.restart()
    const file = new Blob(["The magpie is a bird."])
    await client().files.upload({ params: { id: uploads }, file, fileName: "magpie.txt" })
    await client().folders.remove({ params: { id: followed.id } })
    await finds(["magpie.txt"])
    await box.box[Symbol.asyncDispose]()
    await rm(join(dataDir, part), { recursive: true })
    await cp(join(root, "older"), join(dataDir, part), { recursive: true, preserveTimestamps: true })
    await box.restart()
    await finds(expected)
  },
)
