import { afterAll, beforeAll, expect, test } from "vitest"
import { ErrorBody } from "../shared/contract/errors.ts"
import { startModelServer, type ModelServer } from "./testing/model-servers/model-server.ts"
import { startTestBox, type TestBox } from "./testing/test-box.ts"

let model: ModelServer
let box: TestBox
let chat: (more: object) => object
beforeAll(async () => {
  model = await startModelServer(() => ({ text: "Hello." }))
  box = await startTestBox({ model: model.baseUrl })
  chat = (more) => ({ id: "c", boxAddress: box.url, messages: [{ role: "user", content: "Hi?" }], ...more })
})
afterAll(async () => {
  await box[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

async function post(path: string, body: object): Promise<{ status: number; fields: string[] }> {
  const answer = await fetch(box.url + path, {
    method: "POST",
    headers: { "x-api-key": box.key, "content-type": "application/json" },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (answer.ok) return { status: answer.status, fields: [] }
  const details = ErrorBody.parse(JSON.parse(text)).details as { field: string }[]
  return { status: answer.status, fields: details.map(({ field }) => field) }
}

const assistants = "/api/public/assistants"
const notifications = "/api/public/notifications"
const suggestion = (more: object) => ({ label: "a", prompt: "a", ...more })
/** Path, maximum characters, the field's name in errors, and a body with a text of that length. */
const texts: [path: string, most: number, field: string, body: (text: string) => object][] = [
  [assistants, 120, "name", (name) => ({ name })],
  [assistants, 10_000, "description", (description) => ({ name: "A", description })],
  [assistants, 100_000, "instructions", (instructions) => ({ name: "A", instructions })],
  [assistants, 200, "suggestions.0.label", (label) => ({ name: "A", suggestions: [suggestion({ label })] })],
  [
    assistants,
    4_000,
    "suggestions.0.prompt",
    (prompt) => ({ name: "A", suggestions: [suggestion({ prompt })] }),
  ],
  ["/api/ai/chat", 200, "id", (id) => chat({ id })],
  ["/api/public/vectors", 120, "name", (name) => ({ name })],
  [notifications, 200, "title", (title) => ({ title })],
  [notifications, 2_000, "description", (description) => ({ title: "a", description })],
  [notifications, 2_000, "body", (text) => ({ title: "a", body: text })],
  [notifications, 2_000, "preview", (preview) => ({ title: "a", preview })],
  [notifications, 500, "dedupeKey", (dedupeKey) => ({ title: "a", dedupeKey })],
  [
    notifications,
    2_048,
    "deepLink",
    (text) => ({ title: "a", deepLink: `/${Array.from(text).slice(1).join("")}` }),
  ],
  [notifications, 200, "name", (name) => ({ title: "a", name })],
  [notifications, 200, "sender.name", (name) => ({ title: "a", sender: { name } })],
  [notifications, 200, "chatId", (chatId) => ({ title: "a", chatId })],
]

// Catches a limit that is off by one, counts emoji twice, truncates, or differs in a lower layer.
test.each(texts)(
  "%s accepts %d characters of any kind, and refuses one more with a 400 that names %s",
  async (path, max, field, body) => {
    for (const character of ["x", "é", "漢", "🦊"]) {
      const fits = await post(path, body(character.repeat(max)))
      expect([fits.status < 300, fits.fields], character).toEqual([true, []])
      expect(await post(path, body(character.repeat(max + 1))), character).toEqual({
        status: 400,
        fields: [field],
      })
    }
  },
)

test("lists of entries and handles have limits too", async () => {
  const many = <T>(amount: number, entry: T): T[] => Array.from({ length: amount }, () => entry)
  const none = "0199a2d4-5b1e-7c3a-9f20-3a5d8e7b6c41"
  const suggestions = (amount: number) => ({ name: "A", suggestions: many(amount, suggestion({})) })
  expect((await post(assistants, suggestions(12))).status).toBe(201)
  expect(await post(assistants, suggestions(13))).toEqual({ status: 400, fields: ["suggestions"] })
  expect(await post(assistants, { name: "A", vectorIds: many(51, none) })).toEqual({
    status: 400,
    fields: ["vectorIds"],
  })
  expect(await post("/api/ai/chat", chat({ vector: many(51, none) }))).toEqual({
    status: 400,
    fields: ["vector"],
  })
  expect((await post(assistants, { name: "A", handle: "h".repeat(120) })).status).toBe(201)
  expect(await post(assistants, { name: "A", handle: "h".repeat(121) })).toEqual({
    status: 400,
    fields: ["handle"],
  })
  // A derived handle keeps the limit, whatever is appended to it.
  for (const _ of [1, 2]) {
    const { assistant } = await box.client.assistants.create({ body: { name: "㋿".repeat(120) } })
    expect(assistant.handle.length).toBeLessThanOrEqual(120)
  }
  for (let index = 0; index < 3; index++) {
    const { assistant } = await box.client.assistants.create({ body: { name: "z".repeat(120) } })
    expect(assistant.handle).toMatch(/^z{119,120}\d?$/)
    expect(assistant.handle.length).toBeLessThanOrEqual(120)
  }
})

test("a search accepts 200 characters, and ignores case beyond ASCII", async () => {
  await box.client.assistants.create({ body: { name: "ÜBERSICHT Ärger ΣΊΣΥΦΟΣ" } })
  for (const path of [assistants, "/api/public/chats"]) {
    const search = (text: string) =>
      fetch(`${box.url}${path}?${new URLSearchParams({ search: text }).toString()}`, {
        headers: { "x-api-key": box.key },
      })
    expect((await search("🦊".repeat(200))).status).toBe(200)
    expect((await search("🦊".repeat(201))).status).toBe(400)
  }
  for (const search of ["übersicht", "ÄRGER", "σίσυφοσ"])
    expect((await box.client.assistants.list({ query: { search } })).assistants, search).toHaveLength(1)
})
