import { expect, test } from "vitest"
import type { SocketMessage } from "../../../shared/contract/socket.ts"
import { startTestEngine } from "../../testing/chat-server.ts"
import type { ChatEngine } from "../../engines/engine.ts"
import { createModelInUse } from "./answering/models-in-use.ts"
import { createModelNews } from "./model-news.ts"

const nothing = { engine: () => null, onReplaced: () => () => undefined }

// Catches states that are never reported, reported twice, or reported after no one listens any more. Also catches a replaced model that
// still reports, and a successor that never does.
test("apps are notified of every change of a model's state, and of a new model", async () => {
  const first = startTestEngine().engine
  await using _ = first
  const chat = createModelInUse<ChatEngine>(first)
  const pushed: SocketMessage[] = []
  const listPushed = () => pushed.flatMap((message) => (message.type === "model" ? [message.model] : []))
  const news = createModelNews({ chat, embedding: nothing, rerank: nothing }, (_userIds, message) =>
    pushed.push(message),
  )
  expect(news.state()).toMatchObject({ chat: { kind: "local", status: "idle" }, embedding: null })

  await chat.engine()?.countTokens("load the model")
  expect(news.state().chat).toMatchObject({ status: "ready", contextSize: 65_536 })
  expect(listPushed()[0]?.status).toBe("loading")
  expect(listPushed().at(-1)).toEqual(news.state().chat)
  expect(new Set(listPushed().map((model) => JSON.stringify(model))).size).toBe(listPushed().length)

  chat.set(null)
  expect(listPushed().at(-1)).toBeNull()
  expect(news.state().chat).toBeNull()
  await using second = startTestEngine().engine
  chat.set(second)
  expect(listPushed().at(-1)).toMatchObject({ status: "idle" })
  await second.countTokens("load the next one")
  expect(listPushed().at(-1)).toMatchObject({ status: "ready" })

  news[Symbol.dispose]()
  const before = pushed.length
  await chat.engine()?.[Symbol.asyncDispose]()
  expect(pushed).toHaveLength(before)
})
