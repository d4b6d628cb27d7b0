import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

const tickMs = 20

export interface StreamingModel extends AsyncDisposable {
  /** The value for `--model`. */
  url: string
}

/** A model server in OpenAI's format that sends the same text at a steady rate. A word with its space is one token. */
export async function startStreamingModel(
  text: string,
  tokensPerSecond: number,
  finishReason: "stop" | "length" = "stop",
): Promise<StreamingModel> {
  const tokens = text.match(/\S+\s*/g) ?? []
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

  const server = createServer((request, response) => {
    request.resume()
    if (request.url?.endsWith("/models") === true) {
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ object: "list", data: [{ id: "steady", object: "model" }] }))
      return
    }
    response.setHeader("content-type", "text/event-stream")
    const startedAt = performance.now()
    let sent = 0
    const timer = setInterval(() => {
      const due = Math.min(
        tokens.length,
        Math.floor(((performance.now() - startedAt) / 1000) * tokensPerSecond),
      )
      while (sent < due) response.write(chunk({ content: tokens[sent++] }))
      if (sent < tokens.length) return
      clearInterval(timer)
      response.write(chunk({}, finishReason))
      response.end("data: [DONE]\n\n")
    }, tickMs)
    response.on("close", () => clearInterval(timer))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}
