import { spawnSync, type ChildProcess } from "node:child_process"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { ChatEvent, ChatRequest } from "../shared/contract/chat.ts"
import { openOutbound } from "./core/outbound/testing/open-outbound.ts"
import type { ChatEngine } from "./engines/engine.ts"
import { createRemoteEngine } from "./engines/remote/remote-engine.ts"
import type { ReadingLibrary } from "./features/chat/reading/library.ts"
import { testBlock, testDocument } from "./features/chat/reading/testing/documents.ts"
import { startChatServer } from "./testing/chat-server.ts"
import { connectMcp } from "./testing/clients.ts"
import { startModelServer, type ModelRequest, type Round } from "./testing/model-servers/model-server.ts"
import {
  answered,
  echo,
  mark,
  startReadingTalk,
  type Folder,
  type ReadingTalk,
} from "./testing/model-servers/reading-talk.ts"

let talk: ReadingTalk
/** Child processes of the tests before the box started any. */
let childrenBefore: string[]
beforeEach(async () => {
  childrenBefore = children()
  talk = await startReadingTalk()
})
afterEach(() => talk[Symbol.asyncDispose]())

/** Returns the tests' child processes whose command line contains the word. */
const children = (word = "") =>
  spawnSync("pgrep", ["-P", String(process.pid), "-f", word], { encoding: "utf8" })
    .stdout.split("\n")
    .filter((pid) => pid !== "")

const newest = ({ messages }: ModelRequest) => messages.at(-1)?.content ?? ""
const isPart = (request: ModelRequest) => newest(request).startsWith("<part>")
const isShortening = ({ messages }: ModelRequest) =>
  messages[0]?.content?.startsWith("You are given numbered notes") === true
const isAnswer = (request: ModelRequest) => newest(request).startsWith("<notes>") && !isShortening(request)

/** Each file is a separate part. Their notes are so long that they are shortened in two rounds: of six requests, and of three. */
const files = Object.fromEntries(
  Array.from({ length: 12 }, (_, file) => {
    const words = Array.from({ length: 700 }, (_, word) => `w${file}x${word}`).join(" ")
    return [`f${file}.md`, `The ${mark} ${file}: ${words}\n\n${"Quiet water lies here. ".repeat(300)}`]
  }),
)
const question = { content: "Summarise everything", reading: "whole" as const }

/** Shortens each note to half its words. */
function halved(request: ModelRequest): Round {
  const notes = newest(request)
    .split("\n")
    .filter((line) => line.startsWith("- "))
  const half = (note: string) => {
    const words = note.split(" ")
    return [...words.slice(0, words.length / 2), words.at(-1)].join(" ")
  }
  return { text: notes.map(half).join("\n") }
}

interface Stage {
  stage: string
  /** Whether the server holds this request until it is released. It then holds all later requests as well. */
  held(request: ModelRequest, earlier: readonly ModelRequest[]): boolean
  /** The event with which the answer reaches the stage; null: with that request. */
  with: ((event: ChatEvent) => boolean) | null
}

const nth = (is: (request: ModelRequest) => boolean, number: number): Stage["held"] => {
  return (request, earlier) => is(request) && earlier.filter(is).length === number - 1
}
const stages: Stage[] = [
  { stage: "the first parts are read", held: nth(isPart, 1), with: null },
  { stage: "parts in the middle are read", held: nth(isPart, 6), with: null },
  { stage: "notes are made fewer", held: nth(isShortening, 2), with: null },
  {
    stage: "a round of that has ended",
    held: nth(isShortening, 7),
    with: (event) => event.type === "progress" && event.stage === "combining" && event.done === 6,
  },
  { stage: "notes are made fewer once more", held: nth(isShortening, 8), with: null },
  { stage: "the answer is asked for", held: nth(isAnswer, 1), with: null },
  { stage: "the answer streams", held: () => false, with: ({ type }) => type === "text-delta" },
]

/** Makes the model stop at a stage until it is released. */
function holdAt({ held }: Stage) {
  const reached = Promise.withResolvers<void>()
  const going = Promise.withResolvers<void>()
  let isHeld = false
  async function* answer() {
    yield `The ${mark} 1 it is [1].\nAnd then`
    await going.promise
    yield " no more.\n"
  }
  talk.speak = async (request) => {
    const earlier = talk.server.requests.filter((each) => each !== request)
    if ((isHeld ||= held(request, earlier))) {
      reached.resolve()
      await going.promise
    }
    if (isShortening(request)) return halved(request)
    return isAnswer(request) ? { text: answer() } : echo(request)
  }
  return { reached: reached.promise, resume: going.resolve }
}

/** Sends the question and calls `then` when the stage is reached. Returns the events until the stream ends or `leave` is aborted. */
async function cutAt(
  stage: Stage,
  body: { id: string; vector: string[] },
  then: () => Promise<void>,
  leave?: AbortSignal,
) {
  const { reached, resume } = holdAt(stage)
  const events: ChatEvent[] = []
  let cut = stage.with === null ? reached.then(then) : null
  const { content, reading } = question
  const request = {
    messages: [{ role: "user" as const, content }],
    reading,
    boxAddress: talk.box.url,
    ...body,
  }
  try {
    for await (const event of talk.box.client.chat.send({ body: request }, leave && { signal: leave })) {
      events.push(event)
      if (stage.with?.(event)) cut ??= then()
    }
  } catch (error) {
    if (leave?.aborted !== true) throw error
  }
  await cut
  return { ...answered(events), resume }
}

const storedAnswer = async (id: string) =>
  (await talk.box.client.conversations.read({ params: { id } })).chat.messages.at(-1)

/** Expects the box to answer the chat's next question with exactly one request, and to have sent none before it. */
async function expectFree(folder: Folder, id: string, requestsBefore: number): Promise<void> {
  await expect.poll(() => talk.server.answering()).toBe(0)
  talk.speak = () => ({ text: "Here I am." })
  const next = await talk.ask({
    content: "Where is the water?",
    vector: [folder.id],
    reading: "passages",
    id,
  })
  expect(next.text).toBe("Here I am.")
  expect(talk.server.requests).toHaveLength(requestsBefore + 1)
  await talk.box.box[Symbol.asyncDispose]()
  expect(children().filter((pid) => !childrenBefore.includes(pid))).toEqual([])
}

describe("reading whole", { tags: "unix" }, () => {
  // Catches a model that continues after Stop, coverage of unread files, lost words, and a chat that stays busy.
  test.each(stages)("is stopped while $stage", async (stage) => {
    const folder = await talk.makeFolder(files)
    let requests = 0
    const stopped = await cutAt(stage, { id: "cut", vector: [folder.id] }, async () => {
      const { success } = await talk.box.client.chat.stop({ params: { chatId: "cut" } })
      expect(success).toBe(true)
      requests = talk.server.requests.length
    })
    expect(stopped.events.at(-1)).toMatchObject({ type: "finish", finishReason: "aborted" })
    const progress = stopped.events.flatMap((event) =>
      event.type === "progress" && event.stage === "reading" ? [event] : [],
    )
    const done = progress.at(-1)?.done ?? 0
    const skipped = stopped.coverage?.files.map((file) => file.skipped) ?? []
    expect(skipped.filter((reason) => reason === null)).toHaveLength(done)
    expect(skipped.filter((reason) => reason === "Reading was stopped.")).toHaveLength(12 - done)
    expect(stopped.text).toBe(
      stage.stage === "the answer streams" ? `The ${mark} 1 it is [1].\nAnd then` : "",
    )
    const stored = await storedAnswer("cut")
    expect(stored).toMatchObject({ finishReason: "aborted", content: stopped.text })
    expect(stored?.parts.at(-1)).toMatchObject({ type: "coverage", complete: done === 12 })
    await expectFree(folder, "cut", requests)
    stopped.resume()
  })

  // Catches reading that ends when the window closes, or that reads parts again that were already read by then.
  test.each(stages)("continues when its stream is closed while $stage", async (stage) => {
    const folder = await talk.makeFolder(files)
    const leaving = new AbortController()
    const { resume } = await cutAt(
      stage,
      { id: "left", vector: [folder.id] },
      async () => leaving.abort(),
      leaving.signal,
    )
    const params = { chatId: "left" }
    expect(await talk.box.client.chat.status({ params })).toMatchObject({ isActive: true })
    resume()
    await expect.poll(async () => (await talk.box.client.chat.status({ params })).status).toBe("completed")
    const stored = await storedAnswer("left")
    expect(stored).toMatchObject({
      finishReason: "stop",
      content: `The ${mark} 1 it is [1].\nAnd then no more.\n`,
    })
    expect(stored?.parts.at(-1)).toMatchObject({ type: "coverage", complete: true })
    expect(talk.read()).toHaveLength(12)
    await expectFree(folder, "left", talk.server.requests.length)
  })

  // Catches a model that keeps reading for a program that cancelled its call and has no other way to stop it.
  test.each(stages.filter((stage) => stage.with === null))(
    "is stopped when another program cancels its call while $stage",
    async (stage) => {
      const folder = await talk.makeFolder(files)
      const { reached, resume } = holdAt(stage)
      const { client } = await connectMcp(talk.box.url, { "x-api-key": talk.box.key })
      const cancelling = new AbortController()
      const asked = { name: "ask", arguments: { question: question.content, folderIds: [folder.id] } }
      const call = client.callTool(asked, { signal: cancelling.signal })
      await reached
      cancelling.abort()
      await expect(call).rejects.toThrow()
      await expect.poll(() => talk.server.answering()).toBe(0)
      const requests = talk.server.requests.length
      const { chats } = await talk.box.client.conversations.list({})
      const id = chats[0]?.id ?? ""
      await expect.poll(async () => (await storedAnswer(id))?.finishReason).toBe("aborted")
      expect((await storedAnswer(id))?.parts.at(-1)?.type).toBe("coverage")
      await client.close()
      await expectFree(folder, id, requests)
      resume()
    },
  )
})

/** The box's own texts whose tokens it counts with its model, by their first words, and the point at which it opens a document. */
const inside = [
  { stage: "a document is opened", read: 0 },
  { stage: "rules and question are counted", counted: /^You read one part/, read: 0 },
  { stage: "a part is counted", counted: /^<part>/, read: 0 },
  { stage: "all notes are counted", counted: /^<notes>/, read: 3 },
  { stage: "each note is counted", counted: /^Note/, read: 3 },
]

/** Starts a chat about three documents, one part each, that stops at a stage until it is released. */
async function startHeldChat({ counted }: (typeof inside)[number]) {
  await using stack = new AsyncDisposableStack()
  const reached = Promise.withResolvers<void>()
  const going = Promise.withResolvers<void>()
  const hold = () => {
    reached.resolve()
    return going.promise
  }
  const server = stack.use(
    await startModelServer((request, asked) => {
      const note = (_: unknown, index: number) => `Note ${index} of ${asked} ${"word ".repeat(65)}`
      return { text: isPart(request) ? Array.from({ length: 40 }, note).join("\n") : "Here I am." }
    }),
  )
  const remote = { server: { outbound: openOutbound(), baseUrl: server.baseUrl } }
  const real = stack.use(createRemoteEngine(remote))
  const engine = Object.assign(Object.create(real) as ChatEngine, {
    async countTokens(text: string) {
      if (counted?.test(text)) await hold()
      return real.countTokens(text)
    },
  })
  const documents = ["a", "b", "c"].map((id) =>
    testDocument(
      id,
      Array.from({ length: 20 }, (_, index) => testBlock(`${id} ${index} lies still. `.repeat(30))),
    ),
  )
  const find = (fileId: string) => documents.find(({ file }) => file.id === fileId)
  async function* readBlocks(fileId: string) {
    if (!counted && fileId === "b") await hold()
    yield find(fileId)?.blocks ?? []
  }
  const library: ReadingLibrary = {
    files: () => Promise.resolve(documents.map(({ file }) => file)),
    file: (_, fileId) => Promise.resolve(find(fileId)?.file ?? null),
    blocks: (_, { id }) => Promise.resolve(readBlocks(id)),
    characters: (fileIds) => Promise.resolve(new Map(fileIds.map((id) => [id, 10_000]))),
    filtered: (_reader, files) => Promise.resolve([...files]),
    pending: () => Promise.resolve({ count: 0, files: [] }),
    beginning: () => Promise.resolve([]),
    getPassage: () => Promise.resolve(null),
  }
  const wholeLimit = () => ({ characters: 1_000_000, minutes: 30 })
  const chats = stack.use(
    await startChatServer({ engine, folders: ["folder"], reading: { library, wholeLimit } }),
  )
  const held = stack.move()
  return {
    server,
    client: chats.getClient("alice"),
    boxAddress: chats.url,
    reached: reached.promise,
    resume: going.resolve,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

// Catches a Stop that waits for a model's process to count tokens, or for a long document to be unpacked.
test.each(inside)("reading whole is stopped while $stage", async (stage) => {
  await using held = await startHeldChat(stage)
  const { client, server, boxAddress } = held
  const send = async (body: Pick<ChatRequest, "reading"> & { content: string }) => {
    const { content, ...more } = body
    const events: ChatEvent[] = []
    const asked = {
      id: "held",
      vector: ["folder"],
      messages: [{ role: "user" as const, content }],
      boxAddress,
    }
    for await (const event of client.chat.send({ body: { ...asked, ...more } })) events.push(event)
    return answered(events)
  }
  const asking = send(question)
  await held.reached
  const requests = server.requests.length
  expect(await client.chat.stop({ params: { chatId: "held" } })).toMatchObject({ success: true })
  const { events, text, coverage } = await asking
  expect(events.at(-1)).toMatchObject({ type: "finish", finishReason: "aborted" })
  expect(text).toBe("")
  expect(coverage?.files.map(({ name }) => name)).toEqual(["a.md", "b.md", "c.md"])
  const skipped = coverage?.files.map((file) => file.skipped) ?? []
  expect(skipped.filter((reason) => reason === null)).toHaveLength(stage.read)
  expect(skipped.filter((reason) => reason === "Reading was stopped.")).toHaveLength(3 - stage.read)
  expect((await send({ content: "Where is it?", reading: "passages" })).text).toBe("Here I am.")
  expect(server.requests).toHaveLength(requests + 1)
  held.resume()
})

describe("a question while tables are created", { tags: "unix" }, () => {
  /** Asks for tables and calls `then` while the process that creates them is paused, before it can do anything; `resume` resumes it. */
  async function cutInMaking(id: string, then: () => Promise<unknown>, leave?: AbortSignal) {
    const sheets = Array.from({ length: 10 }, (_, sheet) => [`t${sheet}.csv`, `net;gross\n${sheet};2\n`])
    const folder = await talk.makeFolder(Object.fromEntries(sheets) as Record<string, string>)
    talk.speak = ({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? { text: `There is ${messages.at(-1)?.content}` }
        : { calls: [{ name: "queryTable", args: { sql: "SHOW TABLES" } }] }
    const messages = [{ role: "user" as const, content: "What is the net?" }]
    const body = { id, messages, boxAddress: talk.box.url, vector: [folder.id] }
    const events: ChatEvent[] = []
    const paused = Promise.withResolvers<void>()
    const pauseMaker = (message: unknown) => {
      const { process: started } = message as { process: ChildProcess }
      started.once("spawn", () => {
        if (!started.spawnargs.join().includes("table-maker")) return
        started.kill("SIGSTOP")
        paused.resolve()
      })
    }
    subscribe("child_process", pauseMaker)
    try {
      for await (const event of talk.box.client.chat.send({ body }, leave && { signal: leave })) {
        events.push(event)
        if (event.type !== "tool-call") continue
        await paused.promise
        await then()
      }
    } catch (error) {
      if (leave?.aborted !== true) throw error
    } finally {
      unsubscribe("child_process", pauseMaker)
    }
    const resume = () => children("table-maker").forEach((pid) => process.kill(Number(pid), "SIGCONT"))
    return { folder, events, resume }
  }

  // Catches a Stop that waits up to 20 s for the tables, and a model that receives the result anyway.
  test("is stopped at once", async () => {
    const { folder, events, resume } = await cutInMaking("cut", async () => {
      expect(await talk.box.client.chat.stop({ params: { chatId: "cut" } })).toMatchObject({ success: true })
    })
    expect(events.at(-1)).toMatchObject({ type: "finish", finishReason: "aborted" })
    expect(events.find(({ type }) => type === "tool-result")).toMatchObject({
      result: { error: "It was stopped." },
    })
    expect(talk.server.requests).toHaveLength(1)
    expect((await storedAnswer("cut"))?.finishReason).toBe("aborted")
    resume()
    await expectFree(folder, "cut", 1)
  })

  // Catches an answer that ends when the window closes, because its tables weren't created yet.
  test("continues when its stream is closed", async () => {
    const leaving = new AbortController()
    const { folder, resume } = await cutInMaking("left", async () => leaving.abort(), leaving.signal)
    expect((await storedAnswer("left"))?.finishReason).toBeNull()
    resume()
    await expect.poll(async () => (await storedAnswer("left"))?.finishReason).toBe("stop")
    expect((await storedAnswer("left"))?.content).toContain('"name":"t9"')
    await expectFree(folder, "left", 2)
  })
})
