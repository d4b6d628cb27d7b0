import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface RecordingServer extends AsyncDisposable {
  /** The address under which the model server is added. */
  url: string
  /** Each request's path and body, oldest first. */
  received: string[]
}

/** A model server that keeps everything it receives. `answer` gets the path without `/v1`; if it returns null, the server sends a 404. */
export async function startRecordingServer(
  answer: (path: string, body: string) => string | null | Promise<string | null>,
): Promise<RecordingServer> {
  const received: string[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      const body = Buffer.concat(parts).toString()
      received.push(`${request.url} ${body}`)
      void Promise.resolve(answer((request.url ?? "").replace("/v1", ""), body)).then((text) =>
        text === null ? response.writeHead(404).end() : response.end(text),
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
