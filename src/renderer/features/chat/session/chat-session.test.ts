import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { afterEach, expect, test } from "vitest"
import { createClient } from "../../../../shared/client/http-client.ts"
import type { ChatEvent } from "../../../../shared/contract/chat.ts"
import { createChatSession, type ChatSession } from "./chat-session.ts"

const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2, firstTokenMs: 1, tokensPerSecond: 1 }
const finish: ChatEvent = { type: "finish", finishReason: "stop", usage }
const say = (textDelta: string): ChatEvent => ({ type: "text-delta", textDelta })
const events: ChatEvent[] = [
  { type: "start", chatId: "c", messageId: "m" },
  say("Hello"),
  say(" world"),
  finish,
]

type Handler = (request: IncomingMessage, response: ServerResponse) => void
const open = new Set<() => void>()
afterEach(() => {
  for (const close of open) close()
  open.clear()
})

/** A session over real HTTP, with a test server in place of the box. */
async function setUp(handler: Handler): Promise<{ session: ChatSession; refreshed: () => number }> {
  const server = createServer(handler).listen(0, "127.0.0.1")
  open.add(() => server.close().closeAllConnections())
  await once(server, "listening")
  const boxAddress = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let refreshes = 0
  const session = createChatSession({
    chat: createClient({ baseUrl: boxAddress }).chat,
    boxAddress,
    chatId: "c",
    refresh: () => {
      refreshes++
      return Promise.resolve()
    },
    schedule: queueMicrotask,
    pause: () => Promise.resolve(),
  })
  return { session, refreshed: () => refreshes }
}

function stream(response: ServerResponse, from: number, to: number): void {
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (let id = from; id < to; id++) response.write(`id: ${id}\ndata: ${JSON.stringify(events[id])}\n\n`)
}

function fail(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify({ error: `It is ${code}.`, code }))
}

/** The phases and text shown, from the first state to idle. */
async function collectUntilIdle(session: ChatSession): Promise<{ phases: string[]; text: string }> {
  const phases = [session.getState().phase]
  let text = ""
  await new Promise<void>((resolve) => {
    const stop = session.subscribe(() => {
      const { phase, turn } = session.getState()
      if (phases.at(-1) !== phase) phases.push(phase)
      if (phase === "idle") {
        stop()
        resolve()
      } else text = turn?.answer.parts.map((part) => (part.type === "text" ? part.text : "")).join("") ?? ""
    })
  })
  return { phases, text }
}

test("streams an answer and then replaces it with the stored one", async () => {
  const { session, refreshed } = await setUp((_, response) => {
    stream(response, 0, events.length)
    response.end()
  })
  const shown = collectUntilIdle(session)
  await session.ask([], "Hi", [])
  expect(await shown).toMatchObject({ text: "Hello world" })
  expect(refreshed()).toBe(1)
})

// Catches text that is lost or repeated when the connection breaks during an answer.
test("resumes a broken connection where it stopped", async () => {
  const askedFrom: (string | undefined)[] = []
  const { session } = await setUp((request, response) => {
    if (request.method === "POST") {
      stream(response, 0, 2)
      setImmediate(() => response.destroy())
      return
    }
    if (request.url?.endsWith("stream-status") === true) return fail(response, 404, "not_found")
    const last = request.headers["last-event-id"]
    askedFrom.push(typeof last === "string" ? last : undefined)
    stream(response, Number(last) + 1, events.length)
    response.end()
  })
  const shown = collectUntilIdle(session)
  await session.ask([], "Hi", [])
  const { phases, text } = await shown
  expect(text).toBe("Hello world")
  expect(phases).toContain("reconnecting")
  expect(askedFrom).toEqual(["1"])
})

// Catches an answer that is abandoned because a proxy briefly found no server during a failover.
test("continues an answer when a proxy briefly can't reach the box", async () => {
  let attempts = 0
  const { session } = await setUp((request, response) => {
    if (request.url?.endsWith("stream-status") === true) return fail(response, 404, "not_found")
    if (request.method !== "POST" && ++attempts === 1) {
      response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad Gateway</h1>")
      return
    }
    stream(response, 0, request.method === "POST" ? 2 : events.length)
    if (request.method === "POST") setImmediate(() => response.destroy())
    else response.end()
  })
  const shown = collectUntilIdle(session)
  await session.ask([], "Hi", [])
  expect((await shown).text).toBe("Hello world")
  expect(attempts).toBe(2)
})

// Catches a session that waits for ever after the box restarted and the stream is gone.
test("ends with the stored chat when the stream is gone", async () => {
  const { session, refreshed } = await setUp((request, response) => {
    if (request.method !== "POST") {
      fail(response, 404, "not_found")
      return
    }
    stream(response, 0, 2)
    setImmediate(() => response.destroy())
  })
  const shown = collectUntilIdle(session)
  await session.ask([], "Hi", [])
  await shown
  expect(refreshed()).toBe(1)
})

test("returns a refused question with the reason", async () => {
  const { session } = await setUp((_, response) => fail(response, 503, "no_model"))
  await expect(session.ask([], "Hi", [])).rejects.toMatchObject({ code: "no_model" })
  expect(session.getState()).toEqual({ phase: "idle", turn: undefined })
})

test("replays a running answer from its start when attaching", async () => {
  const { session } = await setUp((request, response) => {
    if (request.url?.endsWith("stream-status") === true) {
      response.writeHead(200, { "content-type": "application/json" })
      response.end(
        JSON.stringify({
          status: "active",
          isActive: true,
          startTime: null,
          lastActivity: null,
          messageCount: 2,
          pendingApprovals: 0,
        }),
      )
      return
    }
    expect(request.headers["last-event-id"]).toBeUndefined()
    stream(response, 0, events.length)
    response.end()
  })
  const shown = collectUntilIdle(session)
  await session.attach()
  expect((await shown).text).toBe("Hello world")
})

// Catches a stop button that stays disabled after a stop failed.
test("can stop again after a failed stop", async () => {
  const { session } = await setUp((request, response) => {
    if (request.url?.endsWith("/stop") === true) fail(response, 500, "internal")
    else stream(response, 0, 2)
  })
  await session.ask([], "Hi", [])
  await expect(session.stop()).rejects.toMatchObject({ code: "internal" })
  expect(session.getState().phase).toBe("streaming")
})

const notBusy = {
  status: "completed",
  startTime: null,
  lastActivity: null,
  messageCount: 2,
  pendingApprovals: 0,
}

function respond(response: ServerResponse, body: object): void {
  response.writeHead(200, { "content-type": "application/json" })
  response.end(JSON.stringify(body))
}

// Catches a question that isn't shown while it is being sent, and an answer that isn't followed.
test("shows a question that is asked immediately with its answer, but not a queued one", async () => {
  const { session } = await setUp((request, response) => {
    if (request.url?.endsWith("stream-status") === true)
      return respond(response, { ...notBusy, isActive: false })
    stream(response, 0, events.length)
    response.end()
  })
  const question = { history: [], question: "Hi", files: [], assistantId: null }
  const shown = collectUntilIdle(session)
  await session.askNext(question, () => {
    expect(session.getState()).toMatchObject({ phase: "waiting", turn: question })
    return Promise.resolve(true)
  })
  expect(await shown).toMatchObject({ text: "Hello world" })
  await session.askNext(question, () => Promise.resolve(false))
  expect(session.getState()).toEqual({ phase: "idle", turn: undefined })
  await expect(session.askNext(question, () => Promise.reject(new Error("full")))).rejects.toThrow("full")
  expect(session.getState()).toEqual({ phase: "idle", turn: undefined })
})

// Catches a queued question that runs unseen because it was asked while the previous answer was replaced by the stored one.
test("follows an answer that started in the meantime", async () => {
  let checkCount = 0
  const { session, refreshed } = await setUp((request, response) => {
    if (request.url?.endsWith("stream-status") === true)
      return respond(response, { ...notBusy, isActive: ++checkCount === 1 })
    stream(response, 0, events.length)
    response.end()
  })
  await session.ask([], "Hi", [])
  await expect.poll(refreshed).toBe(2)
  await expect.poll(() => checkCount).toBe(2)
})

// Catches an answer that is still followed after it was left, so that the box sends no notification when it ends.
test("stops following an answer that was left, and doesn't request it again", async () => {
  const closed = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  let requests = 0
  const { session, refreshed } = await setUp((_, response) => {
    requests++
    stream(response, 0, 2)
    response.on("close", closed.resolve)
  })
  session.subscribe(() => session.getState().phase === "streaming" && started.resolve())
  const question = { history: [], question: "Resume", files: [], assistantId: null }
  await session.askNext(question, () => Promise.resolve(true))
  await started.promise
  session.leave()
  await closed.promise
  expect(session.getState()).toEqual({ phase: "idle", turn: undefined })
  expect([requests, refreshed()]).toEqual([1, 0])
})
