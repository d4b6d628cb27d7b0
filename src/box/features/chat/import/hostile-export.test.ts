import { mkdtempDisposable, readdir, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sql } from "kysely"
import { expect, test, vi } from "vitest"
import { silentLogger } from "../../../core/logging/logger.ts"
import { openPeopledDatabase } from "../../../testing/served-features.ts"
import { maxExamined, parseExportedChat } from "./formats.ts"
import { BadArchive, readExport, splitJson } from "./read-export.ts"
import { runImport } from "./run-import.ts"
import { started, createChatImports } from "./service.ts"
import { zipBytes } from "../../../parsers/testing/office-files.ts"
import { waitFor } from "../../../../shared/testing/wait-for.ts"

// Catches a chat of 3 MB that blocks the box for seconds and uses gigabytes, because every error in its million messages is recorded.
test("reading a chat stops at its first invalid message", () => {
  let checkCount = 0
  const wrong = () => ({
    get uuid() {
      checkCount++
      return null
    },
  })
  const parse = vi.spyOn(JSON, "parse")
  const chats = [
    { uuid: "a", chat_messages: Array.from({ length: 1_000 }, wrong) },
    { id: "a", chat: { messages: Array.from({ length: 1_000 }, wrong) } },
  ]
  for (const chat of chats) {
    parse.mockReturnValueOnce(chat)
    parseExportedChat("")
  }
  parse.mockRestore()
  expect(checkCount).toBeLessThanOrEqual(2)
})

// Catches millions of messages that are all read before the chat is refused.
test("no more messages of a chat are read than are needed to refuse it", () => {
  const messages = Array.from({ length: maxExamined + 5 }, (_, index) => ({
    uuid: `${index}`,
    sender: "human",
  }))
  const chat = parseExportedChat(JSON.stringify({ uuid: "a", chat_messages: messages }))
  expect(chat?.messages).toHaveLength(maxExamined)
})

// Catches a file with one endless chat that is read to its end even after a stop or a shutdown.
test("reading an export can be stopped in the middle of a chat", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "casella-imports-"))
  const path = join(directory.path, "export.json")
  await writeFile(path, `[${" ".repeat(4 * 2 ** 20)}{"uuid":"a","chat_messages":[]}]`)
  let asked = 0
  for await (const element of readExport(path, () => ++asked > 2)) expect(element).toBeUndefined()
  expect(asked).toBeLessThanOrEqual(5)
})

// Catches a small archive of blanks that keeps the processor busy for half a minute.
test("an archive that contains only repetition is refused before much of it is unpacked", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "casella-imports-"))
  const path = join(directory.path, "export.zip")
  const blanks = (megabytes: number) => ({ "conversations.json": `[${" ".repeat(megabytes * 2 ** 20)}{}]` })
  const read = async () => {
    let found = 0
    for await (const _ of readExport(path, () => false)) found++
    return found
  }
  await writeFile(path, zipBytes(blanks(60)))
  expect(await read()).toBe(1)
  await writeFile(path, zipBytes(blanks(66)))
  await expect(read()).rejects.toThrow(BadArchive)
})

// Catches one user's export, with very many tiny chats or with blanks, that blocks everyone else's imports.
test("imports of several users take turns", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "casella-imports-"))
  await using database = await openPeopledDatabase(directory.path, ["alice", "bob"])
  await using imports = createChatImports({
    db: database.db,
    dataDir: directory.path,
    logger: silentLogger,
    changed: () => undefined,
  })
  const chat = (uuid: number) => ({
    uuid: `${uuid}`,
    chat_messages: [{ uuid: `m${uuid}`, sender: "human", text: "Hello" }],
  })
  const start = (ownerId: string, content: string) => {
    const receive = async ({ path }: { path: string }) => {
      await writeFile(path, content)
      return { fileName: "export.json", size: content.length, head: Buffer.alloc(0), fields: {} }
    }
    return imports.start({ userId: ownerId, scopes: null }, receive, false)
  }
  const many = Array.from({ length: 20_000 }, (_, index) => chat(index))
  const hers = await start("alice", JSON.stringify(many))
  await waitFor(async () => expect((await imports.read("alice", hers.id)).status).toBe("running"))
  const his = await start("bob", JSON.stringify([chat(0)]))
  await waitFor(async () => expect((await imports.read("bob", his.id)).status).toBe("completed"))
  expect((await imports.read("alice", hers.id)).status).toBe("running")
  await imports.stop("alice", hers.id)
})

// Catches other imports that have to wait for gigabytes of blanks, or that run while much of a chat is in memory.
test("data outside chats is read in slices, and a chat in one piece", async () => {
  const pausesIn = async (content: string) => {
    let pauses = 0
    async function* chunks() {
      for (let at = 0; at < content.length; at += 10) yield Buffer.from(content.slice(at, at + 10))
    }
    for await (const _ of splitJson(chunks(), async () => void pauses++));
    return pauses
  }
  expect(await pausesIn(`[${" ".repeat(997)}{}]`)).toBeGreaterThan(100)
  expect(await pausesIn(`[{"a":"${" ".repeat(990)}"}]`)).toBeLessThan(4)
  expect(await pausesIn(`[${"{},".repeat(100)}{}]`)).toBeGreaterThan(100)
})

// Catches a small archive that fills the whole disk, so that no one can store anything, and doesn't report why it failed.
test("an import leaves space on the disk, and reports that it stopped for that reason", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "casella-imports-"))
  await using database = await openPeopledDatabase(directory.path, ["alice"])
  const path = join(directory.path, "export.json")
  const chats = ["one", "two"].map((uuid) => ({
    uuid,
    name: uuid,
    chat_messages: [{ uuid: `m of ${uuid}`, sender: "human", text: "Hello" }],
  }))
  await writeFile(path, JSON.stringify(chats))
  const free = [2 ** 30, 2 ** 28]
  const progress = started()
  const deps = {
    db: database.db,
    store: { save: async () => undefined },
    logger: silentLogger,
    isClosed: () => false,
    freeBytes: async () => free.shift() ?? 0,
  }
  await runImport(deps, { ownerId: "alice", path, progress, isByScopedKey: false, isStopped: false })
  expect(progress).toMatchObject({ status: "failed", chats: 1 })
  expect(progress.skipped[0]?.sentence).toMatchObject({ code: "http.disk_full" })
})

// Catches a user who can't import until the next start, and gigabytes that remain until then, because the end of an import couldn't be
// stored.
test(
  "an import whose end can't be stored frees its disk space, and another one can start",
  { tags: "rows-in-file" },
  async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), "casella-imports-"))
    await using database = await openPeopledDatabase(directory.path, ["alice"])
    await sql`CREATE TEMP TRIGGER full BEFORE UPDATE ON chatImports WHEN NEW.endedAt IS NOT NULL
    BEGIN SELECT RAISE(FAIL, 'full'); END`.execute(database.db)
    await using imports = createChatImports({
      db: database.db,
      dataDir: directory.path,
      logger: silentLogger,
      changed: () => undefined,
    })
    const receive = async ({ path }: { path: string }) => {
      await writeFile(path, "[]")
      return { fileName: "export.json", size: 2, head: Buffer.alloc(0), fields: {} }
    }
    await imports.start({ userId: "alice", scopes: null }, receive, false)
    await waitFor(async () => {
      expect(await readdir(join(directory.path, "uploads"))).toEqual([])
    })
    await imports.start({ userId: "alice", scopes: null }, receive, false)
  },
)
