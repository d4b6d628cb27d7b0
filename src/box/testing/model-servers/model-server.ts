import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { keptAlive } from "../../../shared/testing/kept-alive.ts"

/**
 * Parses a line that starts a block in a model's input: "[3] text", or a table row. Returns null for any other line, such as a
 * continuation.
 */
export function blockLine(line: string): { number: string; text: string } | null {
  const [, number, text] = /^\[?(\d+)(?:\] |\t)(.*)$/.exec(line) ?? []
  return number === undefined || text === undefined ? null : { number, text }
}

type Answered = string | number | null

export interface RecordingServer extends AsyncDisposable {
  /** The address under which the model server is added. */
  url: string
  /** Each request's path and body, oldest first. */
  received: string[]
}

/**
 * A model server that keeps everything it receives. `answer` gets the path without `/v1`; if it returns null or a number, the server sends a
 * 404 or that status.
 */
export async function startRecordingServer(
  answer: (path: string, body: string) => Answered | Promise<Answered>,
): Promise<RecordingServer> {
  const received: string[] = []
  const server = createServer(keptAlive, (request, response) => {
    const parts: Buffer[] = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      const body = Buffer.concat(parts).toString()
      received.push(`${request.url} ${body}`)
      void Promise.resolve(answer((request.url ?? "").replace("/v1", ""), body)).then((text) =>
        typeof text === "string" ? response.end(text) : response.writeHead(text ?? 404).end(),
      )
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

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

/** Whether the model is asked to rewrite a follow-up question for the search. */
export const isRewriting = ({ messages }: ModelRequest): boolean =>
  messages[0]?.content?.startsWith("Rewrite the last question") === true

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
  const server = createServer(keptAlive, (request, response) => {
    if (key !== undefined && request.headers.authorization !== `Bearer ${key}`)
      return void response.writeHead(401).end()
    if (request.url === "/v1/models") return void response.end(JSON.stringify({ data: [{ id: "canned" }] }))
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
  for await (const content of typeof text === "string" ? [text] : text) {
    if (response.destroyed) return // the client has stopped an endless text
    chunk({ content })
  }
  for (const [index, { name, args, id = `canned_${++calls}` }] of wanted.entries()) {
    const text = typeof args === "string" ? args : JSON.stringify(args)
    chunk({ tool_calls: [{ index, id, function: { name, arguments: text } }] })
  }
  if (unended) return
  chunk({}, reason ?? (wanted.length > 0 ? "tool_calls" : "stop"))
  response.end("data: [DONE]\n\n")
}

export interface HeldEmbedder extends AsyncDisposable {
  /** The address of its model server. */
  url: string
  /** From then on, embeds every text immediately. */
  release(): void
}

/** Starts an embedding model that holds texts containing a word. Files with the word stay in progress until `release` is called. */
export async function startHeldEmbedder(word: string): Promise<HeldEmbedder> {
  const released = Promise.withResolvers<void>()
  const server = await startRecordingServer(async (path, body) => {
    if (path === "/models") return JSON.stringify({ data: [{ id: "held" }] })
    if (path !== "/embeddings") return null
    if (body.includes(word)) await released.promise
    const { input } = JSON.parse(body) as { input: string[] }
    return JSON.stringify({ data: input.map((_, index) => ({ index, embedding: [1, 0, index] })) })
  })
  return {
    url: server.url,
    release: released.resolve,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

interface Part {
  type: string
  text?: string
  image_url?: { url: string }
}

export interface SeenRequest {
  messages: { role: string; content: string | Part[] | null }[]
}

export interface SeeingServer extends RecordingServer {
  /** Requests received by its models, oldest first. */
  requests: SeenRequest[]
}

/**
 * A server with four models: one that reads images, one that doesn't, one for which it isn't stated, and one that does but has a small
 * context window.
 *
 * @param speak returns what a model says, or a status that refuses the request
 */
export async function startSeeingServer(
  speak: (request: SeenRequest) => string | number | Promise<string | number> = () => "I see.",
): Promise<SeeingServer> {
  const requests: SeenRequest[] = []
  const list = [
    { id: "sees", architecture: { input_modalities: ["text", "image"] }, max_model_len: 32_768 },
    { id: "blind", architecture: { input_modalities: ["text"] }, max_model_len: 32_768 },
    { id: "unsaid", max_model_len: 32_768 },
    { id: "small", architecture: { input_modalities: ["text", "image"] }, max_model_len: 2_048 },
  ]
  const server = await startRecordingServer(async (path, body) => {
    if (path === "/models") return JSON.stringify({ data: list })
    if (path !== "/chat/completions") return null
    const request = JSON.parse(body) as SeenRequest
    requests.push(request)
    const content = await speak(request)
    if (typeof content === "number") return content
    const said = { choices: [{ delta: { content }, finish_reason: "stop" }] }
    return `data: ${JSON.stringify(said)}\n\ndata: [DONE]\n\n`
  })
  return { ...server, requests }
}

/** Returns the images in a request as they arrived. */
export const picturesSeen = (request: SeenRequest | undefined): Buffer[] =>
  (request?.messages ?? []).flatMap(({ content }) =>
    typeof content === "string" || content === null
      ? []
      : content.flatMap(({ image_url: image }) =>
          image ? [Buffer.from(image.url.slice(image.url.indexOf(",") + 1), "base64")] : [],
        ),
  )
