import { appendFile, mkdtemp, open, readdir, readFile, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { RollingFile } from "./logger.ts"

const limits = { maxFileBytes: 100, maxFiles: 5, maxBacklogBytes: 10_000 }
const fail = (error: Error) => {
  throw error
}
let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-log-"))
})
afterEach(() => rm(directory, { recursive: true }))

const read = (number: number) => readFile(join(directory, `box.${number}.log`), "utf8")
/** A line of 40 bytes, so that two fit into a file. */
const line = (number: number) => `${String(number).padStart(39, "0")}\n`

// Catches a log that grows without limit, loses a line at the end of a file, or splits one.
test("starts a new file when one is full, and keeps only the newest files", async () => {
  const log = await RollingFile.open(directory, limits, fail)
  for (let number = 0; number < 20; number += 1) log.write(line(number))
  await log.close()
  expect((await readdir(directory)).toSorted()).toEqual([10, 6, 7, 8, 9].map((number) => `box.${number}.log`))
  expect(await read(6)).toBe(line(10) + line(11))
  expect(await read(10)).toBe(line(18) + line(19))
})

test("writes a line that is larger than a file to its own file", async () => {
  const log = await RollingFile.open(directory, limits, fail)
  const long = `${"x".repeat(200)}\n`
  for (const text of [line(1), long, line(2)]) log.write(text)
  await log.close()
  expect([await read(1), await read(2), await read(3)]).toEqual([line(1), long, line(2)])
})

// Catches files of earlier runs that are never deleted, and a first line that is appended to an unfinished one after a crash.
test("continues the newest file on a new line after a crash", async () => {
  await appendFile(join(directory, "box.3.log"), "old\n")
  await appendFile(join(directory, "box.9.log"), '{"level":"in')
  await appendFile(join(directory, "notes.txt"), "not a log")
  const log = await RollingFile.open(directory, limits, fail)
  for (const number of [1, 2, 3]) log.write(line(number))
  await log.close()
  expect(await read(9)).toBe(`{"level":"in\n${line(1)}${line(2)}`)
  expect((await readdir(directory)).toSorted()).toEqual(["box.10.log", "box.9.log", "notes.txt"])
})

type Write = (text: Buffer) => Promise<{ bytesWritten: number }>

/** Makes writing fail as on a full disk, after `bytes` more bytes, until the mock is restored. */
async function fillDisk(bytes: number) {
  const probe = await open(join(directory, "probe"), "w")
  const handles = Object.getPrototypeOf(probe) as { write: Write }
  await probe.close()
  await rm(join(directory, "probe"))
  let left = bytes
  const { write } = handles
  return vi.spyOn(handles, "write").mockImplementation(async function (this: unknown, text) {
    if (left === 0) throw new Error("ENOSPC: no space left on device")
    const part = text.subarray(0, left)
    left -= part.length
    return write.call(this, part)
  })
}

// Catches a full disk that ends the box, splits a line, or loses lines in the meantime.
test("keeps lines while the disk is full, and writes them whole when there is room", async () => {
  const errors: string[] = []
  const log = await RollingFile.open(directory, { ...limits, maxBacklogBytes: 200 }, (error) =>
    errors.push(error.message),
  )
  using full = await fillDisk(10)
  log.write(line(1))
  await vi.waitFor(() => expect(errors).toHaveLength(1))
  for (const number of [2, 3, 4, 5, 6]) log.write(line(number)) // the rest of line 1 and four more lines fit
  await vi.waitFor(() => expect(errors.length).toBeGreaterThan(1))
  expect((await stat(join(directory, "box.1.log"))).size).toBe(10)
  full.mockRestore()
  await log.close()
  expect(await read(1)).toBe(line(1) + line(2))
  expect(await read(2)).toBe(line(3) + line(4))
  expect(await read(3)).toBe(line(5))
})
