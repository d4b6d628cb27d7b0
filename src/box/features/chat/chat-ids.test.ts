import { afterAll, beforeAll, expect, test } from "vitest"
import { api } from "../../../shared/contract/api.ts"
import type { Contract } from "../../../shared/contract/endpoint.ts"
import { chatIdForms } from "../../../shared/testing/chat-ids.ts"
import { startModelServer, type ModelServer } from "../../testing/model-servers/model-server.ts"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"

let model: ModelServer
let box: TestBox
beforeAll(async () => {
  model = await startModelServer(() => ({ text: "Hello." }))
  box = await startTestBox({ model: model.baseUrl })
})
afterAll(async () => {
  await box[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

/** Asks a question and waits until the answer ends, because the chat's time of last use may change until then. */
async function ask(id: string) {
  const answer = await fetch(`${box.url}/api/ai/chat`, {
    method: "POST",
    headers: { "x-api-key": box.key, "content-type": "application/json" },
    body: JSON.stringify({ id, boxAddress: box.url, messages: [{ role: "user", content: "Hello?" }] }),
  })
  return { status: answer.status, text: await answer.text() }
}

/** All endpoints with a chat id in their path. The other parameters are filled in. */
const routes = Object.values<Contract>(api)
  .flatMap((contract) => Object.values(contract))
  .filter(({ path }) => path.includes("/:chatId") || path.startsWith("/api/public/chats/:id"))
const unknownId = "0199a2d4-5b1e-7c3a-9f20-3a5d8e7b6c41"

const isDeletion = ({ method, path }: { method: string; path: string }) =>
  method === "delete" && path === "/api/public/chats/:id"

/** Asks in a new chat, then calls all its routes, including renaming and deletion. Returns the results. */
async function useAll(id: string): Promise<string[]> {
  const { client } = box
  const params = { id }
  expect((await ask(id)).status).toBe(200)
  const answers = ["asked"]
  for (const { method, path } of [
    ...routes.filter((route) => !isDeletion(route)),
    ...routes.filter(isDeletion),
  ]) {
    if (method === "delete") {
      expect((await client.conversations.read({ params })).chat).toMatchObject({
        id,
        title: "Renamed",
        messageCount: 2,
      })
    }
    const filled = path.replace(/:chatId|(?<=chats\/):id/, () => encodeURIComponent(id))
    const answer = await fetch(box.url + filled.replaceAll(/:\w+/g, unknownId), {
      method: method.toUpperCase(),
      headers: { "x-api-key": box.key, "content-type": "application/json" },
      ...(method === "get" ? {} : { body: '{"title":"Renamed","decision":"deny"}' }),
    })
    const text = await answer.text()
    answers.push(`${method} ${path}: ${answer.status}${answer.ok ? "" : text}`)
  }
  return answers
}

// Catches an id that a route decodes twice or not at all, so that it finds another chat or none.
test("every route finds every chat", async () => {
  const plain = await useAll("plain")
  expect(plain).toContain("delete /api/public/chats/:id: 200")
  expect(plain.filter((answer) => answer.endsWith(": 200")).length).toBeGreaterThan(5)
  for (const id of chatIdForms) expect(await useAll(id), id).toEqual(plain)
})

// Catches an id that lists, search or a notification return in another form than the one sent.
test("every chat is reported with its own id", async () => {
  const { client } = box
  for (const id of chatIdForms) {
    expect((await ask(id)).status, id).toBe(200)
    await client.notifications.send({ body: { title: "Ready", chatId: id, dedupeKey: id } })
    expect((await client.notifications.list({ query: { limit: 1 } })).notifications[0]?.chatId).toBe(id)
    expect((await client.conversations.list({ query: { limit: 1 } })).chats[0]?.id).toBe(id)
    expect((await client.chat.status({ params: { chatId: id } })).messageCount).toBe(2)
  }
  const listed = (await client.conversations.list({ query: { limit: 200 } })).chats.map((chat) => chat.id)
  expect(listed.toSorted()).toEqual([...chatIdForms].toSorted())
  const { results } = await client.conversations.search({ query: { query: "Hello", limit: 50 } })
  expect(results.every(({ chatId }) => chatIdForms.includes(chatId))).toBe(true)
})

// Catches an id that can be stored but never opened again.
test.each([
  ["", "must not be empty"],
  [".", "can't be part of an address"],
  ["..", "can't be part of an address"],
  ["a\ud800", "an unpaired surrogate"],
  ["\udc00b", "an unpaired surrogate"],
  ["x".repeat(201), "at most 200"],
  ["🦊".repeat(201), "at most 200"],
])("%j is refused with the field's name", async (id, why) => {
  const answer = await ask(id)
  expect(answer.status).toBe(400)
  const { details } = JSON.parse(answer.text) as { details: { field: string; message: string }[] }
  expect(details.map(({ field }) => field)).toEqual(["id"])
  expect(details[0]?.message).toContain(why)
})
