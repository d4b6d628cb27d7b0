import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs"
import { rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { AppError } from "../../../shared/contract/errors.ts"
import { mountSmallDisk } from "../../testing/disk.ts"
import { reservePath } from "../data-layout.ts"
import { silentLogger } from "../logging/logger.ts"
import { freeReserveIfFull, openDiskReserve } from "./disk-space.ts"
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
  // Catches a reserve that uses no space, stays while it is needed, or is never created again.
  it("releases its space on a full disk, and is created again", async () => {
    const before = free()
    await using reserve = openDiskReserve(disk.path, silentLogger)
    await reserve.keep()
    expect(before - free()).toBeGreaterThanOrEqual(16 * 2 ** 20)
    disk.fill()
    const file = join(disk.path, "needed")
    const write = () => writeFile(file, Buffer.alloc(2 ** 20))
    await expect(write()).rejects.toMatchObject({ code: "ENOSPC" })
    await reserve.withReserve(write)
    await reserve.keep() // there is no room for the reserve
    expect(existsSync(directory)).toBe(false)
    disk.makeRoom()
    await rm(file)
    await reserve.keep()
    expect(readdirSync(directory)).toHaveLength(16)
  })

  // Catches a box that has no reserve in its first half minute, or that can't start on a full disk.
  it("is created at the start if there is room", async () => {
    disk.fill()
    await openDiskReserve(disk.path, silentLogger)[Symbol.asyncDispose]()
    disk.makeRoom()
    await using reserve = openDiskReserve(disk.path, silentLogger)
    const made = () => existsSync(directory) && readdirSync(directory).length
    await expect.poll(made).toBe(16)
    await reserve.keep()
  })

  // Catches work that is repeated, or a reserve that is released, for another reason.
  it("isn't released for any other error", async () => {
    await using reserve = openDiskReserve(disk.path, silentLogger)
    await reserve.keep()
    let tries = 0
    const refused = reserve.withReserve(() => {
      tries++
      return Promise.reject(new AppError("conflict", Sentence.asIs("Not now.")))
    })
    await expect(refused).rejects.toThrow("Not now.")
    freeReserveIfFull(disk.path)
    expect([tries, readdirSync(directory).length]).toEqual([1, 16])
  })
})

// Catches 16 MB that are written to a directory which replaced the data directory, and another box's reserve that is deleted.
it("ignores a directory that doesn't belong to the box any more", async () => {
  const other = mkdtempSync(join(tmpdir(), "casella-reserve-"))
  let isInPlace = false
  await using reserve = openDiskReserve(other, silentLogger, () => isInPlace)
  await reserve.keep()
  expect(readdirSync(other)).toEqual([])
  isInPlace = true
  await reserve.keep()
  expect(readdirSync(reservePath(other))).toHaveLength(16)
  isInPlace = false
  const full = Object.assign(new Error("full"), { code: "ENOSPC" })
  await expect(reserve.withReserve(() => Promise.reject(full))).rejects.toBe(full)
  expect(readdirSync(reservePath(other))).toHaveLength(16)
  rmSync(other, { recursive: true })
})
