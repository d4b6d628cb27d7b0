import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs"
import { rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { AppError } from "../../../shared/contract/errors.ts"
import { mountSmallDisk } from "../../testing/small-disk.ts"
import { reservePath } from "../data-layout.ts"
import { silentLogger } from "../logging/logger.ts"
import { freeReserveIfFull, openDiskReserve } from "./disk-reserve.ts"
import { Sentence } from "../../../shared/sentences/sentence.ts"

const disk = await mountSmallDisk("100m")
const directory = reservePath(disk.path)
afterEach(async () => {
  disk.makeRoom()
  await rm(directory, { recursive: true, force: true })
})
afterAll(() => disk[Symbol.asyncDispose]())
const free = () => {
  const { bavail, bsize } = statfsSync(disk.path)
  return bavail * bsize
}

describe("The reserve", { tags: "mount" }, () => {
  // Would catch: a reserve that takes no room, stays while it is needed, or is never made again.
  it("gives its room to what needs it on a full disk, and is made again", async () => {
    const before = free()
    await using reserve = openDiskReserve(disk.path, silentLogger)
    await reserve.keep()
    expect(before - free()).toBeGreaterThanOrEqual(16 * 2 ** 20)
    disk.fill()
    const file = join(disk.path, "needed")
    const write = () => writeFile(file, Buffer.alloc(2 ** 20))
    await expect(write()).rejects.toMatchObject({ code: "ENOSPC" })
    await reserve.orFree(write)
    await reserve.keep() // there is no room for it
    expect(existsSync(directory)).toBe(false)
    disk.makeRoom()
    await rm(file)
    await reserve.keep()
    expect(readdirSync(directory)).toHaveLength(16)
  })

  // Would catch: a box that has none in its first half minute, or that a full disk keeps from starting.
  it("is made at the start, where there is room", async () => {
    disk.fill()
    await openDiskReserve(disk.path, silentLogger)[Symbol.asyncDispose]()
    disk.makeRoom()
    await using reserve = openDiskReserve(disk.path, silentLogger)
    const made = () => existsSync(directory) && readdirSync(directory).length
    await expect.poll(made).toBe(16)
    await reserve.keep()
  })

  // Would catch: work that is done twice, or a reserve given up, for another reason.
  it("is left alone when something else is wrong", async () => {
    await using reserve = openDiskReserve(disk.path, silentLogger)
    await reserve.keep()
    let tries = 0
    const refused = reserve.orFree(() => {
      tries++
      return Promise.reject(new AppError("conflict", Sentence.asIs("Not now.")))
    })
    await expect(refused).rejects.toThrow("Not now.")
    freeReserveIfFull(disk.path)
    expect([tries, readdirSync(directory).length]).toEqual([1, 16])
  })
})

// Would catch: 16 MB in a directory that took the place of the data directory, or another box's reserve that is deleted.
it("leaves a directory alone that isn't the box's own any more", async () => {
  const other = mkdtempSync(join(tmpdir(), "casella-reserve-"))
  let isKept = false
  await using reserve = openDiskReserve(other, silentLogger, () => isKept)
  await reserve.keep()
  expect(readdirSync(other)).toEqual([])
  isKept = true
  await reserve.keep()
  expect(readdirSync(reservePath(other))).toHaveLength(16)
  isKept = false
  const full = Object.assign(new Error("full"), { code: "ENOSPC" })
  await expect(reserve.orFree(() => Promise.reject(full))).rejects.toBe(full)
  expect(readdirSync(reservePath(other))).toHaveLength(16)
  rmSync(other, { recursive: true })
})
