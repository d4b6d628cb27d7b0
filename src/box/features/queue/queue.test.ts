import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, test } from "vitest"
import { createClient } from "../../../shared/client/http-client.ts"
import type { QueuePatch } from "../../../shared/contract/queue.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { ensureTestModel } from "../../engines/llama/testing/test-models.ts"
import { startBoxProcess } from "../../testing/box-process.ts"
import type { ChatServerOptions } from "../../testing/chat-server.ts"
import type { Round } from "../../testing/model-servers/model-server.ts"
import { boxAddress, helper, startToolTalk, testTool } from "../chat/testing/tool-talk.ts"

let stack = new AsyncDisposableStack()
afterEach(async () => {
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
})

/** A chat whose answers arrive when the test allows it. Each echoes its question unless specified otherwise. */
async function talk(options: Omit<ChatServerOptions, "engine"> = {}, speak?: (question: string) => Round) {
  let gate = Promise.withResolvers<void>()
  let open = false
  let atGate = 0
  const memory = testTool("memory", () => ({ content: "saved" }))
  const started = stack.use(
    await startToolTalk(
      async ({ messages }) => {
        atGate++
        if (!open) await gate.promise
        atGate--
        const { role, content } = messages.at(-1) ?? { role: "", content: "" }
        return speak?.(role === "tool" ? "result" : (content ?? "")) ?? { text: `Echo: ${content ?? ""}` }
      },
      { tools: [memory], folders: ["own", "else"], ...options },
    ),
  )
  const { server } = started
  const client = server.getClient("alice")
  const of = (id: string) => ({ params: { id } })
  const getQuestions = async (id = "c") => {
    const { chat } = await client.conversations.read(of(id))
    return chat.messages.filter(({ role }) => role === "user").map(({ content }) => content)
  }
  return {
    ...started,
    client,
    add: async (content: string, more: object = {}, id = "c") =>
      (await client.queue.add({ ...of(id), body: { content, ...more } })).entry,
    entries: async (id = "c") => (await client.queue.list(of(id))).entries,
    getQuestions,
    /** All further answers arrive by themselves. */
    release() {
      open = true
      gate.resolve()
    },
    /** Lets the running answer arrive; the next one waits again. */
    async releaseOne() {
      await expect.poll(() => atGate).toBe(1)
      const before = gate
      gate = Promise.withResolvers()
      before.resolve()
    },
    waitForQuestions: (questions: string[], id = "c") =>
      expect.poll(() => getQuestions(id).catch(() => [])).toEqual(questions),
    idle: (id = "c") =>
      expect.poll(async () => (await client.chat.status({ params: { chatId: id } })).isActive).toBe(false),
  }
}

const getCode = (promise: Promise<unknown>) =>
  promise.then(
    () => "none",
    (error: unknown) => (error instanceof AppError ? error.code : error),
  )

// Catches questions that overtake each other, a question asked during an answer, and an idle chat that waits.
test("an idle chat asks at once; later questions are asked in order, each after a complete answer", async () => {
  const { add, entries, waitForQuestions, releaseOne, release, idle, client, server } = await talk()
  const first = await add("one")
  expect(first).toMatchObject({ position: 1, state: "waiting", waitsFor: null })
  expect(await client.chat.status({ params: { chatId: "c" } })).toMatchObject({ isActive: true })
  expect(await add("two")).toMatchObject({ position: 1, state: "waiting", waitsFor: "answer" })
  expect(await add("three")).toMatchObject({ position: 2, waitsFor: "answer" })
  expect(await entries()).toMatchObject([{ content: "two" }, { content: "three" }])
  await releaseOne()
  await waitForQuestions(["one", "two"])
  expect(await entries()).toMatchObject([{ content: "three", position: 1, waitsFor: "answer" }])
  release()
  await waitForQuestions(["one", "two", "three"])
  await idle()
  expect(await entries()).toEqual([])
  const { chat } = await client.conversations.read({ params: { id: "c" } })
  expect(chat.messages.map(({ role }) => role).join()).toBe("user,assistant,user,assistant,user,assistant")
  expect(chat.branches).toHaveLength(1)
  expect(server.pushed).toContainEqual({ type: "queue", chatId: "c" })
})

// Catches a change that comes too late to take effect, a removed question that is asked, and one person's queue that another can see.
test("only its owner can change or remove a queued question", async () => {
  const { add, entries, waitForQuestions, release, client, server } = await talk()
  await add("one")
  const two = await add("two")
  const three = await add("three")
  const bob = server.getClient("bob")
  expect((await bob.queue.list({ params: { id: "c" } })).entries).toEqual([])
  const of = (entryId: string) => ({ params: { id: "c", entryId } })
  expect(await getCode(bob.queue.change({ ...of(two.id), body: { content: "Bob's" } }))).toBe("not_found")
  expect(await getCode(bob.queue.remove(of(two.id)))).toBe("not_found")
  const { entry } = await client.queue.change({ ...of(two.id), body: { content: "two, changed" } })
  expect(entry).toMatchObject({ id: two.id, position: 1, content: "two, changed" })
  await client.queue.remove(of(three.id))
  expect(await getCode(client.queue.remove(of(three.id)))).toBe("not_found")
  expect(await entries()).toMatchObject([{ content: "two, changed" }])
  expect((await client.queue.chats()).chats).toEqual([{ chatId: "c", content: "two, changed" }])
  expect((await bob.queue.chats()).chats).toEqual([])
  release()
  await waitForQuestions(["one", "two, changed"])
})

// Catches a change that is confirmed although the question is asked in its old form, with a folder that was removed.
test("a question that is changed while it starts is asked in its changed form", async () => {
  const starting = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const getChatFolder = async () => {
    starting.resolve()
    await released.promise
    return null
  }
  const { add, entries, waitForQuestions, release, client } = await talk({ getChatFolder })
  release()
  const added = add("as it was", { vector: ["own"] })
  await starting.promise
  const [waiting] = await entries()
  const params = { id: "c", entryId: waiting?.id ?? "" }
  const changed = client.queue.change({ params, body: { content: "as it is", vector: null } })
  await expect.poll(async () => (await entries())[0]?.content).toBe("as it is")
  released.resolve()
  expect((await changed).entry).toMatchObject({ content: "as it is", vector: [] })
  await added
  await waitForQuestions(["as it is"])
  expect((await client.conversations.read({ params })).chat.vectorIds).toEqual([])
})

// Catches a reading mode, or a choice of how to search, that is lost in the queue.
test("a queued question keeps how it is to be read and searched for", async () => {
  const { add, entries, client } = await talk()
  await add("one")
  const whole = { reading: "whole", vector: ["own"], rewrite: "off" } as const
  expect(await add("two", whole)).toMatchObject(whole)
  expect(await add("three")).toMatchObject({ reading: null, vector: [], rewrite: "auto" })
  const [two] = await entries()
  const params = { id: "c", entryId: two?.id ?? "" }
  await client.queue.change({ params, body: { reading: "passages" } })
  expect(await entries()).toMatchObject([
    { reading: "passages", vector: ["own"], rewrite: "off" },
    { reading: null },
  ])
  expect((await client.queue.change({ params, body: { rewrite: "auto" } })).entry.rewrite).toBe("auto")
  // The chat gets the reading mode, too: it refuses to read everything without any files.
  expect(await add("all of it", { reading: "whole" }, "d")).toMatchObject({ problem: { code: "validation" } })
})

// Catches a question that is accepted although it names something that doesn't exist, and then pauses the queue.
test("a question that names something unknown is refused with the chat's error", async () => {
  const { add, entries, client } = await talk()
  await add("one")
  const { id: entryId } = await add("two")
  const unknown = "0198c0de-0000-7000-8000-000000000001"
  const names: [QueuePatch, code: string][] = [
    [{ vector: [unknown] }, "not_found"],
    [{ assistantId: unknown }, "not_found"],
    [{ fileIds: [unknown] }, "not_found"],
    [{ attachments: [unknown] }, "validation"],
    [{ modelId: "none" }, "validation"],
  ]
  for (const [named, code] of names) {
    expect(await getCode(add("three", named))).toBe(code)
    expect(await getCode(client.queue.change({ params: { id: "c", entryId }, body: named }))).toBe(code)
  }
  expect(await getCode(add("three", { projectId: unknown }))).toBe("validation")
  expect(await entries()).toMatchObject([{ content: "two", problem: null }])
})

// Catches a server that runs out of memory at every start because of one person's questions in very many chats.
test("one person's questions may be long, but not all of them", async () => {
  const { add, client, server } = await talk()
  server.replaceEngine(null)
  const long = "漢".repeat(3_200_000)
  for (const id of ["a", "b", "c"]) await add(long, {}, id)
  expect(await getCode(add(long, {}, "d"))).toBe("queue_full")
  const { id: entryId } = await add("short", {}, "d")
  const change = { params: { id: "d", entryId }, body: { content: long } }
  expect(await getCode(client.queue.change(change))).toBe("queue_full")
  expect((await client.queue.chats()).chats.map(({ content }) => content.length)).toEqual([300, 300, 300, 5])
  await server.getClient("bob").queue.add({ params: { id: "e" }, body: { content: long } })
})

// Catches a queue without a limit, and a chat's limit that includes another chat's questions.
test("the 51st question is refused, and so is invalid input", async () => {
  const { add, entries } = await talk()
  await add("begins")
  for (let count = 1; count <= 50; count++) await add(`number ${count}`)
  expect(await getCode(add("one too many"))).toBe("queue_full")
  expect(await entries()).toHaveLength(50)
  expect(await add("in another chat", {}, "d")).toMatchObject({ waitsFor: null })
  expect(await getCode(add("  "))).toBe("validation")
  expect(await getCode(add("Hi.", {}, "x".repeat(201)))).toBe("validation")
})

// Catches a question that silently denies a call that someone is about to allow, and a question asked during the resumed answer.
test("waiting calls come first, and no question is asked while an answer resumes", async () => {
  const asks = (question: string): Round =>
    question.startsWith("save") ? { calls: [{ name: "memory", args: { text: "a" } }] } : { text: "Fine." }
  const { add, entries, waitForQuestions, release, client, idle } = await talk({ assistants: [helper] }, asks)
  release()
  await add("save", { assistantId: "helper" })
  const params = { chatId: "c" }
  await expect.poll(async () => (await client.chat.approvals({ params })).approvals).toHaveLength(1)
  await idle()
  expect(await add("next")).toMatchObject({ waitsFor: "approval" })
  const [call] = (await client.chat.approvals({ params })).approvals
  const allowed = {
    params: { ...params, toolCallId: call?.toolCallId ?? "" },
    body: { decision: "allow" },
  } as const
  // Concurrently: the call is allowed while another question is added.
  await Promise.all([client.chat.approve(allowed), add("after")])
  await waitForQuestions(["save", "next", "after"])
  await idle()
  expect(await entries()).toEqual([])
  const { chat } = await client.conversations.read({ params: { id: "c" } })
  expect(chat.branches).toHaveLength(1)
  expect(chat.messages.map(({ finishReason }) => finishReason)).toEqual([
    null,
    "stop",
    null,
    "stop",
    null,
    "stop",
  ])
  expect(chat.messages[1]?.parts).toContainEqual(
    expect.objectContaining({ type: "tool-result", result: "saved" }),
  )

  // A user who doesn't want to decide can ask at once.
  await add("save again", { assistantId: "helper" })
  const last = await add("enough")
  await expect.poll(async () => (await entries())[0]?.waitsFor).toBe("approval")
  await client.queue.change({ params: { id: "c", entryId: last.id }, body: { now: true } })
  await waitForQuestions(["save", "next", "after", "save again", "enough"])
})

// Catches a stop after which the next question runs at once, and a queue that can't be resumed.
test("stopping an answer holds queued questions until they are resumed or another one is asked", async () => {
  const { add, entries, waitForQuestions, release, client, idle } = await talk()
  await add("one")
  await add("two")
  await add("three")
  await client.chat.stop({ params: { chatId: "c" } })
  await idle()
  expect(await entries()).toMatchObject([
    { content: "two", waitsFor: null, stopped: true },
    { content: "three", stopped: true },
  ])
  // Removing the first question doesn't resume the others.
  await client.queue.remove({ params: { id: "c", entryId: (await entries())[0]?.id ?? "" } })
  expect(await entries()).toMatchObject([{ content: "three", stopped: true }])
  await client.queue.resume({ params: { id: "c" } })
  await waitForQuestions(["one", "three"])
  await add("four")
  await client.chat.stop({ params: { chatId: "c" } })
  await idle()
  expect(await entries()).toMatchObject([{ content: "four", stopped: true }])
  release()
  await add("five")
  await waitForQuestions(["one", "three", "four", "five"])
  await client.chat.stop({ params: { chatId: "c" } }) // nothing is running, so nothing is held
  await idle()
})

// Catches a question that is lost because there is no model yet, and one that isn't asked when there is a model.
test("without a model a question waits for one, unless it can be answered from folders", async () => {
  const { add, entries, waitForQuestions, release, client, server, idle } = await talk()
  const engine = server.engine()
  server.replaceEngine(null)
  expect(await add("one")).toMatchObject({ waitsFor: "model", problem: null })
  const folders = await add("from folders", { vector: ["else"] }, "d")
  expect(folders).toMatchObject({ waitsFor: null })
  await waitForQuestions(["from folders"], "d")
  release()
  server.replaceEngine(engine)
  await waitForQuestions(["one"])
  await idle()
  server.replaceEngine(null)
  const two = await add("two")
  expect(two).toMatchObject({ waitsFor: "model" })
  await client.queue.change({ params: { id: "c", entryId: two.id }, body: { vector: ["else"] } })
  await waitForQuestions(["one", "two"])
  expect(await entries()).toEqual([])
})

// Catches a question asked before its files can be found, one whose files aren't searched, and one that waits for ever.
test("a question waits for its chat's files, and is then answered from them", async () => {
  const own = { id: "own", files: 1, pending: 1 }
  const { add, entries, waitForQuestions, release, client, server } = await talk({
    getChatFolder: () => Promise.resolve(own),
  })
  release()
  expect(await add("about the file")).toMatchObject({ waitsFor: "files" })
  own.pending = 0
  server.bus.publish("files.changed", {})
  await waitForQuestions(["about the file"])
  const { chat } = await client.conversations.read({ params: { id: "c" } })
  expect(chat.vectorIds).toEqual(["own"])
  own.pending = 1
  const now = await add("at once")
  await expect.poll(async () => (await entries())[0]?.waitsFor).toBe("files")
  await client.queue.change({ params: { id: "c", entryId: now.id }, body: { now: true } })
  await waitForQuestions(["about the file", "at once"])
})

// Catches a question that disappears or blocks silently because its assistant is gone, and a revoked key that still asks.
test("a question that can't be asked any more stays with the reason, and its owner is notified", async () => {
  const assistants = [{ ...helper }]
  const { add, entries, waitForQuestions, release, releaseOne, client, server, idle } = await talk({
    assistants,
  })
  const held: string[] = []
  server.bus.subscribe("question.held", ({ content }) => void held.push(content))
  await add("one")
  const two = await add("two", { assistantId: "helper" })
  await add("three")
  assistants.length = 0
  await releaseOne()
  await idle()
  await expect.poll(async () => (await entries())[0]?.problem?.code).toBe("not_found")
  expect(await entries()).toMatchObject([
    { content: "two", waitsFor: null },
    { content: "three", waitsFor: "answer", problem: null },
  ])
  expect(held).toEqual(["two"])
  release()
  await client.queue.change({ params: { id: "c", entryId: two.id }, body: { assistantId: null } })
  await waitForQuestions(["one", "two", "three"])
  await idle()

  const engine = server.engine()
  server.replaceEngine(null)
  await add("four")
  server.revoke("alice")
  server.replaceEngine(engine)
  await expect.poll(async () => (await entries())[0]?.problem?.code).toBe("unauthorized")
})

// Catches a question that is about to be asked when its chat is deleted and then permanently replaces the chat.
test("a chat that is deleted during an answer with queued questions is restored completely", async () => {
  const { add, entries, getQuestions, client, server } = await talk()
  await add("one")
  await add("two")
  const { undo } = await client.conversations.remove({ params: { id: "c" } })
  expect(server.pushed.filter(({ type }) => type === "queue").length).toBeGreaterThan(2)
  await client.deletions.undo({ body: { token: undo.token } })
  expect(await getQuestions()).toEqual(["one"])
  expect(await entries()).toMatchObject([{ content: "two", stopped: true }])
})

// Catches a deletion that becomes permanent because of a failed request.
test("a refused request leaves a deleted chat with the same ID unchanged", async () => {
  const { add, waitForQuestions, getQuestions, idle, release, client } = await talk()
  release()
  await add("one")
  await waitForQuestions(["one"])
  await idle()
  const { undo } = await client.conversations.remove({ params: { id: "c" } })
  const attachments = ["nowhere"]
  const body = { id: "c", messages: [{ role: "user" as const, content: "Hi." }], boxAddress, attachments }
  const ask = async () => {
    for await (const event of client.chat.send({ body })) if (event.type === "finish") break
  }
  expect(await getCode(ask())).toBe("validation")
  expect(await getCode(add("Hi.", { attachments }))).toBe("validation")
  await client.deletions.undo({ body: { token: undo.token } })
  expect(await getQuestions()).toEqual(["one"])
})

// Catches a queue that remains after its chat is deleted and starts the chat again.
test("deleting a chat deletes its queued questions", async () => {
  const { add, entries, client, idle } = await talk()
  await add("one")
  await add("two")
  await client.conversations.remove({ params: { id: "c" } })
  await idle()
  expect(await entries()).toEqual([])
  expect((await client.conversations.list()).chats).toEqual([])
})

// Catches a queue kept only in memory, and a question asked twice or never after a crash.
test("queued questions survive kill -9 and are asked when the server is back", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "casella-queue-"))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const model = ensureTestModel({ reply: "Yes.", replies: { "!": { forever: " on" } } })
  const box = await startBoxProcess(dataDir, "--model", model)
  const headers = { "x-api-key": box.firstRunKey ?? "" }
  const client = createClient({ baseUrl: box.url, headers })
  const params = { id: "c" }
  await client.queue.add({ params, body: { content: "Go on!" } })
  for (const content of ["two", "three"]) await client.queue.add({ params, body: { content, boxAddress } })
  await box.stop("SIGKILL")

  const restarted = await startBoxProcess(dataDir, "--model", model)
  const later = createClient({ baseUrl: restarted.url, headers })
  const getQuestions = async () =>
    (await later.conversations.read({ params })).chat.messages.map(({ role, content }) =>
      role === "user" ? content : "answer",
    )
  await expect
    .poll(getQuestions, { timeout: 90_000 })
    .toEqual(["Go on!", "answer", "two", "answer", "three", "answer"])
  expect((await later.queue.list({ params })).entries).toEqual([])
  expect(await restarted.stop()).toBe(0)
}, 180_000)
