import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { vi } from "vitest"
import { startTestBox, type TestBox } from "./test-box.ts"
import type { ModelRequest } from "./model-server.ts"

/** Stands in the text and the name of each file, and in nothing else. */
export const canary = "cerulean-walrus"

/** What a model elsewhere says in one round. */
export interface FarRound {
  text?: string
  call?: { name: string; args: object }
}

interface Question {
  id: string
  content?: string
  vector?: string[]
  modelId?: string
  assistantId?: string
}

/** A box with a model server that keeps all that it is sent. */
export interface WalledBox extends AsyncDisposable {
  box: TestBox
  /** Id of the server's model. */
  far: string
  /** All that the server was sent. */
  sent: string[]
  /** What of it holds the canary. */
  leaked(): string[]
  /** Set by a test that has the model elsewhere say more than one sentence. */
  speak(request: ModelRequest): FarRound | Promise<FarRound>
  choose(role: "chat" | "embedding", modelId: string): Promise<unknown>
  addModel(path: string): Promise<string>
  /** A folder with one file, which is read by now. */
  makeFolder(remote: "allowed" | "never"): Promise<string>
  /** Asks in a chat that goes on with what it has stored. */
  ask(question: Question): Promise<{ text: string; notices: string[] }>
}

/** @param undoMs how long deletions can be undone */
export async function startWalledBox(undoMs?: number): Promise<WalledBox> {
  const box = await startTestBox({}, undoMs)
  const sent: string[] = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (part: Buffer) => (body += part.toString()))
    request.on("end", () => {
      sent.push(`${request.url} ${body}`)
      if (request.url === "/v1/models") return void response.end(JSON.stringify({ data: [{ id: "far" }] }))
      if (request.url === "/v1/embeddings") return void response.end(embeddingsOf(body))
      if (request.url !== "/v1/chat/completions") return void response.writeHead(404).end()
      void Promise.resolve(walled.speak(JSON.parse(body) as ModelRequest)).then((round) =>
        response.end(streamOf(round)),
      )
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const added = await box.client.modelServers.add({ body: { name: "Far away", url } })

  const walled: WalledBox = {
    box,
    far: added.server.models[0]?.id ?? "",
    sent,
    leaked: () => sent.filter((request) => request.includes(canary)),
    speak: () => ({ text: "From afar." }),
    choose: (role, modelId) => box.client.models.choose({ body: { role, modelId } }),
    addModel: async (path) => (await box.client.models.add({ body: { path } })).model.id,
    async makeFolder(remote) {
      const { vector } = await box.client.folders.create({ body: { name: "Papers", remote } })
      const file = new Blob([`The ${canary} sleeps in the harbour at noon.`])
      await box.client.files.upload({ params: { id: vector.id }, file, fileName: `${canary}.txt` })
      await vi.waitFor(async () => {
        const { files } = await box.client.files.list({ params: { id: vector.id } })
        if (files[0]?.status !== "completed") throw new Error("The file is being read.")
      }, 30_000)
      return vector.id
    },
    async ask({ content = "Tell me who sleeps in the harbour at noon.", ...question }) {
      const earlier = await box.client.conversations.read({ params: { id: question.id } }).then(
        ({ chat }) => chat.messages.map(({ role, content: text }) => ({ role, content: text })),
        () => [],
      )
      const messages = [...earlier, { role: "user" as const, content }]
      const events = []
      for await (const event of box.client.chat.send({
        body: { messages, boxAddress: box.url, ...question },
      }))
        events.push(event)
      return {
        text: events.flatMap((event) => (event.type === "text-delta" ? event.textDelta : [])).join(""),
        notices: events.flatMap((event) => (event.type === "notice" ? event.code : [])),
      }
    },
    async [Symbol.asyncDispose]() {
      await box[Symbol.asyncDispose]()
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
  return walled
}

function embeddingsOf(body: string): string {
  const { input } = JSON.parse(body) as { input: string[] }
  return JSON.stringify({ data: input.map((_, index) => ({ index, embedding: [1, 0, index] })) })
}

function streamOf({ text, call }: FarRound): string {
  const calls = call && [
    { index: 0, id: "call", function: { name: call.name, arguments: JSON.stringify(call.args) } },
  ]
  const delta = { ...(text !== undefined && { content: text }), ...(calls && { tool_calls: calls }) }
  const choices = [{ delta, finish_reason: calls ? "tool_calls" : "stop" }]
  return `data: ${JSON.stringify({ choices })}\n\ndata: [DONE]\n\n`
}
