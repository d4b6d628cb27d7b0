import { createHash } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { keptAlive } from "../../../../shared/testing/kept-alive.ts"

export interface HubServer extends AsyncDisposable {
  url: string
  /** The file that it serves under any name; replace it to simulate another version. */
  content: Buffer
  /** Bytes after which the next responses end, by a cut connection or by silence. */
  faults: { after: number; by: "cut" | "silence" }[]
  /** Whether it reports the file's properties before the content; false simulates a mirror that doesn't. */
  sendsLinkedHeaders: boolean
  /** URL to which it redirects requests for a file. */
  redirectsTo: string
  /** Status codes of the next responses, instead of a redirect. */
  refusals: number[]
  /** Paths of the requests to the hub. */
  paths: string[]
  /** Headers of the requests to the content server. */
  contentRequests: IncomingMessage["headers"][]
  /** Resolves when a response has reached its fault. */
  faulted(): Promise<void>
}

/** Simulates Hugging Face: a redirect with size and checksum, and content with ranges and an ETag. */
export async function startHubServer(content: Buffer): Promise<HubServer> {
  let faulted = Promise.withResolvers<void>()
  const server = createServer(keptAlive, (request, response) => {
    const path = request.url ?? ""
    if (path.startsWith("/cdn/")) sendContent(request, response)
    else redirect(path, response)
  })

  function redirect(path: string, response: ServerResponse): void {
    hub.paths.push(path)
    const refusal = hub.refusals.shift()
    if (refusal !== undefined) return void response.writeHead(refusal).end()
    const linked = {
      "x-linked-size": String(hub.content.length),
      "x-linked-etag": `"${sha256(hub.content)}"`,
    }
    response.writeHead(302, { location: hub.redirectsTo, ...(hub.sendsLinkedHeaders ? linked : {}) }).end()
  }

  function sendContent({ headers }: IncomingMessage, response: ServerResponse): void {
    hub.contentRequests.push(headers)
    const total = hub.content.length
    const etag = `"${sha256(hub.content).slice(0, 32)}"`
    const start = Number(/^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1] ?? 0)
    const isRest = start > 0 && headers["if-range"] === etag
    if (isRest && start >= total) return void response.writeHead(416).end()
    const from = isRest ? start : 0
    response.writeHead(isRest ? 206 : 200, {
      etag,
      "content-length": total - from,
      ...(isRest ? { "content-range": `bytes ${from}-${total - 1}/${total}` } : {}),
    })
    const fault = hub.faults.shift()
    if (!fault) return void response.end(hub.content.subarray(from))
    response.write(hub.content.subarray(from, from + fault.after), () => {
      if (fault.by === "cut") response.destroy()
      faulted.resolve()
      faulted = Promise.withResolvers()
    })
  }

  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const hub: HubServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    content,
    faults: [],
    sendsLinkedHeaders: true,
    redirectsTo: "/cdn/blob?signature=1",
    refusals: [],
    paths: [],
    contentRequests: [],
    faulted: () => faulted.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
  return hub
}

export const sha256 = (content: Buffer): string => createHash("sha256").update(content).digest("hex")
