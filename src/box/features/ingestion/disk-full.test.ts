import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdtemp, rm, statfs, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { startFolderServer } from "../../testing/folder-server.ts"

const disk = await mkdtemp(join(tmpdir(), "casella-full-"))
const mounted = mountSmallDisk()
afterAll(async () => {
  if (mounted) execFileSync("umount", ["-l", disk])
  await rm(disk, { recursive: true, force: true })
})

function mountSmallDisk(): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", disk], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** Text that takes about half as much room as it is long, however it is compressed. */
const words = (bytes: number) =>
  Array.from({ length: bytes / 16 }, () => randomBytes(8).toString("hex").slice(0, 15)).join(" ")

// Needs the right to mount a file system: run as root to see it.
describe.skipIf(!mounted)("a disk that fills up while files are indexed", () => {
  // Would catch: files that fail for good or are half in the index, no word of why nothing happens, and a box that has to
  // be started again once there is room.
  test("lets them wait, says so, and goes on by itself once there is room", async () => {
    await using server = await startFolderServer({ dataDir: join(disk, "data"), restMs: 200 })
    const client = server.clientOf("alice")
    const { vector } = await client.folders.create({ body: { name: "Small" } })
    const params = { id: vector.id }
    const upload = (fileName: string, text: string) =>
      client.files.upload({ params, file: new Blob([text]), fileName })
    await upload("before.txt", "a walrus from before")
    await server.fileIs("before.txt", "completed")
    await client.folders.update({ params, body: { paused: true } })
    for (const name of ["one.txt", "two.txt"]) await upload(name, `zebra ${words(600_000)}`)

    const filler = join(disk, "filler")
    const { bavail, bsize } = await statfs(disk)
    await writeFile(filler, Buffer.alloc(bavail * bsize - 400_000))
    const waits = server.pushed(
      ({ message }) => message.type === "file" && message.file.note?.startsWith("The disk is full") === true,
    )
    await client.folders.update({ params, body: { paused: false } })
    const { message } = await waits
    expect(message).toMatchObject({ file: { status: "queued", error: null } })
    const search = async (query: string) => {
      const { results } = await client.folders.search({ body: { query, vector: [vector.id] } })
      return [...new Set(results.map(({ fileName }) => fileName))].toSorted()
    }
    expect(await search("walrus")).toEqual(["before.txt"])

    await rm(filler)
    for (const name of ["one.txt", "two.txt"])
      expect(await server.fileIs(name, "completed")).toMatchObject({ note: null, error: null, attempts: 1 })
    expect(await search("zebra")).toEqual(["one.txt", "two.txt"])
  }, 120_000)
})
