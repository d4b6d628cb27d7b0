import { mkdtempDisposable, readdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { createClient, type Client } from "../../../../shared/client/http-client.ts"
import { startBoxProcess } from "../../../testing/box-process.ts"

const [chats, messages] = [1_500, 10]

/** Chats of Claude, whose messages form a single sequence. */
const exported = JSON.stringify(
  Array.from({ length: chats }, (_, chat) => ({
    uuid: `chat-${chat}`,
    name: `Chat ${chat}`,
    created_at: "2025-01-01T10:00:00Z",
    updated_at: "2025-01-02T10:00:00Z",
    chat_messages: Array.from({ length: messages }, (_, at) => ({
      uuid: `message-${chat}-${at}`,
      sender: at % 2 === 0 ? "human" : "assistant",
      text: `What is said in ${at} of ${chat}. `.repeat(20),
      created_at: "2025-01-01T10:00:00Z",
    })),
  })),
)

const take = async (client: Client) =>
  (await client.chatImports.start({ file: new Blob([exported]), fileName: "conversations.json" })).import

async function allChats(client: Client) {
  const all = []
  for (let offset = 0; ; offset += 200) {
    const { chats: some, pagination } = await client.conversations.list({ query: { limit: 200, offset } })
    all.push(...some)
    if (!pagination.hasMore) return all
  }
}

// Catches an import that is reported as running forever, chats with half of their messages, duplicates, and leftover bytes of the upload.
test("a killed import is reported, leaves no partial chat, and is completed by importing again", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "casella-import-"))
  const box = await startBoxProcess(directory.path)
  const headers = { "x-api-key": box.firstRunKey ?? "" }
  const client = createClient({ baseUrl: box.url, headers })
  const { id } = await take(client)
  const read = async (from: Client) => (await from.chatImports.read({ params: { id } })).import
  await expect.poll(async () => (await read(client)).done, { interval: 5 }).toBeGreaterThan(50)
  expect((await read(client)).status).toBe("running")
  await box.stop("SIGKILL")

  const restarted = await startBoxProcess(directory.path)
  const later = createClient({ baseUrl: restarted.url, headers })
  const cutOff = await read(later)
  expect(cutOff).toMatchObject({
    status: "failed",
    skipped: [{ what: "import", sentence: { code: "conversations.import_interrupted" } }],
  })
  expect(cutOff.endedAt).not.toBeNull()
  expect(cutOff.chats).toBeGreaterThan(0)
  const brought = await allChats(later)
  expect(brought.length).toBeGreaterThanOrEqual(cutOff.chats)
  expect(brought.length).toBeLessThan(chats)
  expect(new Set(brought.map(({ messageCount }) => messageCount))).toEqual(new Set([messages]))
  const newest = await later.conversations.read({ params: { id: brought[0]?.id ?? "" } })
  expect(newest.chat.messages).toHaveLength(messages)
  expect(await readdir(join(directory.path, "uploads")).catch(() => [])).toEqual([])

  const { id: secondId } = await take(later)
  const second = async () => (await later.chatImports.read({ params: { id: secondId } })).import
  await expect.poll(async () => (await second()).status, { timeout: 120_000 }).toBe("completed")
  expect(await second()).toMatchObject({ chats: chats - brought.length, known: brought.length })
  const whole = await allChats(later)
  expect(whole).toHaveLength(chats)
  expect(new Set(whole.map(({ title }) => title)).size).toBe(chats)
  expect(await restarted.stop()).toBe(0)
}, 240_000)
