import { mkdtempDisposable, readdir, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { startTestBox, type TestBox } from "../../../testing/test-box.ts"
import { zipBytes } from "../../../parsers/testing/office-files.ts"
import { silentLogger } from "../../../core/logging/logger.ts"
import { openPeopledDatabase } from "../../../testing/served-features.ts"
import { timestamp } from "../../../core/ids.ts"
import { createImportStore } from "./import-store.ts"
import { runImport } from "./run-import.ts"
import { started, createChatImports } from "./service.ts"
import { splitJson, type JsonElement } from "./read-export.ts"
import { waitFor } from "../../../../shared/testing/wait-for.ts"

let box: TestBox
beforeAll(async () => {
  box = await startTestBox()
})
afterAll(() => box[Symbol.asyncDispose]())

async function take(content: string | Buffer<ArrayBuffer>) {
  const { import: started } = await box.client.chatImports.start({
    file: new Blob([content]),
    fileName: "conversations.json",
  })
  return waitFor(async () => {
    const { import: now } = await box.client.chatImports.read({ params: { id: started.id } })
    expect(["completed", "failed"]).toContain(now.status)
    return now
  })
}

async function chatNamed(title: string) {
  const { chats } = await box.client.conversations.list({ query: { search: title } })
  expect(chats).toHaveLength(1)
  return (await box.client.conversations.read({ params: { id: chats[0]?.id ?? "" } })).chat
}

const node = (id: string, parent: string | null, role: string, text: string, at: number) => ({
  id,
  parent,
  children: [],
  message: {
    author: { role },
    content: { content_type: "text", parts: [text] },
    create_time: at,
    metadata: { model_slug: "gpt-4o" },
  },
})
const gpt = (title: string, more: ReturnType<typeof node>[] = [], current = "a2") => ({
  title,
  create_time: 1_700_000_000.5,
  update_time: 1_700_000_100,
  conversation_id: `id of ${title}`,
  current_node: current,
  mapping: Object.fromEntries(
    [
      { id: "root", parent: null, children: [], message: null },
      node("s", "root", "system", "", 1_700_000_000),
      node("q", "s", "user", "Which way?", 1_700_000_001),
      node("a1", "q", "assistant", "Left.", 1_700_000_002),
      node("a2", "q", "assistant", "Right.", 1_700_000_003),
      ...more,
    ].map((one) => [one.id, one]),
  ),
})

// Catches lost branches, chats that are imported twice, and longer exports whose new messages are missing or duplicated.
test("a chat from ChatGPT is imported once, with its branches; a longer export adds new messages", async () => {
  const title = "<img src=x onerror=alert(1)> Ways"
  expect(await take(JSON.stringify([gpt(title)]))).toMatchObject({
    status: "completed",
    chats: 1,
    messages: 3,
  })
  const chat = await chatNamed("Ways")
  expect(chat.title).toBe(title)
  expect(chat.messages.map(({ content }) => content)).toEqual(["Which way?", "Right."])
  expect(chat.branches).toHaveLength(2)
  expect(await take(JSON.stringify([gpt(title)]))).toMatchObject({
    chats: 0,
    messages: 0,
    skipped: [{ what: title }],
  })
  const longer = gpt(title, [node("q2", "a2", "user", "Sure?", 1_700_000_004)], "q2")
  expect(await take(JSON.stringify([longer]))).toMatchObject({ chats: 1, messages: 1 })
  expect((await chatNamed("Ways")).messages.map(({ content }) => content)).toEqual([
    "Which way?",
    "Right.",
    "Sure?",
  ])
})

// Catches one of the formats being read by the fields of another.
test("imports chats from Claude and Open WebUI", async () => {
  const claude = {
    uuid: "c1",
    name: "Of Claude",
    created_at: "2024-05-01T10:00:00Z",
    updated_at: "2024-05-01T10:05:00Z",
    chat_messages: [
      {
        uuid: "m1",
        text: "Hi",
        sender: "human",
        created_at: "2024-05-01T10:00:00Z",
        attachments: [{}],
        files: [],
      },
      {
        uuid: "m2",
        text: "",
        content: [{ type: "text", text: "Hello!" }],
        sender: "assistant",
        created_at: "2024-05-01T10:00:01Z",
      },
    ],
  }
  const history = {
    currentId: "n3",
    messages: {
      n1: { id: "n1", parentId: null, role: "user", content: "One?", timestamp: 1_700_000_000 },
      n2: {
        id: "n2",
        parentId: "n1",
        role: "assistant",
        content: "One.",
        timestamp: 1_700_000_001,
        model: "qwen",
      },
      n3: {
        id: "n3",
        parentId: "n1",
        role: "assistant",
        content: "Two.",
        timestamp: 1_700_000_002,
        model: "qwen",
      },
    },
  }
  const webui = {
    id: "w1",
    title: "Of WebUI",
    chat: { title: "Of WebUI", history },
    created_at: 1_700_000_000,
    updated_at: 1_700_000_002,
  }
  expect(await take(JSON.stringify([claude]))).toMatchObject({
    chats: 1,
    messages: 2,
    skipped: [{ what: "Of Claude" }],
  })
  expect((await chatNamed("Of Claude")).messages.map(({ content }) => content)).toEqual(["Hi", "Hello!"])
  expect((await chatNamed("Of Claude")).createdAt).toBe("2024-05-01T10:00:00.000Z")
  expect(await take(JSON.stringify([webui]))).toMatchObject({ chats: 1, messages: 3 })
  const chat = await chatNamed("Of WebUI")
  expect(chat.messages.map(({ content, model }) => [content, model])).toEqual([
    ["One?", null],
    ["Two.", "qwen"],
  ])
  expect(chat.branches).toHaveLength(2)
})

// Catches a small export whose messages are read endlessly, because each occurs in it twice or there are as many as possible.
test("repeated messages in an export are imported once, and those over the limit aren't imported", async () => {
  const message = (id: number) => ({
    uuid: `u${id}`,
    sender: "human",
    text: `Level ${id}`,
    content: [{ type: "text", text: `Level ${id}` }],
    created_at: "2024-05-01T10:00:00Z",
    ...(id > 0 && { parent_message_uuid: `u${id - 1}` }),
  })
  const levels = Array.from({ length: 60 }, (_, id) => [message(id), message(id)]).flat()
  const twice = { uuid: "twice", name: "Twice", created_at: "2024-05-01T10:00:00Z", chat_messages: levels }
  const mapping = Object.fromEntries(Array.from({ length: 200_000 }, (_, id) => [`a${id}`, {}]))
  const wide = { title: "Wide", conversation_id: "wide", mapping }
  const flood = `{"conversation_id":"flood","title":"Flood","mapping":{${'"a":0,'.repeat(2_100_000)}"b":0}}`
  expect(await take(`[${JSON.stringify(twice)},${JSON.stringify(wide)},${flood}]`)).toMatchObject({
    status: "completed",
    chats: 1,
    messages: 60,
    skipped: [
      { reason: expect.stringContaining("messages") as string },
      { reason: expect.stringContaining("larger than 64 MB") as string },
    ],
  })
})

// Catches an archive whose images are read as chats, or whose false sizes are trusted.
test("an exported ZIP is read; one with false sizes fails and leaves the box unchanged", async () => {
  const zip = zipBytes({
    "user.json": "{}",
    "picture.png": "PNG",
    "export/conversations.json": JSON.stringify([gpt("Zipped")]),
  })
  expect(await take(Buffer.from(zip))).toMatchObject({ status: "completed", chats: 1, messages: 3 })
  const lying = Buffer.from(zipBytes({ "conversations.json": `[${" ".repeat(5_000_000)}]` }))
  lying.writeUInt32LE(10, lying.indexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 24)
  const failed = await take(lying)
  expect(failed).toMatchObject({ status: "failed", chats: 0 })
  expect(failed.skipped[0]?.reason).toContain("damaged")
})

// Catches an import that is reported as running forever after the box was killed.
test("an import that was running when the box stopped is marked as failed, and can be repeated", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "casella-imports-"))
  await using database = await openPeopledDatabase(directory.path, ["alice"])
  const createdAt = "2026-01-02T03:04:05.678Z"
  const row = { id: "cut-off", ownerId: "alice", status: "running" as const, createdAt }
  await database.db.insertInto("chatImports").values(row).execute()
  const deps = { dataDir: directory.path, logger: silentLogger, changed: () => undefined }
  await using imports = createChatImports({ ...deps, db: database.db })
  await imports.begin()
  expect(await imports.read("alice", "cut-off")).toMatchObject({
    status: "failed",
    skipped: [{ what: "import" }],
  })
  await expect(imports.read("bob", "cut-off")).rejects.toMatchObject({ code: "not_found" })
})

// Catches one bad chat that stops all others, cycles that never end, and stacks that overflow.
test("errors in a chat are reported, and the other chats are imported", async () => {
  const circle = gpt("Circle")
  circle.mapping = Object.fromEntries(
    [node("x", "y", "user", "X", 1), node("y", "x", "user", "Y", 1)].map((one) => [one.id, one]),
  )
  const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`
  const text = `[${JSON.stringify(circle)},${deep},{"other":1},{"bad" 1},${JSON.stringify(gpt("Whole"))}]`
  const done = await take(text)
  expect(done).toMatchObject({ status: "completed", chats: 1, messages: 3 })
  expect(done.skipped).toHaveLength(4)
  // A chat that can't be read is identified by its title if it has one.
  const unread = `{"title":"Deep \\"one\\"","mapping":${deep}},{"mapping":{},"title":"Odd"},{"title":"Cut","mapping":{`
  expect((await take(`[${unread}`)).skipped.map(({ what }) => what)).toEqual(['Deep "one"', "Odd", "Cut"])
  expect(await take("This is a letter.")).toMatchObject({ status: "failed", skipped: [{ what: "import" }] })
  expect(await take("PK\u0003\u0004 no archive")).toMatchObject({ status: "failed" })
})

const hold = (...chats: unknown[]) => holdText(JSON.stringify(chats))
const holdText = async (text: string) =>
  (
    await box.client.chatImports.start({
      file: new Blob([text]),
      fileName: "conversations.json",
      query: { hold: "true" },
    })
  ).import.id
const getStatus = async (id: string) => (await box.client.chatImports.read({ params: { id } })).import.status

// Catches chats that are imported without confirmation, and exports that can be confirmed twice or after they were stopped.
test("a held export reports its content, and is imported after confirmation", async () => {
  const id = await hold(gpt("Held"), { other: 1 })
  await expect.poll(() => getStatus(id)).toBe("found")
  const { import: found } = await box.client.chatImports.read({ params: { id } })
  expect(found.found).toEqual({
    chats: 1,
    here: 0,
    from: "2023-11-14T22:13:20.500Z",
    to: "2023-11-14T22:15:00.000Z",
  })
  expect((await box.client.conversations.list({ query: { search: "Held" } })).chats).toEqual([])
  await box.client.chatImports.confirm({ params: { id } })
  await expect.poll(() => getStatus(id)).toBe("completed")
  const { chats } = await box.client.conversations.list({ query: { importId: id } })
  expect(chats.map(({ title }) => title)).toEqual(["Held"])
  expect((await box.client.chatImports.newest()).import).toMatchObject({ id, done: 2, chats: 1 })
  await expect(box.client.chatImports.confirm({ params: { id } })).rejects.toMatchObject({ code: "conflict" })

  const stopped = await hold(gpt("Stopped"))
  await expect.poll(() => getStatus(stopped)).toBe("found")
  expect((await box.client.chatImports.stop({ params: { id: stopped } })).import.status).toBe("stopped")
  await expect(box.client.chatImports.confirm({ params: { id: stopped } })).rejects.toMatchObject({
    code: "conflict",
  })

  const replaced = await hold(gpt("Replaced"))
  await expect.poll(() => getStatus(replaced)).toBe("found")
  const empty = await hold({ other: 1 })
  await expect.poll(() => getStatus(empty)).toBe("failed")
  expect(await getStatus(replaced)).toBe("stopped")
  expect((await box.client.chatImports.newest()).import?.skipped).toMatchObject([
    { what: "import", number: null, sentence: { code: "conversations.import_no_chats" } },
  ])
  // The status is stored before the file is removed.
  await expect.poll(() => readdir(join(box.dataDir, "uploads")).catch(() => [])).toEqual([])
})

// Catches an export of very many tiny chats that blocks everyone else's imports.
test("an export with too many chats is refused before any is imported, with advice on what to do", async () => {
  const id = await holdText(`[${"{},".repeat(200_000)}${JSON.stringify(gpt("Beyond"))}]`)
  await expect.poll(() => getStatus(id)).toBe("failed")
  const { import: failed } = await box.client.chatImports.read({ params: { id } })
  expect(failed).toMatchObject({
    chats: 0,
    skipped: [{ what: "import", sentence: { code: "conversations.import_too_many_in_file" } }],
  })
  expect(failed.skipped[0]?.reason).toMatch(/more than 200,000 chats. Split it/)
})

// Catches an import that stores its whole progress every few chats, however fast they are, and one that never does.
test("the progress of an import is stored at most once per second", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "casella-imports-"))
  await using database = await openPeopledDatabase(directory.path, ["alice"])
  const path = join(directory.path, "export.json")
  await writeFile(path, `[${"{},".repeat(399)}{}]`)
  const savesWhile = async (msOfEach: number) => {
    const saved: number[] = []
    vi.useFakeTimers({ toFake: ["performance"] })
    try {
      const deps = {
        db: database.db,
        store: { save: async ({ done }: { done: number }) => void saved.push(done) },
        logger: silentLogger,
        isClosed: () => false,
        async freeBytes() {
          vi.advanceTimersByTime(msOfEach)
          return Infinity
        },
      }
      await runImport(deps, {
        ownerId: "alice",
        path,
        progress: started(),
        isByScopedKey: false,
        isStopped: false,
      })
    } finally {
      vi.useRealTimers()
    }
    return saved
  }
  expect(await savesWhile(0)).toEqual([0, 400])
  expect(await savesWhile(10)).toEqual([0, 100, 200, 300, 400, 400])
})

// Catches records of imports that are kept permanently, and one of a running import that is deleted.
test("the newest 100 imports of each user are listed until 30 days after their end", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "casella-imports-"))
  await using database = await openPeopledDatabase(directory.path, ["alice"])
  const store = createImportStore(database.db)
  const day = 24 * 3_600_000
  const ended = (id: string, ago: number) => {
    const at = timestamp(Date.now() - ago)
    return { ...started(), id, status: "completed" as const, createdAt: at, endedAt: at }
  }
  await store.add("alice", ended("old", 31 * day))
  await store.add("alice", { ...started(), id: "running", status: "running", createdAt: timestamp(0) })
  for (let number = 0; number < 102; number++) await store.add("alice", ended(`${number}`, day - number))
  expect(await store.find("alice", "old")).toBeUndefined()
  expect(await store.find("alice", "1")).toBeUndefined()
  expect(await store.find("alice", "2")).toBeDefined()
  expect(await store.find("alice", "running")).toBeDefined()
})

// Catches an element that is cut at a chunk boundary, or at a brace in a string.
test.each([1, 2, 3, 7, 1_000])("elements are found in chunks of %i bytes", async (size) => {
  const elements = [{ a: 'a "}]" \\' }, { b: [{ c: "ü" }, []] }, {}]
  const bytes = Buffer.from(`\uFEFF${JSON.stringify(elements, null, 1)}`)
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  const found: JsonElement[] = []
  for await (const element of splitJson(chunks())) found.push(element)
  expect(found.map((one) => ("text" in one ? (JSON.parse(one.text) as unknown) : one))).toEqual(elements)
})
