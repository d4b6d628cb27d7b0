import { mkdir, readdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { AppError } from "../../../../shared/contract/errors.ts"
import { startFolderServer } from "../../../testing/folder-server.ts"
import { mountSmallDisk } from "../../../testing/disk.ts"

const disk = await mountSmallDisk("64m")
beforeAll(() => mkdir(join(disk.path, "data"), { recursive: true }))
afterAll(() => disk[Symbol.asyncDispose]())

/** Uploads until an upload is refused, and returns the reason. */
async function fill(one: (number: number) => Promise<void>): Promise<unknown> {
  try {
    for (let number = 0; number < 1_000; number++) await one(number)
    return undefined
  } catch (error) {
    return error
  }
}

describe("with a full disk", { tags: "mount" }, () => {
  // Catches partial files, rows without files, files without rows, and a box that needs a restart afterwards.
  test("uploads return 507 and leave nothing, and everything works again when there is space", async () => {
    const filler = join(disk.path, "filler")
    await writeFile(filler, Buffer.alloc(58_000_000))
    await using server = await startFolderServer({ dataDir: join(disk.path, "data") })
    const client = server.getClient("alice")
    const { vector } = await client.folders.create({ body: { name: "Small" } })
    const params = { id: vector.id }
    await client.folders.update({ params, body: { paused: true } })
    const upload = (name: string, bytes: number) =>
      client.files.upload({ params, file: new Blob([`walrus ${"x".repeat(bytes)}`]), fileName: name })

    const stored: string[] = []
    const refused = await fill(async (number) => {
      await upload(`n${number}.txt`, number < 20 ? 400_000 : 2_000)
      stored.push(`n${number}.txt`)
    })
    expect(refused).toBeInstanceOf(AppError)
    expect(refused).toMatchObject({ code: "disk_full", status: 507 })
    expect((await readdir(vector.folder)).sort()).toEqual(stored.toSorted())
    expect(await readdir(join(server.dataDir, "uploads"))).toEqual([])
    expect(
      (await client.files.list({ params, query: { limit: 500 } })).files.map((file) => file.name),
    ).toEqual(stored)

    await rm(filler)
    await upload("after.txt", 10)
    await client.folders.update({ params, body: { paused: false } })
    await server.ingestion.whenIdle()
    const { total } = await client.files.list({ params, query: { status: "completed" } })
    expect(total).toBe(stored.length + 1)
  })
})
