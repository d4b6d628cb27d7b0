import { expect, test } from "vitest"
import { createMemoryFile } from "../document/document-file.ts"
import { ParseFailure } from "../parser.ts"
import { zipBytes } from "../testing/office-files.ts"
import { ZipArchive } from "./zip-archive.ts"

const open = (bytes: Uint8Array): Promise<ZipArchive> => ZipArchive.open(createMemoryFile(bytes))

async function getSize(archive: ZipArchive, name: string): Promise<number> {
  let size = 0
  for await (const chunk of archive.read(name)) size += chunk.length
  return size
}

test("accepts junk after the archive, a wrong comment length, and names in Windows notation", async () => {
  const bytes = zipBytes({ "Word\\Document.xml": "content" })
  bytes.writeUInt16LE(77, bytes.length - 2)
  const archive = await open(Buffer.concat([bytes, Buffer.alloc(60_000, 1)]))
  expect(archive.has("word/document.xml")).toBe(true)
  expect(await getSize(archive, "/WORD/document.xml")).toBe(7)
  expect(await getSize(archive, "missing")).toBe(0)
})

test("fails for an entry that is larger or smaller than declared, or damaged inside", async () => {
  const bytes = zipBytes({ a: "content ".repeat(100) })
  for (const size of [1, 1_000_000]) {
    const lying = Buffer.from(bytes)
    lying.writeUInt32LE(size, lying.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 24)
    const archive = await open(lying)
    await expect(getSize(archive, "a")).rejects.toThrow(ParseFailure)
  }
  const damaged = Buffer.from(bytes).fill(0xff, 33, 40)
  const archive = await open(damaged)
  await expect(getSize(archive, "a")).rejects.toThrow("damaged")
})

// Covers 42.zip and similar bombs: small files that decompress to more than any memory.
test("refuses entries that decompress to more than 1 GB together", async () => {
  const bytes = zipBytes({ a: Buffer.alloc(200_000_000) })
  expect(bytes.length).toBeLessThan(300_000)
  const archive = await open(bytes)
  const all = async (): Promise<void> => {
    for (let time = 0; time < 6; time++) await getSize(archive, "a")
  }
  await expect(all()).rejects.toThrow("larger than 1 GB")
})

test("refuses too many entries, a missing end, and other file types", async () => {
  const entries = Object.fromEntries(Array.from({ length: 20_001 }, (_, index) => [`${index}`, ""]))
  await expect(open(zipBytes(entries))).rejects.toThrow("too many")
  await expect(open(zipBytes({ a: "b" }).subarray(0, -20))).rejects.toThrow("incomplete")
  await expect(open(Buffer.from("text"))).rejects.toThrow("incomplete")
})
