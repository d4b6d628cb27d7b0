import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, test, vi } from "vitest"
import type { ChatEvent } from "../../../../shared/contract/chat.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { openAgeClock } from "../../../core/age-clock.ts"
import type { ChatServerOptions } from "../../../testing/chat-server.ts"
import type { Round } from "../../../testing/model-servers/model-server.ts"
import { collect, helper, of, startToolTalk, testTool, getText, type ToolTalk } from "../testing/tool-talk.ts"

let stack = new AsyncDisposableStack()
afterEach(async () => {
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
})

const save = (text: string) => ({ name: "memory", args: { text } })
const add = (text: string) => ({ name: "calculate", args: { text } })

/** A chat in which the `memory` tool records its arguments. */
async function talk(
  speak: (round: number) => Round,
  assistants = [helper],
  options: Pick<ChatServerOptions, "times"> = {},
) {
  const saved: string[] = []
  const memory = testTool("memory", (text) => {
    saved.push(text)
    return { content: `saved ${text}` }
  })
  const calculate = testTool("calculate", (text) => ({ content: `of ${text}` }))
  const started = await startToolTalk((_, round) => speak(round), {
    tools: [memory, calculate],
    assistants,
    ...options,
  })
  return { ...stack.use(started), saved }
}

const waiting = async ({ server }: ToolTalk, user = "alice", chatId = "c1") =>
  (await server.getClient(user).chat.approvals({ params: { chatId } })).approvals

function answer(
  { server }: ToolTalk,
  toolCallId: string,
  body: { decision: "allow" | "deny"; remember?: "chat" },
  user = "alice",
) {
  return server.getClient(user).chat.approve({ params: { chatId: "c1", toolCallId }, body })
}
const attach = ({ server }: ToolTalk) =>
  collect(server.getClient("alice").chat.attach({ params: { chatId: "c1" } }))
const getCallId = (events: readonly ChatEvent[]) => of(events, "tool-approval-request")[0]?.toolCallId ?? ""
const getCode = (promise: Promise<unknown>) =>
  promise.then(
    () => "none",
    (error: unknown) => (error instanceof AppError ? error.code : error),
  )

const once = (round: number): Round =>
  round === 1 ? { text: "I'll save it. ", calls: [save("a")] } : { text: "Done." }

describe("a call that needs an approval", () => {
  // Catches a call that runs without approval, a stream that never ends, and a pending approval that isn't reported.
  test("parks its turn: the stream ends, and its owner is notified", async () => {
    const parked = await talk(once)
    const events = await parked.ask("Save a.")
    expect(events.map(({ type }) => type)).toEqual([
      "start",
      "text-delta",
      "tool-call",
      "tool-approval-request",
      "finish",
    ])
    expect(of(events, "tool-approval-request")[0]).toMatchObject({
      toolName: "memory",
      args: { text: "a" },
      reasonCode: "write",
    })
    expect(events.at(-1)).toMatchObject({ finishReason: "tool-calls" })
    expect(parked.saved).toEqual([])
    const toolCallId = getCallId(events)
    expect(await waiting(parked)).toMatchObject([{ toolCallId, toolName: "memory", args: { text: "a" } }])
    const status = await parked.server.getClient("alice").chat.status({ params: { chatId: "c1" } })
    expect(status).toMatchObject({ status: "completed", isActive: false, pendingApprovals: 1 })
    expect(parked.server.pushed).toContainEqual({
      type: "approval",
      chatId: "c1",
      toolCallId,
      toolName: "memory",
    })
  })

  // Catches an approval that runs another call or runs it twice, and a resumed stream that contains only the rest.
  test("runs once when it is allowed, and the turn resumes as a stream of the whole message", async () => {
    const parked = await talk(once)
    const before = await parked.ask("Save a.")
    const toolCallId = getCallId(before)
    const results = await Promise.allSettled(
      [1, 2, 3].map(() => answer(parked, toolCallId, { decision: "allow" })),
    )
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    const events = await attach(parked)
    expect(events.map(({ type }) => type)).toEqual([
      "start",
      "text-delta",
      "tool-call",
      "tool-result",
      "text-delta",
      "finish",
    ])
    expect(events[0]).toEqual({ ...before[0], eventId: expect.any(String) as string })
    expect(getText(events)).toBe("I'll save it. Done.")
    expect(events.at(-1)).toMatchObject({ finishReason: "stop" })
    expect(parked.saved).toEqual(["a"])
    expect((await parked.parts()).map(({ type }) => type)).toEqual([
      "text",
      "tool-call",
      "tool-result",
      "text",
    ])
    expect(await waiting(parked)).toEqual([])
    expect(await getCode(answer(parked, toolCallId, { decision: "allow" }))).toBe("conflict")
    expect(parked.saved).toEqual(["a"])
    const sent = parked.model.requests.at(-1)?.messages ?? []
    expect(sent.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"])
  })

  // Catches a waiting call that is missing from the list of all chats, listed for another user, or never removed from it.
  test("is listed in its owner's activity until it is decided", async () => {
    const parked = await talk(once)
    const toolCallId = getCallId(await parked.ask("Save a."))
    const activity = (user: string) => parked.server.getClient(user).chat.activity()
    expect(await activity("alice")).toMatchObject({
      answering: [],
      approvals: [{ chatId: "c1", title: "Save a.", toolCallId, args: { text: "a" } }],
    })
    expect(await activity("bob")).toEqual({ answering: [], approvals: [] })
    await answer(parked, toolCallId, { decision: "allow" })
    expect((await activity("alice")).approvals).toEqual([])
    await attach(parked)
    expect(await activity("alice")).toEqual({ answering: [], approvals: [] })
  })

  // Catches a model that isn't notified, and a denied call that runs.
  test("doesn't run when it is denied, and the model is notified", async () => {
    const parked = await talk(once)
    const toolCallId = getCallId(await parked.ask("Save a."))
    expect(await answer(parked, toolCallId, { decision: "deny" })).toMatchObject({
      success: true,
      resumed: true,
    })
    expect(of(await attach(parked), "tool-result")[0]).toMatchObject({
      result: { error: expect.stringMatching(/didn't allow/) as string },
      deniedByUser: true,
    })
    expect(parked.saved).toEqual([])
    expect(parked.model.requests.at(-1)?.messages.at(-1)?.content).toMatch(/didn't allow/)
  })

  // Catches a turn that continues while one of its calls still waits.
  test("delays the turn together with other such calls of its round, while calls without approval run at once", async () => {
    const parked = await talk((round) =>
      round === 1 ? { calls: [save("a"), add("1"), save("b")] } : { text: "Done." },
    )
    const events = await parked.ask("Save both.")
    expect(of(events, "tool-result").map(({ result }) => result)).toEqual(["of 1"])
    const [first, second] = of(events, "tool-approval-request").map(({ toolCallId }) => toolCallId)
    expect(await answer(parked, first ?? "", { decision: "deny" })).toMatchObject({ resumed: false })
    expect(parked.model.requests).toHaveLength(1)
    expect(await answer(parked, second ?? "", { decision: "allow" })).toMatchObject({ resumed: true })
    await attach(parked)
    expect(parked.saved).toEqual(["b"])
    const tools = (parked.model.requests.at(-1)?.messages ?? []).filter(({ role }) => role === "tool")
    expect(tools.map(({ content }) => content)).toEqual([
      expect.stringMatching(/didn't allow/),
      "of 1",
      "saved b",
    ])
  })

  // Catches a model that floods its owner with approvals.
  test("is subject to the limits of its answer", async () => {
    const calls = Array.from({ length: 20 }, (_, index) => save(`${index}`))
    const parked = await talk((round) => (round === 1 ? { calls } : { text: "Done." }))
    const events = await parked.ask("Save all.")
    expect(of(events, "tool-approval-request")).toHaveLength(16)
    expect(of(events, "tool-result")).toHaveLength(4)
  })

  // Catches "allow for this chat" that applies to another chat or tool, or not at all.
  test("needs no further approval in a chat that remembers it", async () => {
    const parked = await talk((round) =>
      round % 2 === 1 ? { calls: [save(`${round}`)] } : { text: "Done." },
    )
    const toolCallId = getCallId(await parked.ask("Save."))
    await answer(parked, toolCallId, { decision: "allow", remember: "chat" })
    await attach(parked)
    const next = await parked.ask("Again.", { before: ["Save.", "Done."] })
    expect(next.at(-1)).toMatchObject({ finishReason: "stop" })
    expect(parked.saved).toEqual(["1", "3"])
    const other = await parked.ask("Save.", { id: "c2" })
    expect(getCallId(other)).not.toBe("")
    expect(parked.saved).toEqual(["1", "3"])
  })

  // Catches a call that runs days later, when no one remembers the context.
  test("is treated as denied when it expires, and the model is notified", async () => {
    const parked = await talk(once)
    const toolCallId = getCallId(await parked.ask("Save a."))
    const past = new Date(0).toISOString()
    await parked.server.database.db.updateTable("approvals").set({ expiresAt: past }).execute()
    expect(await waiting(parked)).toEqual([])
    expect(await getCode(answer(parked, toolCallId, { decision: "allow" }))).toBe("conflict")
    await parked.server.chat.start()
    expect(of(await attach(parked), "tool-result")[0]?.result).toMatchObject({
      error: expect.stringMatching(/in time/) as string,
    })
    expect(parked.saved).toEqual([])
  })

  // Catches a model that continues for a user who has been disabled, and a turn that is lost because it paused.
  test("pauses while its owner is disabled", async () => {
    const parked = await talk(once)
    await parked.ask("Save a.")
    const { chat, database } = parked.server
    const disabled = (disabledAt: string | null) =>
      database.db.updateTable("users").set({ disabledAt }).execute()
    await disabled(new Date().toISOString())
    await database.db
      .updateTable("approvals")
      .set({ expiresAt: new Date(0).toISOString() })
      .execute()
    await chat.start()
    expect(await database.db.selectFrom("parkedTurns").select("messageId").execute()).toHaveLength(1)
    await disabled(null)
    await chat.start()
    expect(of(await attach(parked), "tool-result")).toHaveLength(1)
  })

  // Catches an approval that is used for arguments other than those shown.
  test("is bound to its arguments", async () => {
    const parked = await talk(once)
    const toolCallId = getCallId(await parked.ask("Save a."))
    const { db } = parked.server.database
    const row = await db
      .selectFrom("messages")
      .selectAll()
      .where("role", "=", "assistant")
      .executeTakeFirstOrThrow()
    await db
      .updateTable("messages")
      .set({ parts: row.parts.replace('"text":"a"', '"text":"all"') })
      .where("id", "=", row.id)
      .execute()
    await answer(parked, toolCallId, { decision: "allow" }).catch(() => undefined)
    await attach(parked)
    expect(parked.saved).toEqual([])
  })

  // Catches an approval that stays pending after the user continued the chat, and a history without the call's result.
  test("is treated as denied when the user continues without answering", async () => {
    const parked = await talk(once)
    const toolCallId = getCallId(await parked.ask("Save a."))
    const events = await parked.ask("Never mind.", { before: ["Save a.", "I'll save it."] })
    expect(getText(events)).toBe("Done.")
    expect(await waiting(parked)).toEqual([])
    expect(await getCode(answer(parked, toolCallId, { decision: "allow" }))).toBe("conflict")
    expect(parked.saved).toEqual([])
    const sent = parked.model.requests.at(-1)?.messages ?? []
    expect(sent.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "user"])
    expect(sent[3]?.content).toMatch(/went on without/)
  })

  // Catches a user who can read or decide another user's calls.
  test("is accessible to its owner only", async () => {
    const parked = await talk(once)
    const toolCallId = getCallId(await parked.ask("Save a."))
    expect(await waiting(parked, "bob")).toEqual([])
    expect(await getCode(answer(parked, toolCallId, { decision: "allow" }, "bob"))).toBe("not_found")
    expect(await getCode(answer(parked, "other", { decision: "allow" }))).toBe("not_found")
    expect(parked.saved).toEqual([])
  })

  // Catches rows that remain after their chat, and a call that can be approved after its chat was deleted.
  test("is deleted with its chat", async () => {
    const parked = await talk(once)
    const toolCallId = getCallId(await parked.ask("Save a."))
    const ended: string[] = []
    parked.server.bus.subscribe("approval.decided", (call) => ended.push(call.toolCallId))
    await parked.server.getClient("alice").conversations.remove({ params: { id: "c1" } })
    expect(await waiting(parked)).toEqual([])
    // Other windows still list it until they are notified.
    expect(parked.server.pushed.at(-1)).toEqual({ type: "chat", chatId: "c1", status: "not_found" })
    expect(await getCode(answer(parked, toolCallId, { decision: "allow" }))).toBe("not_found")
    expect(ended).toEqual([])
    await parked.server.endDeletions()
    // Its notification would ask for a decision that no one can make.
    expect(ended).toEqual([toolCallId])
    for (const table of ["approvals", "parkedTurns"] as const)
      expect(await parked.server.database.db.selectFrom(table).selectAll().execute()).toEqual([])
  })

  // Catches a call that is lost when the deletion of its chat is undone, that runs in the meantime, or that continues without approval.
  test("waits again after the deletion of its chat is undone", async () => {
    const parked = await talk(once)
    const toolCallId = getCallId(await parked.ask("Save a."))
    const client = parked.server.getClient("alice")
    const { undo } = await client.conversations.remove({ params: { id: "c1" } })
    await parked.server.chat.start()
    expect(parked.saved).toEqual([])
    await client.deletions.undo({ body: { token: undo.token } })
    expect(await waiting(parked)).toMatchObject([{ toolCallId }])
    await answer(parked, toolCallId, { decision: "allow" })
    await attach(parked)
    expect(parked.saved).toEqual(["a"])
  })
})

describe("a clock that jumps", () => {
  const hourMs = 3_600_000
  const now = Date.now()
  const jumpTo = (ms: number) => vi.setSystemTime(ms)

  /** A chat whose box remembers how far time had advanced. Only the system date changes, as if someone set the clock. */
  async function talkInTime() {
    vi.useFakeTimers({ toFake: ["Date"], now })
    stack.defer(() => void vi.useRealTimers())
    const directory = await mkdtemp(join(tmpdir(), "casella-approvals-"))
    stack.defer(() => rm(directory, { recursive: true }))
    const times = stack.use(openAgeClock(join(directory, "clock.json")))
    const parked = await talk(once, [helper], { times })
    return {
      ...parked,
      ask: () => parked.ask("Save a."),
      async waitsAt(ms: number) {
        jumpTo(ms)
        await parked.server.chat.start()
        return (await waiting(parked)).length
      },
    }
  }

  // Catches a call that is treated as denied because the clock went back.
  test("back: existing calls keep waiting, and new calls wait their full day", async () => {
    const { ask, waitsAt } = await talkInTime()
    await ask()
    expect(await waitsAt(now - 23 * hourMs)).toBe(1)
    expect(await waitsAt(now + hourMs)).toBe(1)
    const other = await talkInTime()
    jumpTo(now - 23 * hourMs)
    await other.ask()
    expect(await other.waitsAt(now + 2 * hourMs)).toBe(1)
  })

  // Catches a call that can be approved for years because it was created while the clock was ahead.
  test("ahead: calls created then wait a day after the clock is corrected", async () => {
    const { ask, waitsAt } = await talkInTime()
    jumpTo(Date.parse("2090-01-01"))
    await ask()
    expect(await waitsAt(now)).toBe(1)
    expect(await waitsAt(now + 25 * hourMs)).toBe(0)
  })
})
