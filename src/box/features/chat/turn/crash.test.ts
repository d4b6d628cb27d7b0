import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createClient } from "../../../../shared/client/http-client.ts"
import { startBoxProcess } from "../../../testing/box-process.ts"
import { testModelPath } from "../../../testing/chat-server.ts"

/** Text older than this when the box is killed must be stored. */
const maxLostMs = 1_000
/** A longer time between two events counts only as this long, because the box may not have run in the meantime. */
const maxGapMs = 50

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-cut-"))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

// Catches a question that isn't on disk when the answer starts, text kept only in memory, and a chat that stays "active" forever.
test("keeps the question and all but the last second of text after kill -9 during an answer", async () => {
  let key = ""
  const boxAddress = "http://127.0.0.1"
  for (const listenMs of [0, 1_500]) {
    const chatId = `cut after ${listenMs}`
    const box = await startBoxProcess(dataDir, "--model", testModelPath())
    key ||= box.firstRunKey ?? ""
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
    const body = { id: chatId, messages: [{ role: "user" as const, content: "Go on!" }], boxAddress }
    const received: { text: string; at: number }[] = []
    let killedAt = 0
    let [at, lastAt] = [0, performance.now()]
    try {
      for await (const event of client.chat.send({ body })) {
        const now = performance.now()
        at += Math.min(now - lastAt, maxGapMs)
        lastAt = now
        if (event.type === "text-delta") received.push({ text: event.textDelta, at })
        const heardFor = at - (received[0]?.at ?? at)
        if (killedAt === 0 && (listenMs === 0 || heardFor > listenMs)) {
          killedAt = at
          await box.stop("SIGKILL")
        }
      }
    } catch {
      // The stream breaks with the box.
    }
    expect(killedAt).toBeGreaterThan(0)

    const restarted = await startBoxProcess(dataDir, "--model", testModelPath())
    const reader = createClient({ baseUrl: restarted.url, headers: { "x-api-key": key } })
    expect(await reader.chat.status({ params: { chatId } })).toMatchObject({
      status: "error",
      isActive: false,
    })
    const { messages } = (await reader.conversations.read({ params: { id: chatId } })).chat
    expect(messages.map(({ role, finishReason }) => [role, finishReason])).toEqual([
      ["user", null],
      ["assistant", "error"],
    ])
    const stored = messages[1]?.content ?? ""
    const heard = received.map(({ text }) => text).join("")
    const due = received.filter(({ at }) => at <= killedAt - maxLostMs).map(({ text }) => text)
    expect(heard.startsWith(stored) || stored.startsWith(heard)).toBe(true)
    expect(stored.length).toBeGreaterThanOrEqual(due.join("").length)
    if (listenMs > maxLostMs) expect(due.length).toBeGreaterThan(0)
    expect(await restarted.stop()).toBe(0)
  }
})
