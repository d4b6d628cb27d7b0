import { randomBytes } from "node:crypto"
import { rm, statfs, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { sql } from "kysely"
import { afterAll, describe, expect, test } from "vitest"
import { startFolderServer, type FolderServer } from "../../../testing/folder-server.ts"
import { mountSmallDisk } from "../../../testing/small-disk.ts"

const disk = await mountSmallDisk("64m")
afterAll(() => disk[Symbol.asyncDispose]())

/** Text that takes about half as much room as it is long, however it is compressed. */
const words = (bytes: number) =>
  Array.from({ length: bytes / 16 }, () => randomBytes(8).toString("hex").slice(0, 15)).join(" ")

async function findIn(server: FolderServer, vectorId: string, query: string): Promise<string[]> {
  const { results } = await server.clientOf("alice").folders.search({ body: { query, vector: [vectorId] } })
  return [...new Set(results.map(({ fileName }) => fileName))].toSorted()
}

/** A folder with one file that is indexed, and two larger ones that wait because it is paused. */
async function fillFolder(server: FolderServer) {
  const client = server.clientOf("alice")
  const { vector } = await client.folders.create({ body: { name: "Small" } })
  const params = { id: vector.id }
  const upload = (fileName: string, text: string) =>
    client.files.upload({ params, file: new Blob([text]), fileName })
  await upload("before.txt", "a walrus from before")
  await server.fileIs("before.txt", "completed")
  await client.folders.update({ params, body: { paused: true } })
  for (const name of ["one.txt", "two.txt"]) await upload(name, `zebra ${words(300_000)}`)
  const begin = () => client.folders.update({ params, body: { paused: false } })
  return { id: vector.id, begin }
}

describe("A database without room", () => {
  // Would catch: files that wait without a word of why, count as failed, or need a new start of the box.
  test("lets files wait, says so, and goes on by itself once there is room", async () => {
    await using server = await startFolderServer({ restMs: 50 })
    const { id, begin } = await fillFolder(server)
    const limit = (pages: string) => sql`PRAGMA max_page_count = ${sql.raw(pages)}`.execute(server.db)
    const { rows } = await sql<{ page_count: number }>`PRAGMA page_count`.execute(server.db)
    await limit(String((rows[0]?.page_count ?? 0) + 8))
    const waits = server.pushed(
      ({ message }) => message.type === "file" && message.file.note?.startsWith("The disk is full") === true,
    )
    await begin()
    expect((await waits).message).toMatchObject({ file: { status: "queued", error: null } })
    expect(await findIn(server, id, "walrus")).toEqual(["before.txt"])

    await limit("1073741823")
    for (const name of ["one.txt", "two.txt"])
      expect(await server.fileIs(name, "completed")).toMatchObject({ note: null, error: null, attempts: 1 })
    expect(await findIn(server, id, "zebra")).toEqual(["one.txt", "two.txt"])
  })
})

describe("A disk that fills up while files are indexed", { tags: "mount" }, () => {
  // Would catch: files that fail for good, that are half in the index, or that stay out of it, wherever the room ran out.
  test("leaves what was found findable, and the rest is indexed once there is room", async () => {
    await using server = await startFolderServer({ dataDir: join(disk.path, "data"), restMs: 200 })
    const { id, begin } = await fillFolder(server)
    const filler = join(disk.path, "filler")
    const { bavail, bsize } = await statfs(disk.path)
    await writeFile(filler, Buffer.alloc(bavail * bsize - 200_000))
    await begin()
    await server.ingestion.whenIdle()
    expect(await findIn(server, id, "walrus")).toEqual(["before.txt"])
    expect(await findIn(server, id, "zebra")).toEqual([])

    await rm(filler)
    for (const name of ["one.txt", "two.txt"])
      expect(await server.fileIs(name, "completed")).toMatchObject({ error: null, attempts: 1 })
    expect(await findIn(server, id, "zebra")).toEqual(["one.txt", "two.txt"])
  })
})
