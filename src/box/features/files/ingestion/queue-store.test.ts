import { openTestDatabase } from "../../../core/database/testing/test-database.ts"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { timestamp } from "../../../core/ids.ts"
import { addStoredFolder, watchWrites } from "../../../testing/test-database.ts"
import { createStoredFolders } from "../../folders/store.ts"
import { createQueueStore } from "./queue-store.ts"

const count = 1_800
const maxBatchSize = 500

/** Creates a file that waits to be read again, with passages left by an earlier attempt. */
async function attempted() {
  const directory = await mkdtemp(join(tmpdir(), "casella-queue-"))
  onTestFinished(() => rm(directory, { recursive: true }))
  const database = await openTestDatabase(join(directory, "casella.sqlite"))
  onTestFinished(() => database[Symbol.asyncDispose]())
  const { db } = database
  const now = timestamp()
  const times = { createdAt: now, updatedAt: now }
  await addStoredFolder(db, "folders/folder")
  await db
    .insertInto("files")
    .values({
      id: "file",
      folderId: "folder",
      name: "book.txt",
      subFolder: "",
      searchName: "book.txt",
      nameOrder: "book.txt",
      mimeType: "text/plain",
      size: 1,
      modifiedMs: 1,
      identity: "1:1",
      storage: "local",
      status: "queued",
      phase: "queued",
      progress: 0,
      attempts: 1,
      priority: 0,
      revision: 1,
      chunker: 1,
      leftOut: 0,
      ...times,
    })
    .execute()
  await db
    .insertInto("fileTexts")
    .values({ fileId: "file", position: 0, blocks: Buffer.of(), characters: 0 })
    .execute()
  const passages = Array.from({ length: count }, (_, position) => ({
    id: String(position),
    fileId: "file",
    position,
    text: "heron",
    location: "{}",
  }))
  await db.insertInto("passages").values(passages).execute()
  return { db, directory }
}

// Catches one statement over all passages of a book that is read again, which makes every request wait.
it("removes leftovers of an earlier attempt in statements of limited size", async () => {
  const { db, directory } = await attempted()
  const watched = watchWrites(db)
  const queue = createQueueStore(watched.db, createStoredFolders(db, directory), 1)
  const jobs = await queue.waiting({ ocr: false, jobsPerClaim: 1 })
  expect(await queue.begin(jobs)).toMatchObject({ leftovers: ["file"] })
  expect(watched.largest()).toBe(maxBatchSize)
  expect(await db.selectFrom("passages").select("id").execute()).toEqual([])
  expect(await db.selectFrom("fileTexts").select("fileId").execute()).toEqual([])
})

// Catches one damaged row that stops the reading of every folder's files.
it("finds the next files although the waiting pages of one can't be read", async () => {
  const { db, directory } = await attempted()
  const file = await db.selectFrom("files").selectAll().executeTakeFirstOrThrow()
  await db
    .insertInto("files")
    .values({ ...file, id: "damaged", name: "x", identity: "1:2", waitingPages: "{" })
    .execute()
  const queue = createQueueStore(db, createStoredFolders(db, directory), 1)
  const jobs = await queue.waiting({ ocr: false, jobsPerClaim: 2 })
  expect(jobs.map(({ fileId, waiting }) => [fileId, waiting])).toEqual(
    expect.arrayContaining([
      ["file", null],
      ["damaged", null],
    ]),
  )
})
