import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import type { SocketMessage } from "../../../../shared/contract/socket.ts"
import { waitFor } from "../../../../shared/testing/wait-for.ts"
import { spawnNodeChild } from "../../../core/children/child.ts"
import { silentLogger } from "../../../core/logging/logger.ts"
import type { Block } from "../../../parsers/parser.ts"
import { createDocumentReader, type DocumentReader } from "../../../parsers/process/document-reader.ts"
import {
  startFolderServer,
  type FolderServer,
  type FolderServerOptions,
  type TestEmbedder,
} from "../../../testing/folder-server.ts"
import { chooseJobs, createLastServed } from "./lane.ts"
import { createGroupCommit } from "./job-indexer.ts"
import type { Job } from "./job.ts"

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-ingest-"))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

const start = (options: FolderServerOptions = {}) => startFolderServer({ dataDir, ...options })

async function makeFolder(server: FolderServer, name = "Notes"): Promise<string> {
  return (await server.getClient("alice").folders.create({ body: { name } })).vector.id
}

async function upload(server: FolderServer, id: string, text: string, fileName: string): Promise<string> {
  const receipt = await server
    .getClient("alice")
    .files.upload({ params: { id }, file: new Blob([text]), fileName })
  return receipt.files[0]?.id ?? ""
}

const getState = async (server: FolderServer, id: string, fileId: string) =>
  (await server.getClient("alice").files.read({ params: { id, fileId } })).file

async function find(server: FolderServer, id: string, query: string): Promise<string[]> {
  const { results } = await server.getClient("alice").folders.search({ body: { query, vector: [id] } })
  return results.map((passage) => passage.fileId)
}

/** Settles when the files are completed, failed or skipped. */
async function settled(server: FolderServer, fileIds: string[]): Promise<void> {
  const open = new Set(fileIds)
  let changed = Promise.withResolvers<void>()
  server.listen(() => changed.resolve())
  for (;;) {
    changed = Promise.withResolvers()
    const rows = await server.db.selectFrom("files").select(["id", "status"]).execute()
    for (const { id, status } of rows) if (status !== "queued" && status !== "processing") open.delete(id)
    if (open.size === 0) return
    await changed.promise
  }
}

// Catches documents that are read into another directory in place of the data directory, or that fail because of it.
test("reads nothing while the data directory isn't in its place, and resumes when it is back", async () => {
  let isInPlace = false
  let asked = 0
  await using server = await start({ pauseMs: 50, isInPlace: () => (asked++, isInPlace) })
  const id = await makeFolder(server)
  const fileId = await upload(server, id, "a walrus", "one.txt")
  const before = asked
  await expect.poll(() => asked).toBeGreaterThan(before + 1)
  expect(await getState(server, id, fileId)).toMatchObject({ status: "queued", attempts: 0 })
  isInPlace = true
  await settled(server, [fileId])
  expect(await getState(server, id, fileId)).toMatchObject({ status: "completed", attempts: 1 })
})

/** A reader that waits before each document until `open` is called. */
function gatedReader(): {
  reader: Pick<DocumentReader, "read"> & AsyncDisposable
  started: Promise<void>
  open(): void
} {
  const inner = createDocumentReader({ spawn: spawnNodeChild, logger: silentLogger })
  const started = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  return {
    reader: {
      async *read(input, options) {
        started.resolve()
        const { signal } = options ?? {}
        const ended = new Promise<never>((_, reject) => {
          signal?.addEventListener("abort", () => reject(new Error("aborted")), { once: true })
        })
        await Promise.race([gate.promise, ended])
        yield* inner.read(input, options)
      },
      [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
    },
    started: started.promise,
    open: () => gate.resolve(),
  }
}

/** Returns three numbers per text; the real engine is tested separately. Fails while `broken`. */
function smallEmbedder(id: string): TestEmbedder & { broken: boolean; seen: string[] } {
  return {
    modelId: id,
    broken: false,
    getExcludedFolders: () => Promise.resolve(new Set()),
    seen: [],
    dimensions: () => Promise.resolve(3),
    embed(texts) {
      if (this.broken) return Promise.reject(new Error("The model is broken."))
      this.seen.push(...texts)
      return Promise.resolve(
        texts.map((text) => new Float32Array(text.includes("cat") ? [1, 0, 0] : [0, 1, 0])),
      )
    },
  }
}

describe("after a shutdown during work", () => {
  // Catches files that stay in work forever, are indexed twice or lose passages after a restart.
  test("files continue where they were", async () => {
    const gated = gatedReader()
    let id: string
    let fileIds: string[]
    {
      await using reader = gated.reader
      await using server = await start({ reader })
      id = await makeFolder(server)
      fileIds = [
        await upload(server, id, "first walrus", "a.txt"),
        await upload(server, id, "second walrus", "b.txt"),
      ]
      await gated.started
      // The state after a crash: a file in work with part of its text stored.
      await server.ingestion[Symbol.asyncDispose]()
      await server.db
        .updateTable("files")
        .set({ status: "processing", phase: "indexing", attempts: 1 })
        .where("id", "=", fileIds[0] ?? "")
        .execute()
      const half = { id: "00000000-0000-7000-8000-000000000001", fileId: fileIds[0] ?? "", position: 0 }
      await server.db
        .insertInto("passages")
        .values({ ...half, text: "half walrus", location: "{}" })
        .execute()
      const blocks = Buffer.from("damaged")
      await server.db.insertInto("fileTexts").values({ fileId: half.fileId, position: 0, blocks }).execute()
    }
    await using server = await start()
    await server.ingestion.whenIdle()
    for (const fileId of fileIds) {
      expect(await getState(server, id, fileId)).toMatchObject({ status: "completed", attempts: 1 })
      const passages = await server.db
        .selectFrom("passages")
        .select("text")
        .where("fileId", "=", fileId)
        .execute()
      expect(passages).toHaveLength(1)
    }
    expect((await find(server, id, "walrus")).sort()).toEqual(fileIds.toSorted())
  })
})

describe("a file that changes while it is read", () => {
  // Catches text of the old content that is stored for the new one.
  test("is indexed with its new content only", async () => {
    const gated = gatedReader()
    await using reader = gated.reader
    await using server = await start({ reader })
    const client = server.getClient("alice")
    const id = await makeFolder(server)
    const fileId = await upload(server, id, "old walrus", "a.txt")
    await gated.started
    await client.files.replace({ params: { id, fileId }, file: new Blob(["new penguin"]), fileName: "a.txt" })
    gated.open()
    await server.ingestion.whenIdle()
    expect(await find(server, id, "walrus")).toEqual([])
    expect(await find(server, id, "penguin")).toEqual([fileId])
  })

  // Catches passages of deleted files, and work that continues for them.
  test("leaves nothing if it or its folder is deleted", async () => {
    const gated = gatedReader()
    await using reader = gated.reader
    await using server = await start({ reader })
    const client = server.getClient("alice")
    const [id, other] = [await makeFolder(server), await makeFolder(server, "Other")]
    const fileId = await upload(server, id, "walrus", "a.txt")
    await upload(server, other, "walrus", "b.txt")
    await gated.started
    await client.files.remove({ params: { id, fileId } })
    await client.folders.remove({ params: { id: other } })
    gated.open()
    await server.ingestion.whenIdle()
    expect(await find(server, id, "walrus")).toEqual([])
    await server.endDeletions()
    for (const table of ["files", "fileTexts", "passages"] as const) {
      expect(await server.db.selectFrom(table).selectAll().execute()).toEqual([])
    }
    expect(await find(server, id, "walrus")).toEqual([])
    expect(await server.index.keyword("walrus", [id, other], 10)).toEqual([])
  })

  // Catches a paused folder that is still indexed, and files that are never indexed afterwards.
  test("waits while its folder is paused", async () => {
    const gated = gatedReader()
    await using reader = gated.reader
    await using server = await start({ reader })
    const client = server.getClient("alice")
    const id = await makeFolder(server)
    const fileId = await upload(server, id, "walrus", "a.txt")
    await gated.started
    await client.folders.update({ params: { id }, body: { paused: true } })
    gated.open()
    await server.ingestion.whenIdle()
    expect(await getState(server, id, fileId)).toMatchObject({ status: "queued", attempts: 0 })
    await client.folders.update({ params: { id }, body: { paused: false } })
    await server.ingestion.whenIdle()
    expect(await getState(server, id, fileId)).toMatchObject({ status: "completed" })
  })
})

describe("faults", () => {
  // Catches one bad document that stops the queue, and failures without a reason or a way to retry.
  test("end one file with a reason after a few attempts, and no other", async () => {
    await using inner = createDocumentReader({ spawn: spawnNodeChild, logger: silentLogger })
    const reader: Pick<DocumentReader, "read"> = {
      read(input, options) {
        if (input.name === "bad.txt") throw new TypeError("a fault of ours")
        return inner.read(input, options)
      },
    }
    await using server = await start({ reader })
    const id = await makeFolder(server)
    const bad = await upload(server, id, "walrus", "bad.txt")
    const good = await upload(server, id, "walrus", "good.txt")
    await server.ingestion.whenIdle()
    expect(await getState(server, id, bad)).toMatchObject({ status: "failed", phase: "failed", attempts: 3 })
    expect((await getState(server, id, bad)).error).toMatch(/^Something went wrong/)
    expect(await find(server, id, "walrus")).toEqual([good])
  })

  // Catches files that stay out of the index because a program held them or a disk was slow to return, or that are given up too early,
  // retried without a pause, or shown without a reason.
  test("that are temporary are retried at increasing intervals", async () => {
    await using inner = createDocumentReader({ spawn: spawnNodeChild, logger: silentLogger })
    const failures: Record<string, string[]> = {
      "locked.txt": Array.from({ length: 8 }, () => "EBUSY"),
      "away.txt": ["EIO", "ESTALE"],
      "broken.txt": Array.from({ length: 9 }, () => "EIO"),
    }
    const reader: Pick<DocumentReader, "read"> = {
      read(input, options) {
        const code = failures[input.name]?.shift()
        if (code !== undefined) throw Object.assign(new Error(code), { code })
        return inner.read(input, options)
      },
    }
    let locked: string
    let id: string
    {
      await using server = await start({ reader, retryAfterMs: [60_000] })
      id = await makeFolder(server)
      locked = await upload(server, id, "walrus", "locked.txt")
      await server.ingestion.whenIdle()
      const state = await getState(server, id, locked)
      expect(state).toMatchObject({ status: "queued", attempts: 1, error: null })
      expect(state.note).toMatch(/^Another program is using this file/)
      const { retryAt } = await server.db.selectFrom("files").select("retryAt").executeTakeFirstOrThrow()
      expect(Date.parse(retryAt ?? "") - Date.now()).toBeGreaterThan(30_000)
    }
    await using server = await start({ reader })
    const away = await upload(server, id, "walrus", "away.txt")
    const broken = await upload(server, id, "walrus", "broken.txt")
    await settled(server, [locked, away, broken])
    expect(await getState(server, id, locked)).toMatchObject({ status: "completed", attempts: 9, note: null })
    expect(await getState(server, id, away)).toMatchObject({ status: "completed", attempts: 3 })
    const failed = await getState(server, id, broken)
    expect(failed).toMatchObject({ status: "failed", attempts: 6 })
    expect(failed.error).toBe("The disk that contains this file couldn't be read.")
  })

  // Catches an embedding model that delays files, and passages that never get their embedding.
  test("of the embedding model leave files searchable by keyword, and embeddings are added later", async () => {
    const embedder = smallEmbedder("model-a")
    embedder.broken = true
    let id: string
    {
      await using server = await start({ embedder })
      id = await makeFolder(server)
      const fileId = await upload(server, id, "a walrus and a cat", "a.txt")
      await server.ingestion.whenIdle()
      expect(await getState(server, id, fileId)).toMatchObject({ status: "completed" })
      expect(await find(server, id, "walrus")).toEqual([fileId])
      embedder.broken = false
      await upload(server, id, "dogs", "b.txt")
      await server.ingestion.whenIdle()
      expect(await server.index.semantic(new Float32Array([1, 0, 0]), [id], 1)).toMatchObject([
        { similarity: 1 },
      ])
    }
    // With another model, everything is embedded again from the stored passages; nothing is read again.
    const other = smallEmbedder("model-b")
    await using server = await start({ embedder: other })
    await server.ingestion.whenIdle()
    expect(other.seen.toSorted()).toEqual(["a walrus and a cat", "dogs"])
    const rows = await server.db.selectFrom("passageEmbeddings").select("modelId").execute()
    expect(rows.map((row) => row.modelId)).toEqual(["model-b", "model-b"])
  })
})

// Catches a file that is found in neither folder because it was moved while its passages were embedded.
test("finds a file in the folder to which it was moved while it was embedded", async () => {
  let folderId: string
  let fileId: string
  {
    await using server = await start()
    folderId = await makeFolder(server)
    fileId = await upload(server, folderId, "The walrus rests.", "walrus.txt")
    await settled(server, [fileId])
  }
  const isEmbedding = Promise.withResolvers<void>()
  const isMoved = Promise.withResolvers<void>()
  const small = smallEmbedder("model")
  const embedder: TestEmbedder = {
    ...small,
    async embed(...texts) {
      isEmbedding.resolve()
      await isMoved.promise
      return small.embed(...texts)
    },
  }
  await using server = await start({ embedder })
  const target = await makeFolder(server, "Animals")
  await isEmbedding.promise
  const to = { folderId: target, subFolder: "", name: "walrus.txt" }
  const nothingElse = { taken: () => Promise.resolve(), put: () => Promise.resolve() }
  await server.files.move("alice", fileId, { ...to, folderId }, to, nothingElse)
  isMoved.resolve()
  await server.ingestion.whenIdle()
  expect(await find(server, target, "walrus")).toEqual([fileId])
})

// Catches files that stay at 0 % until they are done, because reading takes little time compared with embedding.
test("shows how many passages of a file are embedded", async () => {
  const embedder = smallEmbedder("model")
  const asked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  let calls = 0
  const slowly: TestEmbedder = {
    ...embedder,
    async embed(texts, ...rest) {
      if (++calls === 2) {
        asked.resolve()
        await gate.promise
      }
      return embedder.embed(texts, ...rest)
    },
  }
  await using server = await start({ embedder: slowly })
  const id = await makeFolder(server)
  const fileId = await upload(server, id, Array(40).fill("walrus ".repeat(100)).join("\n\n"), "a.txt")
  await asked.promise
  const { status, phase, progress } = await getState(server, id, fileId)
  gate.resolve()
  // 32 of 40 passages; the last tenth is for writing.
  expect({ status, phase, progress }).toEqual({ status: "processing", phase: "indexing", progress: 72 })
  await settled(server, [fileId])
  expect(await getState(server, id, fileId)).toMatchObject({ status: "completed", progress: 100 })
})

// Catches a file that is completed but not found, because an earlier failed reading ends late and removes the next one's passages from the
// index.
test("keeps what a reading has indexed when an earlier reading ends after it", async () => {
  const late = Promise.withResolvers<void>()
  let readings = 0
  const block = (text: string): Block => ({ kind: "paragraph", text, location: { line: 1 } })
  const reader: Pick<DocumentReader, "read"> = {
    async *read() {
      const isFirst = ++readings === 1
      for (let count = 0; count < 400; count++) yield block("zebra ".repeat(140))
      if (isFirst) await late.promise
    },
  }
  await using server = await start({ reader, pauseMs: 1 })
  const id = await makeFolder(server)
  const full = Object.assign(new Error("The disk is full."), { code: "ENOSPC" })
  vi.spyOn(server.index, "put").mockRejectedValueOnce(full)
  const fileId = await upload(server, id, "zebra", "a.txt")
  await server.fileIs("a.txt", "completed")
  late.resolve()
  await server.ingestion.whenIdle()
  expect(readings).toBe(2)
  expect(await find(server, id, "zebra")).toContain(fileId)
})

// Catches a changed chunker that leaves old passages, reads documents again, embeds more than necessary, or loses search results while it
// works.
test("makes new passages of stored texts with a new chunker", async () => {
  const embedder = smallEmbedder("model")
  const read: string[] = []
  await using inner = createDocumentReader({ spawn: spawnNodeChild, logger: silentLogger })
  const reader: Pick<DocumentReader, "read"> = {
    read(input, options) {
      read.push(input.name)
      return inner.read(input, options)
    },
  }
  let id: string
  let fileId: string
  {
    await using server = await start({ embedder, reader })
    id = await makeFolder(server)
    fileId = await upload(server, id, `${"walrus ".repeat(100)}\n\n${"penguin ".repeat(100)}`, "a.txt")
    await upload(server, id, "cat", "b.txt")
    await server.ingestion.whenIdle()
    expect((await getPassages(server)).length).toBe(3)
  }
  const chunker: FolderServerOptions["chunker"] = {
    version: 2,
    async *chunk(blocks) {
      for await (const { text, location } of blocks) {
        const half = Math.floor(text.length / 2)
        for (const part of text === "cat" ? [text] : [text.slice(0, half), text.slice(half)]) {
          yield { text: part, location }
        }
      }
    },
  }
  embedder.seen.length = 0
  await using server = await start({ embedder, reader, chunker })
  await server.ingestion.whenIdle()
  const passages = await getPassages(server)
  expect(passages.map(({ position }) => position).toSorted((a, b) => a - b)).toEqual([0, 0, 1, 2, 3])
  expect(read.toSorted()).toEqual(["a.txt", "b.txt"])
  expect(embedder.seen).toHaveLength(4)
  expect(await find(server, id, "walrus")).toEqual([fileId, fileId])
  const hits = await server.index.semantic(new Float32Array([0, 1, 0]), [id], 10)
  expect(hits.map((hit) => hit.id).sort()).toEqual(passages.map((passage) => passage.id).sort())
  const files = await server.db.selectFrom("files").select("chunker").execute()
  expect(files).toEqual([{ chunker: 2 }, { chunker: 2 }])
})

const getPassages = (server: FolderServer) =>
  server.db.selectFrom("passages").select(["id", "position", "text"]).execute()

// Catches documents that are cut, duplicated or mixed up between pieces, and progress that stops.
test("writes a large document in pieces, completely and in order", async () => {
  await using server = await start()
  const seen: SocketMessage[] = []
  server.listen((_userIds, message) => seen.push(message))
  const id = await makeFolder(server)
  const paragraphs = Array.from(
    { length: 12_000 },
    (_, number) => `Paragraph ${number} speaks of marker${number} only.`,
  )
  const fileId = await upload(server, id, paragraphs.join("\n\n"), "large.txt")
  await server.ingestion.whenIdle()
  const pieces = await server.db
    .selectFrom("fileTexts")
    .select("position")
    .where("fileId", "=", fileId)
    .execute()
  expect(pieces.length).toBeGreaterThan(1)
  const text = await (await server.getClient("alice").files.text({ params: { id, fileId } })).text()
  expect(text).toBe(paragraphs.join("\n\n"))
  const passages = await server.db
    .selectFrom("passages")
    .select(["position", "text"])
    .orderBy("position")
    .execute()
  expect(passages.map((passage) => passage.position)).toEqual(passages.map((_, index) => index))
  for (const query of ["marker11999", "marker6000"]) {
    const { results } = await server.getClient("alice").folders.search({ body: { query, vector: [id] } })
    expect(results.some(({ text }) => text.includes(`${query} only`))).toBe(true)
  }
})

describe("the order", () => {
  const job = (folderId: string, fileId: string, priority = 0, ownerId = "alice"): Job => ({
    folderId,
    ownerId,
    fileId,
    priority,
    root: "/",
    pipeline: "full",
    name: "a",
    subFolder: "",
    size: 1,
    storage: "local",
    object: null,
    revision: 1,
    attempts: 0,
    readAs: null,
    marksHidden: false,
    readers: null,
    wantsPictures: false,
    wantsDescriptions: false,
    waiting: null,
  })
  const order = (jobs: Job[], limit: number, last = createLastServed()) =>
    chooseJobs(jobs, limit, last).map((one) => one.fileId)

  // Catches a large folder that starves a small one, and uploads that wait behind a scan.
  test("serves folders in turn and uploads first", () => {
    const jobs = [job("a", "a1"), job("a", "a2"), job("a", "a3"), job("b", "b1"), job("c", "c1", 10)]
    expect(order(jobs, 9)).toEqual(["c1", "a1", "b1", "a2", "a3"])
    const last = createLastServed()
    expect(order(jobs.slice(0, 1), 1, last)).toEqual(["a1"])
    expect(order(jobs, 3, last)).toEqual(["c1", "a1", "b1"])
    expect(order(jobs, 1, last)).toEqual(["c1"])
    expect(order([], 3)).toEqual([])
  })

  // Catches one person's many folders or uploads that make everyone else wait.
  test("serves people in turn, whatever their folders and priorities", () => {
    const hers = ["a", "b", "c"].flatMap((folder) => [
      job(folder, `${folder}1`, 10),
      job(folder, `${folder}2`, 10),
    ])
    const jobs = [...hers, job("d", "d1", 0, "bob"), job("d", "d2", 0, "bob"), job("e", "e1", 0, "carol")]
    expect(order(jobs, 9)).toEqual(["a1", "d1", "e1", "b1", "d2", "c1", "a2", "b2", "c2"])
    const last = createLastServed()
    expect(order(jobs, 1, last)).toEqual(["a1"])
    expect(order(jobs, 2, last)).toEqual(["d1", "e1"])
    expect(order(hers, 2, last)).toEqual(["b1", "c1"])
  })

  // Catches one person's large documents that delay other people's for minutes.
  test("reads a person's file while another person's files keep all readers busy", async () => {
    const gate = Promise.withResolvers<void>()
    let held = 0
    async function* chunk(blocks: AsyncIterable<Block>) {
      for await (const { text, location } of blocks) {
        if (text.includes("workbook")) {
          held++
          await gate.promise
        }
        yield { text, location }
      }
    }
    await using server = await start({ chunker: { chunk, version: 1 } })
    const id = await makeFolder(server)
    const names = Array.from({ length: 8 }, (_, index) => `workbook-${index}.txt`)
    const workbooks = await Promise.all(names.map((name) => upload(server, id, name, name)))
    await waitFor(() => expect(held).toBe(2))
    const bob = server.getClient("bob")
    const { vector } = await bob.folders.create({ body: { name: "Notes" } })
    for (const fileName of ["one.txt", "two.txt"]) {
      const params = { id: vector.id }
      const { files } = await bob.files.upload({ params, file: new Blob(["a walrus"]), fileName })
      await settled(server, [files[0]?.id ?? ""])
    }
    expect(held).toBe(2)
    gate.resolve()
    await settled(server, workbooks)
  })

  // Catches an upload that waits for all files found earlier in the same person's directory.
  test("reads an uploaded file before the same person's files found in a directory", async () => {
    const gate = Promise.withResolvers<void>()
    const order: string[] = []
    async function* chunk(blocks: AsyncIterable<Block>) {
      for await (const { text, location } of blocks) {
        order.push(text)
        await gate.promise
        yield { text, location }
      }
    }
    const directory = join(dataDir, "..", `${basename(dataDir)}-found`)
    await mkdir(directory)
    try {
      for (let number = 0; number < 30; number++) await writeFile(join(directory, `${number}.txt`), "found")
      await using server = await start({ chunker: { chunk, version: 1 } })
      const { folders } = server.getClient("alice")
      await folders.create({ body: { name: "Found", folder: directory } })
      await waitFor(() => expect(order).toHaveLength(2))
      const uploaded = await upload(server, await makeFolder(server), "uploaded", "uploaded.txt")
      gate.resolve()
      await settled(server, [uploaded])
      expect(order.indexOf("uploaded")).toBeLessThan(8)
    } finally {
      await rm(directory, { recursive: true })
    }
  })

  // Catches a queue that grows without limit, and items lost or reordered under load.
  test("of group commits is the order of arrival, with a limit on waiting items", async () => {
    const groups: number[][] = []
    const release = Promise.withResolvers<void>()
    const queue = createGroupCommit<number>({
      limit: () => 5,
      weigh: () => 1,
      commit: async (items) => {
        groups.push(items)
        await release.promise
      },
    })
    let added = 0
    const adding = (async () => {
      for (; added < 23; added++) await queue.add(added)
    })()
    await new Promise((resolve) => setImmediate(resolve))
    expect(added).toBeLessThanOrEqual(10)
    release.resolve()
    await adding
    await queue.drained()
    expect(groups.flat()).toEqual(Array.from({ length: 23 }, (_, index) => index))
    expect(Math.max(...groups.map((group) => group.length))).toBeLessThanOrEqual(5)
  })
})
