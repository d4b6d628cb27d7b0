import { expect, test } from "vitest"
import type { SocketMessage } from "../../../shared/contract/socket.ts"
import { createEventBus } from "../../core/event-bus.ts"
import { startTestEngine } from "../../testing/chat-server.ts"
import { createModels } from "./service.ts"

// Catches states that are never told, told twice, or told after nobody watches any more.
test("apps hear of every change of a model's state", async () => {
  await using engine = startTestEngine().engine
  const bus = createEventBus()
  const pushed: SocketMessage[] = []
  bus.subscribe("push", ({ message }) => pushed.push(message))
  const models = createModels({ chat: engine, embedding: null, bus })
  expect(models.state()).toMatchObject({ chat: { kind: "local", status: "idle" }, embedding: null })

  await engine.countTokens("load the model")
  expect(models.state().chat).toMatchObject({ status: "ready", contextSize: 65_536 })
  const told = pushed.flatMap((message) => (message.type === "model" ? [message.model] : []))
  expect(told[0]?.status).toBe("loading")
  expect(told.at(-1)).toEqual(models.state().chat)
  expect(new Set(told.map((model) => JSON.stringify(model))).size).toBe(told.length)

  models[Symbol.dispose]()
  const before = pushed.length
  await engine[Symbol.asyncDispose]()
  expect(pushed).toHaveLength(before)
})
