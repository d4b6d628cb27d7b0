import { randomBytes } from "node:crypto"
import { rm, statfs, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { sql } from "kysely"
import { afterAll, describe, expect, test } from "vitest"
import { startFolderServer, type FolderServer } from "../../../testing/folder-server.ts"
import { mountSmallDisk } from "../../../testing/disk.ts"

const disk = await mountSmallDisk("64m")
afterAll(() => disk[Symbol.asyncDispose]())

/** Returns text that needs about half its length on disk, however it is compressed. */
const words = (bytes: number) =>
  Array.from({ length: bytes / 16 }, () => randomBytes(8).toString("hex").slice(0, 15)).join(" ")

async function findIn(server: FolderServer, vectorId: string, query: string): Promise<string[]> {
  const { results } = await server.getClient("alice").folders.search({ body: { query, vector: [vectorId] } })
  return [...new Set(results.map(({ fileName }) => fileName))].toSorted()
}

/** Creates a folder with one indexed file and two larger ones that wait because the folder is paused. */
async function fillFolder(server: FolderServer) {
  const client = server.getClient("alice")
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

describe("A full database", () => {
  // Catches files that wait without a reason, are counted as failed, or need a restart of the box.
  test("keeps files waiting, says so, and resumes by itself when there is space", async () => {
    await using server = await startFolderServer({ pauseMs: 50 })
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
  // Catches files that fail permanently, are half indexed, or stay out of the index, wherever the space ran out.
  test("keeps indexed files searchable and indexes the rest when there is space", async () => {
    await using server = await startFolderServer({ dataDir: join(disk.path, "data"), pauseMs: 200 })
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
