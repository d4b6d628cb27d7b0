import { expect, test } from "vitest"
import type { ChatEngine, EngineEvent } from "../../engines/engine.ts"
import { startTestEngine } from "../../testing/chat-server.ts"
import { createChatModel } from "./chat-model.ts"

const ask = (engine: ChatEngine | null, content: string, signal = new AbortController().signal) => {
  if (!engine) throw new Error("There is no model.")
  return engine.generate({ messages: [{ role: "user", content }] }, signal)[Symbol.asyncIterator]()
}

async function rest(events: AsyncIterator<EngineEvent>): Promise<EngineEvent[]> {
  const read: EngineEvent[] = []
  for (let step = await events.next(); step.done !== true; step = await events.next()) read.push(step.value)
  return read
}

// Catches an answer that is cut by a switch, an old process that stays, and two models in memory at once.
test("lets a running answer finish before the old process ends and the new one starts", async () => {
  const [old, next] = [startTestEngine(), startTestEngine()]
  await using chat = createChatModel(old.engine)
  const running = ask(chat.engine(), "hello")
  await running.next()
  chat.replace(next.engine)
  const waiting = rest(ask(chat.engine(), "hello again"))
  expect(next.processes).toHaveLength(0)
  expect((await rest(running)).at(-1)).toMatchObject({ type: "finish", finishReason: "stop" })
  expect((await waiting).at(-1)).toMatchObject({ type: "finish", finishReason: "stop" })
  await Promise.all(old.processes.map(({ exited }) => exited))
})

// Catches a switch that waits for ever, an answer that ends as if it were complete, and one that hangs.
test("ends an answer that goes on too long with an error that says why", async () => {
  const old = startTestEngine()
  await using chat = createChatModel(old.engine, 0)
  const running = ask(chat.engine(), "go on!")
  await running.next()
  chat.replace(startTestEngine().engine)
  await expect(rest(running)).rejects.toMatchObject({ code: "unavailable" })
  expect((await rest(ask(chat.engine(), "hello"))).at(-1)).toMatchObject({ type: "finish" })
  await Promise.all(old.processes.map(({ exited }) => exited))
})

// Catches a stop that has to wait for the end of another model.
test("a stopped answer doesn't wait for the switch", async () => {
  await using chat = createChatModel(startTestEngine().engine)
  const endless = ask(chat.engine(), "go on!")
  await endless.next()
  chat.replace(startTestEngine().engine)
  const stopped = rest(ask(chat.engine(), "hello", AbortSignal.abort()))
  expect((await stopped).at(-1)).toMatchObject({ type: "finish", finishReason: "aborted" })
  await endless.return?.()
})

// Catches a box that can't stop while a switch waits for an answer.
test("disposing ends every engine at once", async () => {
  const [old, next] = [startTestEngine(), startTestEngine()]
  const chat = createChatModel(old.engine)
  const running = ask(chat.engine(), "go on!")
  await running.next()
  chat.replace(next.engine)
  const ended = rest(running)
  await Promise.all([chat[Symbol.asyncDispose](), expect(ended).rejects.toThrow("ended")])
  await Promise.all([...old.processes, ...next.processes].map(({ exited }) => exited))
})
