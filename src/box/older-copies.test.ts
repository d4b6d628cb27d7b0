import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { startTestBox } from "./testing/test-box.ts"

let root: string, dataDir: string, documents: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "casella-older-"))
  ;[dataDir, documents] = [join(root, "data"), join(root, "documents")]
  await mkdir(documents)
  await writeFile(join(documents, "heron.txt"), "The heron is a bird.")
})
afterEach(() => rm(root, { recursive: true, force: true }))

// Would catch: passages that are never found again, because database and index both say that they ended as they should.
it.each([
  ["casella.sqlite", ["heron.txt", "magpie.txt"]],
  ["index", ["magpie.txt"]],
])(
  "An older %s that is put in its place while the box is off is noticed, and the index is the database's",
  { timeout: 60_000 },
  async (part, expected) => {
    await using box = await startTestBox({ dataDir })
    const client = () => box.clientOf(box.key)
    const uploads = (await client().folders.create({ body: { name: "Uploads" } })).vector.id
    const followed = (await client().folders.create({ body: { name: "Followed", folder: documents } })).vector
    const finds = (names: string[]) =>
      vi.waitFor(async () => {
        const vector = (await client().folders.list()).vectors.map(({ id }) => id)
        const { results } = await client().folders.search({ body: { query: "bird", vector } })
        expect(results.map(({ fileName }) => fileName).toSorted()).toEqual(names)
      }, 20_000)

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
