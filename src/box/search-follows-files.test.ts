import { cp, mkdtempDisposable, realpath, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { indexPath } from "./core/data-layout.ts"
import { copyWhileUsed } from "./testing/disk.ts"
import { startTestBox, type TestBox } from "./testing/test-box.ts"

let box: TestBox
let folder: string
beforeEach(async () => {
  box = await startTestBox()
  folder = (await box.client.folders.create({ body: { name: "Notes" } })).vector.id
})
afterEach(() => box[Symbol.asyncDispose]())

const upload = async (fileName: string, text: string) => {
  const { files } = await box.client.files.upload({
    params: { id: folder },
    file: new Blob([text]),
    fileName,
  })
  return files[0]?.id ?? ""
}
const find = async (query: string) =>
  (await box.client.folders.search({ body: { query, vector: [folder] } })).results
const finds = (query: string, length: number) =>
  expect.poll(async () => (await find(query)).length).toBe(length)

// Catches results with text or locations from a file's previous version, and deleted files that are still found until the index catches up.
test("never shows replaced or deleted text, and locations match the new text", async () => {
  const fileId = await upload("tale.md", "# One\n\nThe walrus sleeps.\n\n# Two\n\nThe penguin waits.")
  await finds("walrus", 1)
  // One passage contains both words; each result cites its own line.
  expect((await find("walrus"))[0]?.location).toEqual({ line: 3, heading: "One" })
  expect((await find("penguin"))[0]?.location).toEqual({ line: 7, heading: "Two" })
  const text = `# One\n\nNobody sleeps.\n\n${"Snow falls all day long. ".repeat(60)}\n\n# Three\n\nThe penguin swims.`
  await box.client.files.replace({
    params: { id: folder, fileId },
    file: new Blob([text]),
    fileName: "tale.md",
  })
  const seen: string[] = []
  const swims = async () => {
    seen.push(...(await find("walrus penguin waits")).map((passage) => passage.text))
    return (await find("penguin swims"))[0]?.location.heading
  }
  await expect.poll(swims).toBe("Three")
  expect(seen.filter((passage) => /walrus|waits/.test(passage))).toEqual([])

  await box.client.files.remove({ params: { id: folder, fileId } })
  expect(await find("penguin")).toEqual([])
})

// Catches an index that a crash left behind the database: lost entries that aren't restored, or deleted ones that are still shown.
test("brings an index that missed the last changes up to date at the next start", async () => {
  const gone = await upload("gone.txt", "a walrus that goes")
  await finds("walrus", 1)
  const copy = join(box.dataDir, "index-before")
  await copyWhileUsed(indexPath(box.dataDir), copy)
  await upload("late.txt", "a penguin that comes")
  await finds("penguin", 1)
  await box.client.files.remove({ params: { id: folder, fileId: gone } })
  await box.restart()
  await finds("penguin", 1)
  await box.box[Symbol.asyncDispose]()
  await rm(indexPath(box.dataDir), { recursive: true })
  await cp(copy, indexPath(box.dataDir), { recursive: true })
  await box.restart()
  await finds("penguin", 1)
  expect(await find("walrus")).toEqual([])
})

// Catches files that are found only by their text, old names that still match after a rename, and results from other folders.
test("finds files by their current names", async () => {
  await using disk = await mkdtempDisposable(join(tmpdir(), "papers-"))
  const root = await realpath(disk.path)
  await writeFile(join(root, "Invoice_2023.txt"), "Twelve pears and a basket.")
  await writeFile(join(root, "other.txt"), "The invoice of 2023 was paid late.")
  const { vector } = await box.client.folders.create({ body: { name: "Papers", folder: root } })
  const getNames = async (query: string) => {
    const { results } = await box.client.folders.search({ body: { query, vector: [vector.id] } })
    return results.map(({ fileName }) => fileName)
  }
  const names = (query: string) => expect.poll(() => getNames(query))
  await names("invoice 2023").toEqual(["Invoice_2023.txt", "other.txt"])
  expect(await find("invoice 2023")).toEqual([])

  await rename(join(root, "Invoice_2023.txt"), join(root, "Letter to Rossi.txt"))
  await names("letter rossi").toEqual(["Letter to Rossi.txt"])
  await names("invoice 2023").toEqual(["other.txt"])
})
