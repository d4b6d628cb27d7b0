import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { ensureTestModel } from "./engines/llama/testing/test-models.ts"
import { startTestBox, type TestBox } from "./testing/test-box.ts"

/** Stands in the folder, and in nothing else. */
const canary = "cerulean-walrus"

let box: TestBox
let stack: AsyncDisposableStack
/** All that the server was sent. */
let sent: string[]
let serverModel: string
let localModel: string

beforeEach(async () => {
  stack = new AsyncDisposableStack()
  box = await startTestBox()
  sent = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (part: Buffer) => (body += part.toString()))
    request.on("end", () => {
      sent.push(`${request.url} ${body}`)
      if (request.url === "/v1/models") return void response.end(JSON.stringify({ data: [{ id: "far" }] }))
      if (request.url === "/v1/embeddings") {
        const { input } = JSON.parse(body) as { input: string[] }
        return void response.end(
          JSON.stringify({ data: input.map((_, index) => ({ index, embedding: [1, 0, index] })) }),
        )
      }
      response.end(
        `data: ${JSON.stringify({ choices: [{ delta: { content: "From afar." }, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`,
      )
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  stack.defer(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, "close")
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const added = await box.client.modelServers.add({ body: { name: "Far away", url } })
  serverModel = added.server.models[0]?.id ?? ""
  localModel = (await box.client.models.add({ body: { path: ensureTestModel() } })).model.id
})
afterEach(async () => {
  await box[Symbol.asyncDispose]()
  await stack.disposeAsync()
})

const choose = (role: "chat" | "embedding", modelId: string) =>
  box.client.models.choose({ body: { role, modelId } })

async function makeFolder(remote: "allowed" | "never"): Promise<string> {
  const { vector } = await box.client.folders.create({ body: { name: "Papers", remote } })
  expect(vector.remote).toBe(remote)
  const file = new Blob([`The ${canary} sleeps in the harbour at noon.`])
  await box.client.files.upload({ params: { id: vector.id }, file, fileName: `${canary}.txt` })
  await vi.waitFor(async () => {
    const { files } = await box.client.files.list({ params: { id: vector.id } })
    expect(files[0]?.status).toBe("completed")
  }, 30_000)
  return vector.id
}

interface Question {
  id: string
  content?: string
  vector?: string[]
  modelId?: string
  assistantId?: string
}
async function ask({ content = "Tell me who sleeps in the harbour at noon.", ...question }: Question) {
  const earlier = await box.client.conversations.read({ params: { id: question.id } }).then(
    ({ chat }) => chat.messages.map(({ role, content: text }) => ({ role, content: text })),
    () => [],
  )
  const messages = [...earlier, { role: "user" as const, content }]
  const events = []
  for await (const event of box.client.chat.send({ body: { messages, boxAddress: box.url, ...question } }))
    events.push(event)
  return {
    text: events.flatMap((event) => (event.type === "text-delta" ? event.textDelta : [])).join(""),
    notices: events.flatMap((event) => (event.type === "notice" ? event.code : [])),
  }
}
const leaked = () => sent.filter((request) => request.includes(canary))

// Catches a folder that is sent to a server although it stays here; and one that may be sent that isn't.
test("a model on a server reads a folder that may be sent, and none that stays here", async () => {
  await choose("chat", serverModel)
  const [open, closed] = [await makeFolder("allowed"), await makeFolder("never")]
  expect((await ask({ id: "a", vector: [open] })).text).toBe("From afar.")
  expect(leaked()).not.toEqual([])
  sent = []
  const answer = await ask({ id: "b", vector: [closed] })
  expect(answer.notices).toContain("stays_here")
  expect(answer.text).toContain(canary)
  expect(sent).toEqual([])
  expect((await ask({ id: "b", vector: [closed], modelId: localModel })).text).toContain("scripted model")
  await box.client.folders.update({ params: { id: open }, body: { remote: "never" } })
  await ask({ id: "a", vector: [open] })
  expect(sent).toEqual([])
})

// Catches the words of a folder that leave with the conversation, after the question about it.
test("a conversation that has read one isn't sent either, also once the folder is gone", async () => {
  await choose("chat", localModel)
  const closed = await makeFolder("never")
  await ask({ id: "a", vector: [closed] })
  const refused = { code: "forbidden", message: expect.stringContaining("far") as string }
  await expect(ask({ id: "a", modelId: serverModel, content: "And then?" })).rejects.toMatchObject(refused)
  await choose("chat", serverModel)
  await expect(ask({ id: "a", content: "And then?" })).rejects.toMatchObject(refused)
  await box.client.folders.remove({ params: { id: closed } })
  await expect(ask({ id: "a", content: "And then?" })).rejects.toMatchObject(refused)
  await box.restart()
  await expect(ask({ id: "a", content: "And then?" })).rejects.toMatchObject(refused)
  expect(leaked()).toEqual([])
})

// Catches an assistant that brings its folder along, whatever model it answers with.
test("an assistant's own folder stays here too", async () => {
  const closed = await makeFolder("never")
  const { assistant } = await box.client.assistants.create({
    body: { name: "Clerk", vectorIds: [closed], modelId: serverModel },
  })
  await choose("chat", localModel)
  expect((await ask({ id: "a", assistantId: assistant.id })).notices).toContain("stays_here")
  expect(leaked()).toEqual([])
})

// Catches passages that are embedded elsewhere, when they are read, and later when the model is chosen.
test("its passages are embedded by no server", async () => {
  await choose("embedding", serverModel)
  const [open, closed] = [await makeFolder("allowed"), await makeFolder("never")]
  const embedded = () => leaked().filter((request) => request.startsWith("/v1/embeddings"))
  await vi.waitFor(() => expect(embedded()).toHaveLength(1), 20_000)
  const found = await box.client.folders.search({ body: { query: canary, vector: [open, closed] } })
  expect(found.results.map(({ vectorId }) => vectorId)).toHaveLength(1)
  sent = []
  await box.restart()
  await box.client.folders.update({ params: { id: open }, body: { remote: "never" } })
  await makeFolder("never")
  expect(embedded()).toEqual([])
})
