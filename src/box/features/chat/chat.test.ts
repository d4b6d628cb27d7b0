import { tmpdir } from "node:os"
import SqliteDatabase from "better-sqlite3"
import { sql } from "kysely"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { ChatEvent } from "../../../shared/contract/chat.ts"
import type { Received } from "../../../shared/client/calls.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { noQuotas } from "../../testing/served-features.ts"
import { systemTimes } from "../../core/age-clock.ts"
import { createToolbox, noIntegrations } from "../../tools/registry.ts"
import {
  foundPassages,
  type ChatServer,
  noFiles,
  startChatServer,
  startTestEngine,
  type TestEngine,
  noLibrary,
} from "../../testing/chat-server.ts"
import { createColumnFacts } from "./turn/prompt/prompt.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"

const boxAddress = "http://127.0.0.1:8484"
const greeting = "Hello from the scripted model."
type Event = Received<ChatEvent>

let model: TestEngine
let server: ChatServer
beforeAll(async () => {
  model = startTestEngine()
  await model.engine.countTokens("")
})
afterAll(async () => {
  await model.engine[Symbol.asyncDispose]()
})
beforeEach(async () => {
  server = await startChatServer({ engine: model.engine })
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

const user = (content: string) => ({ role: "user" as const, content })
const assistant = (content: string) => ({ role: "assistant" as const, content })
const send = (id: string, ...messages: { role: "user" | "assistant" | "system"; content: string }[]) =>
  server.getClient("alice").chat.send({ body: { id, messages, boxAddress } })
const attach = (chatId: string, lastEventId?: string) =>
  server
    .getClient("alice")
    .chat.attach(
      { params: { chatId } },
      lastEventId === undefined ? {} : { headers: { "last-event-id": lastEventId } },
    )
const getText = (events: readonly ChatEvent[]) =>
  events.map((event) => (event.type === "text-delta" ? event.textDelta : "")).join("")
const read = async (id: string, branch?: string) =>
  (
    await server
      .getClient("alice")
      .conversations.read({ params: { id }, ...(branch ? { query: { branch } } : {}) })
  ).chat
const getCode = (promise: Promise<unknown>) =>
  promise.then(
    () => "none",
    (error: unknown) => (error instanceof AppError ? error.code : error),
  )

async function collect(events: AsyncIterable<Event>): Promise<Event[]> {
  const seen: Event[] = []
  for await (const event of events) seen.push(event)
  return seen
}

/** Reads until a given number of text events have arrived. */
async function readSome(events: AsyncIterable<Event>, count: number): Promise<Event[]> {
  const seen: Event[] = []
  for await (const event of events) {
    seen.push(event)
    if (seen.filter(({ type }) => type === "text-delta").length >= count) break
  }
  return seen
}

describe("a chat", () => {
  // Catches a missing or misplaced event, and a transcript that differs from the stream.
  test("streams start, text and finish, and stores both messages", async () => {
    const events = await collect(send("c1", user("What is it.\nMore")))
    expect(events[0]).toMatchObject({ type: "start", chatId: "c1" })
    expect(events.at(-1)).toMatchObject({ type: "finish", finishReason: "stop" })
    expect(events.filter(({ type }) => type === "finish")).toHaveLength(1)
    expect(getText(events)).toBe(greeting)
    const finish = events.at(-1)
    const usage = finish?.type === "finish" ? finish.usage : undefined
    expect(usage?.totalTokens).toBe((usage?.promptTokens ?? 0) + (usage?.completionTokens ?? 0))

    const chat = await read("c1")
    expect(chat).toMatchObject({ title: "What is it.", origin: "API", messageCount: 2, vectorIds: [] })
    expect(chat.messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "What is it.\nMore"],
      ["assistant", greeting],
    ])
    expect(chat.messages[1]).toMatchObject({
      id: events[0]?.type === "start" ? events[0].messageId : "",
      finishReason: "stop",
      parts: [{ type: "text", text: greeting }],
    })
    expect(server.pushed.filter(({ type }) => type === "chat")).toEqual([
      { type: "chat", chatId: "c1", status: "active" },
      { type: "chat", chatId: "c1", status: "completed" },
    ])
  })

  // Catches a setting that is ignored, and stored text that is lost with the other event format.
  test("sends text events in the format set in the configuration", async () => {
    await using other = await startChatServer({ engine: model.engine, textEvent: "text" })
    const events = await collect(
      other.getClient("alice").chat.send({ body: { id: "c1", messages: [user("Hi.")], boxAddress } }),
    )
    expect(events.some(({ type }) => type === "text-delta")).toBe(false)
    expect(events.map((event) => (event.type === "text" ? event.text : "")).join("")).toBe(greeting)
    const { chat } = await other.getClient("alice").conversations.read({ params: { id: "c1" } })
    expect(chat.messages[1]?.content).toBe(greeting)
  })

  // Catches errors that arrive as stream events, and ones that leave a chat behind.
  test("refuses a request before the first byte, and stores nothing", async () => {
    const chat = (body: object, key = "alice") =>
      fetch(`${server.url}/api/ai/chat`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": key },
        body: JSON.stringify({ id: "bad", messages: [user("Hi.")], boxAddress, ...body }),
      })
    const refusal = async (body: object, key?: string) => {
      const response = await chat(body, key)
      return [response.status, ((await response.json()) as { code: string }).code]
    }
    expect(await refusal({}, "nobody")).toEqual([401, "unauthorized"])
    for (const body of [
      { id: "" },
      { messages: [] },
      { messages: "Hi" },
      { messages: [{ role: "tool", content: "x" }] },
      { messages: [user("Hi."), assistant("Ho.")] },
      { messages: [user(" \n")] },
      { boxAddress: "javascript:alert(1)" },
      { boxAddress: "/relative" },
      { boxAddress: undefined },
      { vector: "folder" },
    ]) {
      expect(await refusal(body), JSON.stringify(body)).toEqual([400, "validation"])
    }
    expect(await refusal({ assistantId: "none" })).toEqual([404, "not_found"])
    expect(await refusal({ vector: ["none"] })).toEqual([404, "not_found"])
    expect((await server.getClient("alice").conversations.list()).chats).toEqual([])
  })

  // Catches a caller's system message that is dropped or stored as the assistant's.
  test("keeps the caller's system messages in the transcript", async () => {
    await collect(send("c1", { role: "system", content: "Be brief" }, user("Hi.")))
    expect((await read("c1")).messages.map(({ role }) => role)).toEqual(["system", "user", "assistant"])
  })
})

describe("histories", () => {
  // Catches lost branches, transcripts that differ from the caller's messages, and kept messages that are stored twice.
  test("follow the caller's messages; replaced messages stay readable", async () => {
    const next = (() => {
      let state = 7
      return (below: number) => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
        return Math.floor((state / 2 ** 32) * below)
      }
    })()
    const earlier = new Map<string, string[]>()
    let history: { role: "user" | "assistant"; content: string }[] = []
    for (let turn = 0; turn < 16; turn++) {
      const cut = next(history.length / 2 + 1) * 2
      const messages = [
        ...history.slice(0, next(3) === 0 ? cut : history.length),
        user(`Question ${next(3)}.`),
      ]
      await collect(send("c1", ...messages))
      const chat = await read("c1")
      history = [...messages, assistant(greeting)]
      expect(chat.messages.map(({ role, content }) => ({ role, content }))).toEqual(history)
      expect(chat.messageCount).toBe(history.length)

      const current = chat.branches.filter((branch) => branch.current)
      expect(current.map(({ id }) => id)).toEqual([chat.messages.at(-1)?.id])
      const ids = chat.messages.map(({ id }) => id)
      for (const [last, path] of earlier) {
        const end = chat.branches.find(({ id }) => id === last)
        if (end) {
          expect((await read("c1", last)).messages.map(({ id }) => id)).toEqual(path)
        } else {
          expect(ids, "a branch may only vanish by growing").toContain(last)
          earlier.delete(last)
        }
      }
      earlier.set(ids.at(-1) ?? "", ids)
    }
    const stored = await server.database.db
      .selectFrom("messages")
      .select(["parentId", "role", "content"])
      .execute()
    const questions = stored
      .filter(({ role }) => role === "user")
      .map((row) => `${row.parentId} ${row.content}`)
    expect(new Set(questions).size).toBe(questions.length)
  })
})

describe("stopping", () => {
  // Catches a stop that returns before the engine is idle, loses text, or stores another status.
  test("ends the answer in the engine and keeps the text so far", async () => {
    const stream = send("c1", user("Go on!"))
    const client = server.getClient("alice")
    const first = await readSome(stream, 3)
    expect(first[0]?.type).toBe("start")
    expect(await client.chat.status({ params: { chatId: "c1" } })).toMatchObject({
      status: "active",
      isActive: true,
      messageCount: 2,
    })
    const rest = collect(attach("c1", first.at(-1)?.eventId))
    expect(await client.chat.stop({ params: { chatId: "c1" } })).toMatchObject({ success: true })
    expect(await client.chat.status({ params: { chatId: "c1" } })).toMatchObject({
      status: "aborted",
      isActive: false,
    })
    const events = [...first, ...(await rest)]
    expect(events.at(-1)).toMatchObject({ type: "finish", finishReason: "aborted" })
    const message = (await read("c1")).messages[1]
    expect(message).toMatchObject({ content: getText(events), finishReason: "aborted" })
    expect(getText(events).length).toBeGreaterThan(0)

    expect(await client.chat.stop({ params: { chatId: "c1" } })).toMatchObject({ success: false })
    expect(await client.chat.stop({ params: { chatId: "never" } })).toMatchObject({ success: false })
    // The engine's slot is free again.
    expect(getText(await collect(send("c2", user("Hi."))))).toBe(greeting)
  })

  // Catches a second stream in one chat, and a refused one that disturbs the first.
  test("is necessary before the chat can answer again", async () => {
    await readSome(send("c1", user("Go on!")), 1)
    expect(await getCode(collect(send("c1", user("Hi."))))).toBe("chat_busy")
    expect(await server.chat.status("alice", "c1")).toMatchObject({ status: "active", messageCount: 2 })
    await server.chat.stop("alice", "c1")
    expect((await collect(send("c1", user("Hi.")))).at(-1)).toMatchObject({ finishReason: "stop" })
  })

  // Catches a stop that waits until a large model is loaded.
  test("doesn't wait for a model that is being loaded", async () => {
    await using engine = startTestEngine().engine
    await using other = await startChatServer({ engine })
    const loads = Promise.withResolvers<void>()
    engine.onState(({ status }) => {
      if (status === "loading") loads.resolve()
    })
    const run = await other.chat.send(caller("alice"), request("c1", "Hi."))
    await loads.promise
    expect(await other.chat.stop("alice", "c1")).toBe(true)
    expect(run.status).toBe("aborted")
    expect(engine.state.status).toBe("loading")
  })

  // Catches a stream that outlives the box, or starts while it stops.
  test("applies to all answers when the box stops", async () => {
    const run = await server.chat.send(caller("alice"), request("c1", "Go on!"))
    await server.chat[Symbol.asyncDispose]()
    expect(run.status).toBe("aborted")
    expect((await read("c1")).messages[1]?.finishReason).toBe("aborted")
    expect(await getCode(server.chat.send(caller("alice"), request("c2", "Hi.")))).toBe("unavailable")
  })

  // Catches a user who takes all the capacity.
  test("is necessary when one user has too many answers at once", async () => {
    for (let index = 0; index < 32; index++)
      await server.chat.send(caller("alice"), request(`c${index}`, "Go on!"))
    expect(await getCode(server.chat.send(caller("alice"), request("more", "Go on!")))).toBe("rate_limited")
    // Without a retry time, a script would retry at once.
    const refused = await fetch(`${server.url}/api/ai/chat`, {
      method: "POST",
      headers: { "x-api-key": "alice", "content-type": "application/json" },
      body: JSON.stringify(request("more", "Go on!")),
    })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(await getCode(server.chat.send(caller("bob"), request("more", "Hi.")))).toBe("none")
  })
})

describe("attaching", () => {
  // Catches events that are missed, duplicated or renumbered, wherever the connection breaks.
  test("replays exactly the missed events, from any event on", async () => {
    await readSome(send("c1", user("Go on!")), 8)
    await server.chat.stop("alice", "c1")
    const events = await collect(attach("c1"))
    expect(events.length).toBeGreaterThan(9)
    for (const [index, { eventId }] of events.entries()) {
      expect(await collect(attach("c1", eventId))).toEqual(events.slice(index + 1))
    }
    expect(await collect(attach("c1", "of-another-stream.3"))).toEqual(events)
  })

  // Catches a generation that ends with its caller's connection, and an attachment that misses events sent during its replay.
  test("continues live after the replay, for several clients at once", async () => {
    const first = await readSome(send("c1", user("Go on!")), 2) // leaving the loop closes the connection
    const followers = [undefined, first[0]?.eventId, first.at(-1)?.eventId].map(async (id) => {
      const seen = await readSome(attach("c1", id), 20)
      return [...first.slice(0, first.findIndex(({ eventId }) => eventId === id) + 1), ...seen]
    })
    const [whole, ...others] = await Promise.all(followers)
    await server.chat.stop("alice", "c1")
    const ids = (whole ?? []).map(({ eventId }) => eventId)
    expect(ids.length).toBeGreaterThan(9)
    expect(new Set(ids).size).toBe(ids.length)
    for (const other of others) {
      const shared = Math.min(other.length, ids.length)
      expect(other.slice(0, shared)).toEqual((whole ?? []).slice(0, shared))
    }
  })

  // Catches an endless wait, or an invented stream, when there is nothing to attach to.
  test("returns 404 if there is no stream", async () => {
    expect(await getCode(collect(attach("never")))).toBe("not_found")
  })
})

describe("faults", () => {
  // Catches an engine crash that also takes down the box, the stored text or the next chat.
  test("in the engine end the stream with a typed error; the next chat works", async () => {
    const stream = send("c1", user("Go on!"))
    const events: Event[] = []
    for await (const event of stream) {
      events.push(event)
      if (events.filter(({ type }) => type === "text-delta").length === 3) model.processes.at(-1)?.kill()
    }
    expect(events.slice(-2)).toMatchObject([
      { type: "error", code: "engine_crashed" },
      { type: "finish", finishReason: "error" },
    ])
    const message = (await read("c1")).messages[1]
    expect(message?.content).toBe(getText(events))
    expect(message?.parts.at(-1)).toMatchObject({ type: "error", code: "engine_crashed" })
    expect(await server.chat.status("alice", "c1")).toMatchObject({ status: "error", isActive: false })
    expect(getText(await collect(send("c1", user("Hi."))))).toBe(greeting)
  })

  // Catches a chat that stays "active" after the box crashed, and text that is lost.
  test("that kill the box leave an error and the text so far", async () => {
    await readSome(send("c1", user("Go on!")), 2)
    await server.chat.stop("alice", "c1")
    const { db } = server.database
    await db.updateTable("conversations").set({ streamStatus: "active" }).execute()
    await db.updateTable("messages").set({ finishReason: null }).execute()
    const before = (await read("c1")).messages[1]?.content

    const { openChat } = await import("./service.ts")
    await using restarted = await openChat({ ...idleDeps, db })
    expect(await restarted.status("alice", "c1")).toMatchObject({
      status: "error",
      isActive: false,
      messageCount: 2,
    })
    const message = (await read("c1")).messages[1]
    expect(message).toMatchObject({ content: before, finishReason: "error" })
    expect(message?.parts.at(-1)).toMatchObject({ type: "error" })
  })
})

describe("a full disk", () => {
  // Catches a crash, a chat that stays active, an answer that ends as if it were stored, and text that is lost permanently.
  test(
    "refuses the chat or ends its stream, and everything works when there is space again",
    { tags: "rows-in-file" },
    async () => {
      const { db } = server.database
      const pages = await sql<{ page_count: number }>`PRAGMA page_count`.execute(db)
      const limit = (count: number) => sql`PRAGMA max_page_count = ${sql.raw(String(count))}`.execute(db)
      await limit(pages.rows[0]?.page_count ?? 0)
      expect(await getCode(collect(send("c1", user("Too much. ".repeat(2000)))))).toBe("disk_full")
      expect(await server.chat.status("alice", "c1")).toMatchObject({ status: "not_found" })

      const events = await collect(send("c2", user("Go on!")))
      expect(events.slice(-2)).toMatchObject([
        { type: "error", code: "disk_full" },
        { type: "finish", finishReason: "error" },
      ])
      expect(await server.chat.status("alice", "c2")).toMatchObject({ status: "error", isActive: false })
      await limit(1_000_000)
      const stored = async () => (await read("c2")).messages[1]
      await expect.poll(stored).toMatchObject({
        content: getText(events),
        finishReason: "error",
      })
      expect((await stored())?.parts.at(-1)).toMatchObject({ type: "error", code: "disk_full" })
      expect(getText(await collect(send("c1", user("Hi."))))).toBe(greeting)
      expect(getText(await collect(send("c2", user("Hi."))))).toBe(greeting)
    },
  )
})

describe("another program's lock", () => {
  // Catches an answer that is cut off because one save had to wait, and whose text is never stored.
  test(
    "delays at most the end of an answer, and all its text is stored after the lock is released",
    { tags: "rows-in-file" },
    async () => {
      const { rows } = await sql<{ file: string }>`PRAGMA database_list`.execute(server.database.db)
      const holder = new SqliteDatabase(rows[0]?.file, { timeout: 0 })
      const events: Event[] = []
      let stopped: Promise<unknown> | undefined
      let locked = 0
      for await (const event of send("c1", user("Go on!"))) {
        if (events.push(event) === 2) {
          await waitFor(() => holder.exec("BEGIN IMMEDIATE")) // the server may be writing
          locked = performance.now()
        }
        // Longer than a save waits for the lock, so that it has to be retried.
        if (event.type === "text-delta" && locked > 0 && performance.now() - locked > 7_000)
          stopped ??= server
            .getClient("alice")
            .chat.stop({ params: { chatId: "c1" } })
            .catch(() => "it ends later than whoever stops it waits")
      }
      expect(stopped).toBeDefined()
      await stopped
      expect(events.slice(-2)).toMatchObject([
        { type: "error", code: "unavailable" },
        { type: "finish", finishReason: "error" },
      ])
      holder.close()
      const stored = async () => (await read("c1")).messages[1]
      await expect.poll(stored).toMatchObject({ content: getText(events), finishReason: "error" })
      expect(getText(events).length).toBeGreaterThan(greeting.length)
    },
  )
})

describe("two users", () => {
  // Catches a chat or stream of Alice's that Bob can see, stop or change.
  test("can use the same id without seeing each other's chats", async () => {
    await readSome(send("c1", user("Go on!")), 1)
    const bob = server.getClient("bob")
    const params = { chatId: "c1" }
    expect(await bob.chat.status({ params })).toEqual({
      status: "not_found",
      pendingApprovals: 0,
      isActive: false,
      startTime: null,
      lastActivity: null,
      messageCount: 0,
    })
    expect(await bob.chat.stop({ params })).toMatchObject({ success: false })
    expect(await getCode(collect(bob.chat.attach({ params })))).toBe("not_found")
    expect(await getCode(bob.conversations.read({ params: { id: "c1" } }))).toBe("not_found")
    expect(await getCode(bob.conversations.update({ params: { id: "c1" }, body: { title: "x" } }))).toBe(
      "not_found",
    )
    expect(await getCode(bob.conversations.remove({ params: { id: "c1" } }))).toBe("not_found")
    expect((await bob.conversations.list()).pagination.total).toBe(0)

    const own = await collect(bob.chat.send({ body: { id: "c1", messages: [user("Hi.")], boxAddress } }))
    expect(getText(own)).toBe(greeting)
    expect(await server.chat.status("alice", "c1")).toMatchObject({ status: "active" })
    const branch = (await read("c1")).messages[1]?.id ?? ""
    expect(await getCode(bob.conversations.read({ params: { id: "c1" }, query: { branch } }))).toBe(
      "not_found",
    )
    await bob.conversations.remove({ params: { id: "c1" } })
    expect((await read("c1")).messages).toHaveLength(2)
  })
})

const request = (id: string, content: string) => ({ id, messages: [user(content)], boxAddress })
const caller = (userId: string) => ({
  userId,
  credentialId: userId,
  via: "key" as const,
  origin: "API" as const,
  scopes: null,
  isOwner: true,
})
const idleDeps = {
  ...noQuotas,
  objects: null,
  ...noLibrary,
  stayingFolders: () => Promise.resolve([]),
  pictures: { show: () => Promise.resolve(null), read: () => Promise.resolve("") },
  getChatFolder: () => Promise.resolve(null),
  bus: { publish: () => undefined, subscribe: () => () => undefined },
  push: () => undefined,
  logger: { debug() {}, info() {}, warn() {}, error() {} },
  engine: () => null,
  namedModel: () => Promise.resolve(null),
  search: () => Promise.resolve(foundPassages([])),
  dataDir: tmpdir(),
  folderReading: noFiles(() => false),
  toolbox: createToolbox({ core: [], integrations: noIntegrations }),
  delegates: () => Promise.resolve([]),
  facts: () => Promise.resolve(createColumnFacts),
  hasFactsOfScopedKeys: () => Promise.resolve(false),
  uploads: () => Promise.resolve([]),
  missingFolders: () => Promise.resolve([]),
  assistant: () => Promise.resolve(null),
  project: () => Promise.resolve(null),
  textEvent: () => "text-delta" as const,
  reserve: { withReserve: <T>(work: () => Promise<T>) => work() },
  times: systemTimes,
  canForget: true,
  disabledIds: () => Promise.resolve([]),
  whileValid: () => ({ [Symbol.dispose]() {} }),
  isRevoked: () => Promise.resolve(false),
  isShared: false,
  endDeletion: () => Promise.resolve(),
}

// Catches a missing notification after someone asked and left, and unnecessary ones for readers or scripts.
test("an answer is announced only if it was requested in the app and no one followed it", async () => {
  const announced: string[] = []
  const left = new Promise<void>((resolve) => {
    server.bus.subscribe("answer.unattended", ({ chatId, status }) => {
      announced.push(`${chatId} ${status}`)
      resolve()
    })
  })
  const ask = (id: string, origin: "APP" | "API") =>
    server.chat.send(
      { userId: "alice", credentialId: "alice", via: "key", origin, scopes: null, isOwner: true },
      { id, messages: [user("Hi")], boxAddress },
    )
  await (
    await ask("by a script", "API")
  ).ended
  await collect(
    server
      .getClient("alice-app")
      .chat.send({ body: { id: "read to the end", messages: [user("Hi")], boxAddress } }),
  )
  await ask("left alone", "APP")
  await left
  expect(announced).toEqual(["left alone completed"])
})
