import { expect, test } from "vitest"
import type { ChatEngine, EngineEvent } from "../../../engines/engine.ts"
import { startTestEngine, type TestEngine } from "../../../testing/chat-server.ts"
import { createChatModels, type ChatModelsDeps } from "./models-in-use.ts"

const ask = (engine: ChatEngine | null, content: string, signal = new AbortController().signal) => {
  if (!engine) throw new Error("There is no model.")
  return engine.generate({ messages: [{ role: "user", content }] }, signal)[Symbol.asyncIterator]()
}

async function rest(events: AsyncIterator<EngineEvent>): Promise<EngineEvent[]> {
  const read: EngineEvent[] = []
  for (let step = await events.next(); step.done !== true; step = await events.next()) read.push(step.value)
  return read
}
const getAnswer = async (engine: ChatEngine | null) => (await rest(ask(engine, "hello"))).at(-1)
const complete = { type: "finish", finishReason: "stop" }

/** Two existing models, "one" and "two". */
function open(options: Partial<ChatModelsDeps> = {}) {
  const engines: Record<string, TestEngine> = { one: startTestEngine(), two: startTestEngine() }
  const models = createChatModels({
    open: (name) => Promise.resolve((engines[name] ??= startTestEngine()).engine),
    unloadAfterMinutes: () => null,
    ...options,
  })
  return { models, engines }
}
const exited = async (engine: TestEngine | undefined) =>
  Promise.all((engine?.processes ?? []).map((process) => process.exited))

// Catches a choice that ends a running answer of the previous model, and a switch back that loads the model again.
test("an answer continues with the model that started it, which stays loaded", async () => {
  const { models, engines } = open()
  await using _ = models
  await models.choose("one")
  const running = ask(models.engine(), "hello")
  await running.next()
  await models.choose("two")
  expect(await getAnswer(models.engine())).toMatchObject(complete)
  expect((await rest(running)).at(-1)).toMatchObject(complete)
  await models.choose("one")
  expect(await getAnswer(models.engine())).toMatchObject(complete)
  expect([engines["one"], engines["two"]].map((engine) => engine?.processes.length)).toEqual([1, 1])
})

// Catches an answer that ends as if it were complete, and an answer that hangs.
test("an answer of a removed model ends with an error that gives the reason", async () => {
  const { models, engines } = open({ finishMs: 0 })
  await using _ = models
  await models.choose("one")
  const running = ask(models.engine(), "go on!")
  await running.next()
  models.close((name) => name === "one")
  await expect(rest(running)).rejects.toMatchObject({ code: "unavailable" })
  await exited(engines["one"])
})

// Catches a server that can't stop while a retired model is still answering.
test("disposing ends all engines at once", async () => {
  const { models, engines } = open()
  await models.choose("one")
  const running = ask(models.engine(), "go on!")
  await running.next()
  await models.choose("two")
  models.close((name) => name === "one")
  const ended = rest(running)
  await Promise.all([models[Symbol.asyncDispose](), expect(ended).rejects.toThrow("stopped")])
  await exited(engines["one"])
  await exited(engines["two"])
})

// Catches a model that keeps its memory after its last answer, one that is unloaded during an answer, and one that isn't loaded again.
test("an idle model frees its memory, and is loaded again for the next question", async () => {
  const { models, engines } = open({ unloadAfterMinutes: () => 0 })
  await using _ = models
  await models.choose("one")
  expect(await getAnswer(models.engine())).toMatchObject(complete)
  await exited(engines["one"])
  expect(models.engine()?.state.status).toBe("idle")
  const running = ask(models.engine(), "hello")
  await running.next()
  expect(models.engine()?.state.status).toBe("ready")
  expect((await rest(running)).at(-1)).toMatchObject(complete)
  expect(engines["one"]?.processes).toHaveLength(2)
})

// Catches a model that is unloaded for another one while it answers, and a least recently used model that stays loaded.
test("the least recently used model is unloaded to make room, never one that is answering", async () => {
  const unloaded: string[] = []
  const makers: Parameters<ChatModelsDeps["open"]>[1][] = []
  const { models } = open({
    async open(name, makeRoom) {
      makers.push(makeRoom)
      const { engine } = startTestEngine()
      const unload = () => {
        unloaded.push(name)
        return engine.unload()
      }
      return Object.assign(Object.create(engine) as ChatEngine, { unload })
    },
  })
  await using _ = models
  const [one, two, three] = [await models.of("one"), await models.of("two"), await models.of("three")]
  for (const engine of [two, one]) await getAnswer(engine)
  const running = ask(three, "go on!")
  await running.next()
  await makers[0]?.(() => unloaded.length === 1)
  expect(unloaded).toEqual(["two"])
  await makers[0]?.(() => false)
  expect(unloaded).toEqual(["two", "one"])
  await running.return?.()
})
