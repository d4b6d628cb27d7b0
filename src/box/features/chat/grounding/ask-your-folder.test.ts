import { describe, expect, test } from "vitest"
import { testModelPath } from "../../../testing/chat-server.ts"
import { startTestBox, type TestBox } from "../../../testing/test-box.ts"

const manual = "The kettle must be descaled every three months. Use citric acid for it, never vinegar."
const question = "How often must the kettle be descaled."

interface Event {
  type: string
  [field: string]: unknown
}

/** Sends a request like a script that knows only the API documentation. */
async function call(box: TestBox, method: string, path: string, body?: unknown): Promise<Response> {
  const response = await fetch(box.url + path, {
    method,
    headers: { "x-api-key": box.key, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  expect(response.ok, `${method} ${path}: ${response.status}`).toBe(true)
  return response
}
const json = async <T>(response: Promise<Response>) => (await (await response).json()) as T

async function ask(box: TestBox, vector: string[], content = question): Promise<Event[]> {
  const messages = [{ role: "user", content }]
  const response = await call(box, "POST", "/api/ai/chat", {
    id: "talk",
    messages,
    boxAddress: box.url,
    vector,
  })
  expect(response.headers.get("content-type")).toContain("text/event-stream")
  return (await response.text())
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice(6)) as Event)
}

async function folderWithManual(box: TestBox): Promise<string> {
  const created = call(box, "POST", "/api/public/vectors", { name: "Kitchen" })
  const { id } = (await json<{ vector: { id: string } }>(created)).vector
  const form = new FormData()
  form.set("file", new Blob([manual]), "kettle.md")
  const headers = { "x-api-key": box.key }
  await fetch(`${box.url}/api/public/vectors/${id}/files`, { method: "POST", headers, body: form })
  const state = async () => {
    const listed = call(box, "GET", `/api/public/vectors/${id}/files`)
    return (await json<{ files: { status: string }[] }>(listed)).files[0]?.status
  }
  await expect.poll(state).toBe("completed")
  return id
}

// Catches parts that work alone but not together: upload, index, search, prompt, stream, transcript, restart.
describe.each([
  ["with a model", { model: testModelPath() }],
  ["without a model", {}],
])("a folder %s", (_, config) => {
  test("answers a question, and the cited answer is still there after a restart", async () => {
    await using box = await startTestBox(config)
    const folder = await folderWithManual(box)
    const events = await ask(box, [folder])
    const sources = events.filter(({ type }) => type === "source")
    expect(sources).toMatchObject([{ citation: 1, fileName: "kettle.md", vectorId: folder }])
    expect(sources[0]?.["url"]).toContain(`${box.url}/dc/vector/${folder}?file=`)
    expect(events.at(-1)).toMatchObject({ type: "finish", finishReason: "stop" })
    const text = events
      .map((event) => (event.type === "text-delta" ? String(event["textDelta"]) : ""))
      .join("")
    expect(text).toContain("model" in config ? "scripted model" : "descaled every three months. [1]")

    interface Stored {
      chat: { title: string; messages: { content: string; parts: Event[] }[] }
    }
    const read = async () => (await json<Stored>(call(box, "GET", "/api/public/chats/talk"))).chat
    const before = await read()
    expect(before.title).toBe(question)
    expect(before.messages.map(({ content }) => content)).toEqual([question, text])
    expect(before.messages[1]?.parts.filter(({ type }) => type === "source")).toHaveLength(1)

    await box.restart()
    expect(await read()).toEqual(before)
    expect(await json(call(box, "GET", "/api/ai/chat/talk/stream-status"))).toMatchObject({
      status: "completed",
      isActive: false,
      messageCount: 2,
    })
  })
})
