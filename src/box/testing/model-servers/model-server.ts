import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** What a model says in one round: text, then calls. Arguments given as text are sent as they are. */
export interface Round {
  /** What it thinks before that. */
  thought?: string
  /** In one piece or more, perhaps with pauses between them. */
  text?: string | readonly string[] | AsyncIterable<string>
  calls?: { name: string; args: unknown; id?: string }[]
  /** Refuses the request instead. */
  refusal?: { status: number; message: string }
  /** What ended it, where that isn't its end or its calls. */
  reason?: "length" | "content_filter"
  /** It has said so much, and goes on with nothing until the connection is closed. */
  unended?: true
}

export interface ModelRequest {
  messages: { role: string; content: string | null; tool_calls?: unknown[]; tool_call_id?: string }[]
  tools?: { function: { name: string; description: string; parameters: Record<string, unknown> } }[]
}

export interface ModelServer extends AsyncDisposable {
  /** For a remote engine. */
  baseUrl: string
  /** What it was asked, oldest first. */
  requests: ModelRequest[]
  /** How many of them it still answers: whoever asked neither has its answer nor went away. */
  answering(): number
}

/** A model elsewhere that says what a test tells it to, in the protocol of OpenAI's chat completions. */
export async function startModelServer(
  speak: (request: ModelRequest, round: number) => Round | Promise<Round>,
  /** Whoever hasn't the key is refused. */
  { key, host = "127.0.0.1" }: { key?: string; host?: string } = {},
): Promise<ModelServer> {
  const requests: ModelRequest[] = []
  const answering = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    if (key !== undefined && request.headers.authorization !== `Bearer ${key}`)
      return void response.writeHead(401).end()
    if (request.url === "/v1/models") return void response.end(JSON.stringify({ data: [{ id: "told" }] }))
    if (request.method !== "POST") return void response.writeHead(404).end()
    const parts: Buffer[] = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      const asked = JSON.parse(Buffer.concat(parts).toString()) as ModelRequest
      requests.push(asked)
      answering.add(response)
      response.on("close", () => answering.delete(response))
      void Promise.resolve(speak(asked, requests.length)).then((round) => send(response, round))
    })
  }).listen(0, host)
  await once(server, "listening")
  return {
    baseUrl: `http://${host}:${(server.address() as AddressInfo).port}/v1`,
    requests,
    answering: () => answering.size,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

let calls = 0

async function send(response: ServerResponse, round: Round): Promise<void> {
  const { thought, text = [], calls: wanted = [], refusal, reason, unended } = round
  if (refusal) {
    const { status, message } = refusal
    return void response.writeHead(status).end(JSON.stringify({ error: { message } }))
  }
  const chunk = (delta: object, finish_reason: string | null = null) =>
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`)
  if (thought !== undefined) chunk({ reasoning_content: thought })
  for await (const content of typeof text === "string" ? [text] : text) chunk({ content })
  for (const [index, { name, args, id = `told_${++calls}` }] of wanted.entries()) {
    const text = typeof args === "string" ? args : JSON.stringify(args)
    chunk({ tool_calls: [{ index, id, function: { name, arguments: text } }] })
  }
  if (unended) return
  chunk({}, reason ?? (wanted.length > 0 ? "tool_calls" : "stop"))
  response.end("data: [DONE]\n\n")
}
