import { copyFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createTermDictionary, type TermDictionary, type TermSource } from "./term-dictionary.ts"

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined }
const folder = "0190a000-0000-7000-8000-000000000001"
const otherFolder = "0190a000-0000-7000-8000-000000000002"

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "term-dictionary-"))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const open = (state: "new" | "kept" | "doubtful") =>
  createTermDictionary({ directory: join(root, "terms"), state, logger })
const termSource = (words: string, vectorId = folder): TermSource => ({ vectorId, terms: words.split(" ") })
const near = async (dictionary: TermDictionary, word: string, folders = [folder]) =>
  (await dictionary.getTermLookup(folders))?.near(word, 1).map(({ term }) => term)

async function* only(...passages: TermSource[]) {
  yield passages
}

/** Returns everything that is on the disk. */
async function written(): Promise<string> {
  const names = await readdir(join(root, "terms"))
  return (await Promise.all(names.map((name) => readFile(join(root, "terms", name), "utf8")))).join("")
}

// Catches a spelling correction that reveals words from a folder to someone who may not read it.
test("only words of the requested folders are known", async () => {
  const dictionary = open("new")
  await dictionary.add([termSource("harbour ledger"), termSource("harbours severance", otherFolder)])
  const before = await dictionary.getTermLookup([folder])
  expect(before?.has("ledger")).toBe(true) // not yet written
  expect(before?.has("severance")).toBe(false)
  await dictionary.settle(2)
  const terms = await dictionary.getTermLookup([folder])
  expect(terms?.has("severance")).toBe(false)
  expect(await near(dictionary, "severnce")).toEqual([])
  expect(await near(dictionary, "harbouf")).toEqual(["harbour"])
  expect(await near(dictionary, "severnce", [folder, otherFolder])).toEqual(["severance"])
})

// Catches words of a deleted folder that stay on disk or are still used to correct queries.
test("a removed folder's words are deleted immediately", async () => {
  const dictionary = open("new")
  await dictionary.add([termSource("harbour"), termSource("severance", otherFolder)])
  await dictionary.settle(2)
  expect(await near(dictionary, "severnce", [otherFolder])).toEqual(["severance"])
  await dictionary.removeFolders([otherFolder])
  expect(await near(dictionary, "severnce", [otherFolder])).toEqual([])
  expect(await written()).not.toContain("severance")
})

// Catches words of deleted files that stay permanently, even if the box restarts between the deletions.
test("the words of removed files are deleted after a tenth of the passages is removed", async () => {
  const first = open("new")
  await first.add([termSource("severance"), termSource("harbour")])
  await first.passagesRemoved(60)
  expect(await first.settle(940)).toBe(false)
  await first.close()
  const dictionary = open("kept")
  await dictionary.passagesRemoved(60)
  expect(await dictionary.settle(880)).toBe(true)
  await dictionary.renew(only(termSource("harbour")), new AbortController().signal)
  expect(await written()).not.toContain("severance")
  expect(await near(dictionary, "severnce")).toEqual([])
  expect(await near(dictionary, "harbor")).toEqual(["harbour"])
  expect(await dictionary.settle(880)).toBe(false)
})

// Catches a dictionary that lacks words after a crash and treats correct words as misspelt.
test("a dictionary that wasn't closed properly isn't used until it is rebuilt", async () => {
  const crashed = open("new")
  await crashed.add([termSource("harbour")])
  await crashed.settle(1)
  await crashed.add([termSource("harbours")])
  const dictionary = open("doubtful")
  expect(await dictionary.getTermLookup([folder])).toBeNull()
  expect(await dictionary.settle(2)).toBe(true)
  const stopped = new AbortController()
  stopped.abort()
  await dictionary.renew(only(termSource("harbour")), stopped.signal)
  expect(await dictionary.getTermLookup([folder])).toBeNull()
  await dictionary.renew(only(termSource("harbour harbours")), new AbortController().signal)
  expect((await dictionary.getTermLookup([folder]))?.has("harbours")).toBe(true)
  await dictionary.close()
  expect((await open("kept").getTermLookup([folder]))?.has("harbours")).toBe(true)
})

// Catches an index without dictionary files, from an older version or after a loss, in which misspelt words are never found.
test("a dictionary without files requests a rebuild", async () => {
  const dictionary = open("kept")
  expect(await dictionary.getTermLookup([folder])).toBeNull()
  expect(await dictionary.settle(1)).toBe(true)
})

// Catches a search that fails, hangs or treats half a word as a whole one, and words that stay unknown because nothing rebuilds them.
test.each<[string, (path: string) => void]>([
  ["was cut short", (path) => truncateSync(path, 14)],
  ["was emptied", (path) => truncateSync(path, 0)],
  ["is gone", (path) => rmSync(path)],
  ["begins with an empty line", (path) => writeFileSync(path, "\n")],
  ["was overwritten in the middle", (path) => writeFileSync(path, `${readFileSync(path, "utf8")}z\na\n`)],
  ["is another folder's", (path) => copyFileSync(path.replace(folder, otherFolder), path)],
  ["is too large for memory", (path) => truncateSync(path, 2 ** 31)],
  ["is a directory", (path) => (rmSync(path), mkdirSync(path))],
])("a file that %s isn't used, and is rebuilt", async (_, damage) => {
  const first = open("new")
  await first.add([termSource("harbour ledger"), termSource("severance", otherFolder)])
  await first.close()
  damage(join(root, "terms", folder))
  const dictionary = open("kept")
  expect(await dictionary.getTermLookup([folder])).toBeNull()
  expect(await dictionary.settle(2)).toBe(true)
  await dictionary.renew(only(termSource("harbour ledger")), new AbortController().signal)
  expect(await near(dictionary, "harbouf")).toEqual(["harbour"])
})

// Catches words lost in a crash that no later start looks for, because the start after the crash had no work.
test("a dictionary that a run after a crash didn't rebuild isn't treated as complete by the next run", async () => {
  const first = open("new")
  await first.add([termSource("harbour")])
  await first.close()
  const crashed = open("kept")
  await crashed.add([termSource("ledger")])
  await open("doubtful").close()
  expect(await open("kept").getTermLookup([folder])).toBeNull()
})

// Catches passages of one endless word each, which are all kept in memory until there are 200,000.
test("words too long for the dictionary aren't kept in memory", async () => {
  const dictionary = open("new")
  const endless = Array.from({ length: 200_001 }, (_, number) => `${"ab".repeat(40)}${number}`)
  await dictionary.add([termSource(`harbour ${endless.join(" ")}`)])
  expect(await readdir(root)).toEqual([]) // no words have to be written to free memory
})

// Catches hundreds of thousands of words in memory during heavy indexing.
test("pending words are written before there are too many, and numbers and identifiers never are", async () => {
  const dictionary = open("new")
  const letters = (number: number) =>
    Array.from(String(number), (digit) => "abcdefghij"[Number(digit)]).join("")
  const many = Array.from({ length: 200_001 }, (_, number) => letters(1_000_000 + number)).join(" ")
  await dictionary.add([termSource(`${many} inv2024 =inv20240017 ^harbou x 0017 東京 ราค`)])
  expect((await written()).replace(/^.*\n/, "")).toHaveLength(200_001 * 8)
})
