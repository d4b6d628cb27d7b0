import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createClient } from "../../../../shared/client/http-client.ts"
import { ensureTestModel } from "../../../engines/llama/testing/test-models.ts"
import { startBoxProcess } from "../../../testing/box-process.ts"
import { collect, of, getText } from "../testing/tool-talk.ts"

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "casella-parked-"))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

// Catches a parked turn that is lost when the box is killed, and a call that runs without its owner's approval after a crash.
test("a waiting turn survives kill -9; answering resumes it, with the real model and the real tool", async () => {
  const model = ensureTestModel({
    reply: { call: { name: "memory", args: { action: "remember", text: "Likes green tea" } } },
    replies: { "\n": "I will remember it." },
    contextSize: 16_384,
  })
  const box = await startBoxProcess(dataDir, "--model", model)
  const headers = { "x-api-key": box.firstRunKey ?? "" }
  const client = createClient({ baseUrl: box.url, headers })
  const { assistant } = await client.assistants.create({
    body: { name: "Keeper", builtInTools: { memory: true } },
  })
  const messages = [{ role: "user" as const, content: "I like green tea." }]
  const body = { id: "tea", messages, boxAddress: box.url, assistantId: assistant.id }
  const events = await collect(client.chat.send({ body }))
  expect(events.at(-1)).toMatchObject({ finishReason: "tool-calls" })
  const [asked] = of(events, "tool-approval-request")
  await box.stop("SIGKILL")

  const restarted = await startBoxProcess(dataDir, "--model", model)
  const later = createClient({ baseUrl: restarted.url, headers })
  const params = { chatId: "tea" }
  const status = await later.chat.status({ params })
  expect(status).toMatchObject({ status: "completed", pendingApprovals: 1 })
  const { approvals } = await later.chat.approvals({ params })
  expect(approvals).toMatchObject([{ toolCallId: asked?.toolCallId, toolName: "memory", args: asked?.args }])
  expect((await later.memory.list()).memories).toEqual([])
  await expect
    .poll(async () => (await later.notifications.list()).notifications)
    .toMatchObject([{ category: "chat", chatId: "tea", title: "May memory run?" }])

  const toolCallId = asked?.toolCallId ?? ""
  const answer = { params: { ...params, toolCallId }, body: { decision: "allow" as const } }
  expect(await later.chat.approve(answer)).toMatchObject({ success: true, resumed: true })
  const resumed = await collect(later.chat.attach({ params }))
  expect(resumed[0]).toMatchObject({ type: "start", chatId: "tea" })
  expect(of(resumed, "tool-result")).toHaveLength(1)
  expect(getText(resumed)).toBe("I will remember it.")
  expect((await later.memory.list()).memories).toMatchObject([{ text: "Likes green tea" }])
  expect((await later.conversations.read({ params: { id: "tea" } })).chat.messages).toHaveLength(2)
  expect(await restarted.stop()).toBe(0)
})
