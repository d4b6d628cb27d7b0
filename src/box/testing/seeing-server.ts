import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

interface Part {
  type: string
  text?: string
  image_url?: { url: string }
}

export interface SeenRequest {
  messages: { role: string; content: string | Part[] | null }[]
}

export interface SeeingServer extends AsyncDisposable {
  url: string
  /** What its models were asked, oldest first, and all that arrived as text. */
  requests: SeenRequest[]
  received: string[]
}

/** A server with a model that sees, one that doesn't, one of which it doesn't say, and one that sees but holds little. */
export async function startSeeingServer(): Promise<SeeingServer> {
  const requests: SeenRequest[] = []
  const received: string[] = []
  const list = [
    { id: "sees", architecture: { input_modalities: ["text", "image"] }, max_model_len: 32_768 },
    { id: "blind", architecture: { input_modalities: ["text"] }, max_model_len: 32_768 },
    { id: "unsaid", max_model_len: 32_768 },
    { id: "small", architecture: { input_modalities: ["text", "image"] }, max_model_len: 2_048 },
  ]
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      const body = Buffer.concat(parts).toString()
      received.push(`${request.url} ${body}`)
      if (request.url === "/v1/models") return void response.end(JSON.stringify({ data: list }))
      if (request.url !== "/v1/chat/completions") return void response.writeHead(404).end()
      requests.push(JSON.parse(body) as SeenRequest)
      const said = { choices: [{ delta: { content: "I see." }, finish_reason: "stop" }] }
      response.end(`data: ${JSON.stringify(said)}\n\ndata: [DONE]\n\n`)
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

/** The pictures of a request, as they arrived. */
export const picturesSeen = (request: SeenRequest | undefined): Buffer[] =>
  (request?.messages ?? []).flatMap(({ content }) =>
    typeof content === "string" || content === null
      ? []
      : content.flatMap(({ image_url: image }) =>
          image ? [Buffer.from(image.url.slice(image.url.indexOf(",") + 1), "base64")] : [],
        ),
  )
