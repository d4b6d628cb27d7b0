import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, test } from "vitest"
import { createClient } from "../../../../shared/client/http-client.ts"
import type { ApprovalAnswer, ChatEvent } from "../../../../shared/contract/chat.ts"
import { startBoxProcess } from "../../../testing/box-process.ts"
import {
  startModelServer,
  type ModelRequest,
  type Round,
} from "../../../testing/model-servers/model-server.ts"
import { collect, named, of, startToolTalk, testTool, getText, type ToolTalk } from "../testing/tool-talk.ts"
import type { ChatAssistant } from "../turn/turn.ts"

let stack = new AsyncDisposableStack()
afterEach(async () => {
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
})

/** Remote servers may give the first call of every answer the same id. */
const id = "call_1"
const delegate = (handle: string) => ({ id, name: "assistant", args: { handle, task: `For ${handle}.` } })
const save = (text: string) => ({ id, name: "memory", args: { text } })
const add = (text: string) => ({ id, name: "calculate", args: { text } })

/** Answers as the assistant whose instructions start the request. `results` is the number of its calls that have returned since. */
function speakAs(speak: (name: string, results: number) => Round) {
  return ({ messages }: ModelRequest): Round => {
    const name = /I am (\w+)\./.exec(messages[0]?.content ?? "")?.[1] ?? ""
    const since = messages.slice(messages.findLastIndex(({ role }) => role === "user"))
    return speak(name, since.filter(({ role }) => role === "tool").length)
  }
}

async function talk(assistants: ChatAssistant[], speak: (name: string, results: number) => Round) {
  const saved: string[] = []
  const memory = testTool("memory", (text) => {
    saved.push(text)
    return { content: `saved ${text}` }
  })
  const calculate = testTool("calculate", (text) => ({
    content: "calculated",
    parts: [{ type: "file", name: `${text}.txt`, mediaType: "text/plain", bytes: Buffer.from(text) }],
  }))
  const started = await startToolTalk(speakAs(speak), { assistants, tools: [memory, calculate] })
  return { ...stack.use(started), saved }
}

const client = ({ server }: ToolTalk) => server.getClient("alice")
const answer = (chat: ToolTalk, toolCallId: string, body: ApprovalAnswer) =>
  client(chat).chat.approve({ params: { chatId: "c1", toolCallId }, body })
const attach = (chat: ToolTalk) => collect(client(chat).chat.attach({ params: { chatId: "c1" } }))
const asked = (events: readonly ChatEvent[]) => of(events, "tool-approval-request")[0]
const getRequests = ({ model }: ToolTalk, name: string) =>
  model.requests.filter(({ messages }) => messages[0]?.content?.includes(`I am ${name}.`))

/** The boss delegates to the expert, who adds and then saves. */
const expertSaves = (name: string, results: number): Round => {
  if (name === "boss") return results === 0 ? { calls: [delegate("expert")] } : { text: "It says so." }
  const rounds: Round[] = [{ text: "First. ", calls: [add("sum")] }, { calls: [save("x")] }]
  return rounds[results] ?? { text: "Then saved." }
}

describe("a delegated task that needs an approval", () => {
  // Catches a task that fails or starts again instead of waiting, work that is lost or done twice, and an approval without an assistant's
  // name.
  test("waits with the answer that delegated it; when allowed, both resume where they stopped", async () => {
    const chat = await talk([named("boss"), named("expert")], expertSaves)
    const before = await chat.ask("Go.", { assistantId: "boss" })
    const [call] = of(before, "tool-call")
    expect(before.map(({ type }) => type)).toEqual(["start", "tool-call", "tool-approval-request", "finish"])
    expect(before.at(-1)).toMatchObject({ finishReason: "tool-calls" })
    const request = asked(before)
    expect(request).toMatchObject({
      toolName: "memory",
      args: { text: "x" },
      reasonCode: "write",
      delegation: { toolCallId: call?.toolCallId, assistantId: "expert", handle: "expert" },
    })
    expect(request?.toolCallId).not.toBe(call?.toolCallId)
    const { approvals } = await client(chat).chat.approvals({ params: { chatId: "c1" } })
    expect(approvals).toMatchObject([{ toolCallId: request?.toolCallId, delegation: { handle: "expert" } }])
    expect(chat.saved).toEqual([])

    expect(await answer(chat, request?.toolCallId ?? "", { decision: "allow" })).toMatchObject({
      resumed: true,
    })
    const after = await attach(chat)
    expect(of(after, "tool-result").map(({ result }) => result)).toEqual(["First. Then saved."])
    expect(of(after, "file")).toMatchObject([{ name: "sum.txt", toolCallId: call?.toolCallId }])
    expect(getText(after)).toBe("It says so.")
    expect(chat.saved).toEqual(["x"])
    expect(getRequests(chat, "expert").map(({ messages }) => messages.length)).toEqual([2, 4, 6])
    expect(await chat.server.database.db.selectFrom("chatFiles").selectAll().execute()).toHaveLength(1)
    await expect(answer(chat, request?.toolCallId ?? "", { decision: "allow" })).rejects.toMatchObject({
      code: "conflict",
    })
    expect(chat.saved).toEqual(["x"])
  })

  // Catches a denied call that runs, and an assistant that isn't notified.
  test("is notified that its call was denied, and still completes", async () => {
    const chat = await talk([named("boss"), named("expert")], expertSaves)
    const request = asked(await chat.ask("Go.", { assistantId: "boss" }))
    await answer(chat, request?.toolCallId ?? "", { decision: "deny" })
    expect(getText(await attach(chat))).toBe("It says so.")
    expect(chat.saved).toEqual([])
    expect(getRequests(chat, "expert").at(-1)?.messages.at(-1)?.content).toMatch(/didn't allow/)
  })

  // Catches state that is stored only one level deep, and calls of several assistants under one id.
  test("waits through every delegating assistant, one approval after another", async () => {
    const chat = await talk([named("boss"), named("expert"), named("clerk")], (name, results) => {
      if (name === "boss") return results === 0 ? { calls: [delegate("expert")] } : { text: "Boss." }
      if (name === "expert") return results === 0 ? { calls: [delegate("clerk")] } : { text: "Expert." }
      return results < 2 ? { calls: [save(`${results}`)] } : { text: "Clerk." }
    })
    let events = await chat.ask("Go.", { assistantId: "boss" })
    const [call] = of(events, "tool-call")
    for (const round of [0, 1]) {
      expect(asked(events)?.delegation).toEqual({
        toolCallId: call?.toolCallId,
        assistantId: "clerk",
        handle: "clerk",
      })
      expect(chat.saved).toHaveLength(round)
      await answer(chat, asked(events)?.toolCallId ?? "", { decision: "allow" })
      events = await attach(chat)
    }
    expect(chat.saved).toEqual(["0", "1"])
    expect(of(events, "tool-result").map(({ result }) => result)).toEqual(["Expert."])
    expect(getText(events)).toBe("Boss.")
  })

  // Catches an approval that is used for other arguments, or for another assistant's call.
  test("is bound to its arguments and to its assistant", async () => {
    for (const [from, to] of [
      ['"text":"x"', '"text":"all"'],
      ['"assistantId":"expert"', '"assistantId":"clerk"'],
    ] as const) {
      const chat = await talk([named("boss"), named("expert"), named("clerk")], expertSaves)
      const request = asked(await chat.ask("Go.", { assistantId: "boss" }))
      const { db } = chat.server.database
      const row = await db.selectFrom("parkedTurns").selectAll().executeTakeFirstOrThrow()
      expect(row.turn).toContain(from)
      await db
        .updateTable("parkedTurns")
        .set({ turn: row.turn.replace(from, to) })
        .execute()
      await answer(chat, request?.toolCallId ?? "", { decision: "allow" })
      await attach(chat)
      expect(chat.saved).toEqual([])
    }
  })

  // Catches an approval that is used twice: by the task, and then by the answer under the same id.
  test("uses an approval only once", async () => {
    let repeated: string | undefined
    const chat = await talk([named("boss"), named("expert")], (name, results) =>
      name === "boss" && results === 1 && repeated !== undefined
        ? { calls: [{ ...save("x"), id: repeated }] }
        : expertSaves(name, results),
    )
    repeated = asked(await chat.ask("Go.", { assistantId: "boss" }))?.toolCallId ?? ""
    await answer(chat, repeated, { decision: "allow" })
    await attach(chat)
    expect(chat.saved).toEqual(["x"])
  })

  // Catches a task that continues although no one wants it any more.
  test("is abandoned when the user continues the chat, and when no one answers in time", async () => {
    const chat = await talk([named("boss"), named("expert")], expertSaves)
    const first = asked(await chat.ask("Go.", { assistantId: "boss" }))
    const next = await chat.ask("Again.", { assistantId: "boss", before: ["Go.", ""] })
    await expect(answer(chat, first?.toolCallId ?? "", { decision: "allow" })).rejects.toMatchObject({
      code: "conflict",
    })
    expect(asked(next)).toBeDefined()
    const past = new Date(0).toISOString()
    await chat.server.database.db.updateTable("approvals").set({ expiresAt: past }).execute()
    await chat.server.chat.start()
    await attach(chat)
    expect(getRequests(chat, "expert").at(-1)?.messages.at(-1)?.content).toMatch(/in time/)
    expect(chat.saved).toEqual([])
  })
})

// Catches a task that is lost when the box is killed.
test("a waiting task survives kill -9 and resumes after the next start", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "casella-task-"))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const model = stack.use(
    await startModelServer(
      speakAs((name, results) => {
        if (name === "boss") return results === 0 ? { calls: [delegate("clerk")] } : { text: "Done." }
        const fact = { action: "remember", text: "Likes green tea" }
        return results === 0 ? { calls: [{ id, name: "memory", args: fact }] } : { text: "Noted." }
      }),
    ),
  )
  const box = await startBoxProcess(dataDir, "--model", model.baseUrl)
  const headers = { "x-api-key": box.firstRunKey ?? "" }
  const before = createClient({ baseUrl: box.url, headers })
  const make = (name: string, builtInTools: Record<string, boolean>) =>
    before.assistants.create({ body: { name, builtInTools, instructions: `I am ${name}.` } })
  const { assistant } = await make("boss", { assistant: true })
  await make("clerk", { memory: true })
  const messages = [{ role: "user" as const, content: "I like green tea." }]
  const body = { id: "tea", messages, boxAddress: box.url, assistantId: assistant.id }
  const request = asked(await collect(before.chat.send({ body })))
  expect(request).toMatchObject({ toolName: "memory", delegation: { handle: "clerk" } })
  await box.stop("SIGKILL")

  const restarted = await startBoxProcess(dataDir, "--model", model.baseUrl)
  const later = createClient({ baseUrl: restarted.url, headers })
  const params = { chatId: "tea", toolCallId: request?.toolCallId ?? "" }
  expect(await later.chat.approve({ params, body: { decision: "allow" } })).toMatchObject({ resumed: true })
  const resumed = await collect(later.chat.attach({ params }))
  expect(of(resumed, "tool-result").map(({ result }) => result)).toEqual(["Noted."])
  expect(getText(resumed)).toBe("Done.")
  expect((await later.memory.list()).memories).toMatchObject([{ text: "Likes green tea" }])
  expect(await restarted.stop()).toBe(0)
})
