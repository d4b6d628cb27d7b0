import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** A model's output in one round: text, then tool calls. Arguments given as text are sent unchanged. */
export interface Round {
  /** The reasoning sent before the text. */
  thought?: string
  /** One or more pieces, optionally with pauses between them. */
  text?: string | readonly string[] | AsyncIterable<string>
  calls?: { name: string; args: unknown; id?: string }[]
  /** Refuses the request instead. */
  refusal?: { status: number; message: string }
  /** The finish reason, if it isn't a normal end or tool calls. */
  reason?: "length" | "content_filter"
  /** Sends nothing more after this output and keeps the connection open until it is closed. */
  unended?: true
}

export interface ModelRequest {
  messages: { role: string; content: string | null; tool_calls?: unknown[]; tool_call_id?: string }[]
  tools?: { function: { name: string; description: string; parameters: Record<string, unknown> } }[]
}

export interface ModelServer extends AsyncDisposable {
  /** Base URL for a remote engine. */
  baseUrl: string
  /** Requests received, oldest first. */
  requests: ModelRequest[]
  /** Number of requests still being answered: the client has neither received its answer nor disconnected. */
  answering(): number
}

/** Starts a remote model, scripted by the test, that speaks OpenAI's chat completions protocol. */
export async function startModelServer(
  speak: (request: ModelRequest, round: number) => Round | Promise<Round>,
  /** Requests without the key are refused. */
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
