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
const saying = (words: string, vectorId = folder): TermSource => ({ vectorId, terms: words.split(" ") })
const near = async (dictionary: TermDictionary, word: string, folders = [folder]) =>
  (await dictionary.lookUp(folders))?.near(word, 1).map(({ term }) => term)

async function* only(...passages: TermSource[]) {
  yield passages
}

/** All that is on the disk. */
async function written(): Promise<string> {
  const names = await readdir(join(root, "terms"))
  return (await Promise.all(names.map((name) => readFile(join(root, "terms", name), "utf8")))).join("")
}

// Would catch: a correction that tells what the documents of a folder say to somebody who may not read them.
test("only words of the folders that are asked of are known", async () => {
  const dictionary = open("new")
  await dictionary.add([saying("harbour ledger"), saying("harbours severance", otherFolder)])
  const before = await dictionary.lookUp([folder])
  expect(before?.has("ledger")).toBe(true) // not yet written
  expect(before?.has("severance")).toBe(false)
  await dictionary.settle(2)
  const terms = await dictionary.lookUp([folder])
  expect(terms?.has("severance")).toBe(false)
  expect(await near(dictionary, "severnce")).toEqual([])
  expect(await near(dictionary, "harbouf")).toEqual(["harbour"])
  expect(await near(dictionary, "severnce", [folder, otherFolder])).toEqual(["severance"])
})

// Would catch: words of a deleted folder that stay on the disk, or go on correcting what is asked.
test("a removed folder's words go at once", async () => {
  const dictionary = open("new")
  await dictionary.add([saying("harbour"), saying("severance", otherFolder)])
  await dictionary.settle(2)
  expect(await near(dictionary, "severnce", [otherFolder])).toEqual(["severance"])
  await dictionary.removeFolders([otherFolder])
  expect(await near(dictionary, "severnce", [otherFolder])).toEqual([])
  expect(await written()).not.toContain("severance")
})

// Would catch: words of deleted files that linger for ever, also when the box is started anew between the deletions.
test("the words of removed files go once a tenth of the passages is removed", async () => {
  const first = open("new")
  await first.add([saying("severance"), saying("harbour")])
  await first.passagesRemoved(60)
  expect(await first.settle(940)).toBe(false)
  await first.close()
  const dictionary = open("kept")
  await dictionary.passagesRemoved(60)
  expect(await dictionary.settle(880)).toBe(true)
  await dictionary.renew(only(saying("harbour")), new AbortController().signal)
  expect(await written()).not.toContain("severance")
  expect(await near(dictionary, "severnce")).toEqual([])
  expect(await near(dictionary, "harbor")).toEqual(["harbour"])
  expect(await dictionary.settle(880)).toBe(false)
})

// Would catch: a dictionary that lacks words after a crash and takes what is spelt right for something else.
test("what wasn't closed properly tells nothing until it is made anew", async () => {
  const crashed = open("new")
  await crashed.add([saying("harbour")])
  await crashed.settle(1)
  await crashed.add([saying("harbours")])
  const dictionary = open("doubtful")
  expect(await dictionary.lookUp([folder])).toBeNull()
  expect(await dictionary.settle(2)).toBe(true)
  const stopped = new AbortController()
  stopped.abort()
  await dictionary.renew(only(saying("harbour")), stopped.signal)
  expect(await dictionary.lookUp([folder])).toBeNull()
  await dictionary.renew(only(saying("harbour harbours")), new AbortController().signal)
  expect((await dictionary.lookUp([folder]))?.has("harbours")).toBe(true)
  await dictionary.close()
  expect((await open("kept").lookUp([folder]))?.has("harbours")).toBe(true)
})

// Would catch: an index of a version without a dictionary, or one whose files are gone, where misspelt words are never found.
test("where there are no files the dictionary asks to be made", async () => {
  const dictionary = open("kept")
  expect(await dictionary.lookUp([folder])).toBeNull()
  expect(await dictionary.settle(1)).toBe(true)
})

// Would catch: a search that fails, hangs, or takes half a word for one; words that stay unknown because nobody makes them anew.
test.each<[string, (path: string) => void]>([
  ["was cut short", (path) => truncateSync(path, 14)],
  ["was emptied", (path) => truncateSync(path, 0)],
  ["is gone", (path) => rmSync(path)],
  ["begins with an empty line", (path) => writeFileSync(path, "\n")],
  ["was overwritten in the middle", (path) => writeFileSync(path, `${readFileSync(path, "utf8")}z\na\n`)],
  ["is another folder's", (path) => copyFileSync(path.replace(folder, otherFolder), path)],
  ["is too large for memory", (path) => truncateSync(path, 2 ** 31)],
  ["is a directory", (path) => (rmSync(path), mkdirSync(path))],
])("a file that %s tells nothing, and is made anew", async (_, damage) => {
  const first = open("new")
  await first.add([saying("harbour ledger"), saying("severance", otherFolder)])
  await first.close()
  damage(join(root, "terms", folder))
  const dictionary = open("kept")
  expect(await dictionary.lookUp([folder])).toBeNull()
  expect(await dictionary.settle(2)).toBe(true)
  await dictionary.renew(only(saying("harbour ledger")), new AbortController().signal)
  expect(await near(dictionary, "harbouf")).toEqual(["harbour"])
})

// Would catch: words that a crash cut off and that no later start looks for, as the one after the crash found nothing to do.
test("what a run after a crash didn't make anew isn't taken for whole by the next", async () => {
  const first = open("new")
  await first.add([saying("harbour")])
  await first.close()
  const crashed = open("kept")
  await crashed.add([saying("ledger")])
  await open("doubtful").close()
  expect(await open("kept").lookUp([folder])).toBeNull()
})

// Would catch: passages of one endless word each, which were all kept in memory until there were 200,000.
test("words too long to be kept aren't waited with", async () => {
  const dictionary = open("new")
  const endless = Array.from({ length: 200_001 }, (_, number) => `${"ab".repeat(40)}${number}`)
  await dictionary.add([saying(`harbour ${endless.join(" ")}`)])
  expect(await readdir(root)).toEqual([]) // there is nothing to make room for
})

// Would catch: hundreds of thousands of words in memory while much is indexed.
test("what waits is written before it becomes much, and numbers and identifiers never are", async () => {
  const dictionary = open("new")
  const letters = (number: number) =>
    Array.from(String(number), (digit) => "abcdefghij"[Number(digit)]).join("")
  const many = Array.from({ length: 200_001 }, (_, number) => letters(1_000_000 + number)).join(" ")
  await dictionary.add([saying(`${many} inv2024 =inv20240017 ^harbou x 0017 東京 ราค`)])
  expect((await written()).replace(/^.*\n/, "")).toHaveLength(200_001 * 8)
})
