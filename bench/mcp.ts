// Additional time that the Model Context Protocol takes for a search, compared with the HTTP route it uses: node bench/mcp.ts The
// protocol's official client and plain requests query one warm box alternately.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { elapsed, median, percentile } from "./measure.ts"
import { endProcess, startBuiltBox } from "./processes.ts"
import { printResults, type BenchResult } from "./result.ts"

const documents = 40
const warmUp = 100
const searches = 500
/** Maximum time that the protocol may add, in ms. */
const maxAdded = 3
const pauseMs = 50

export async function run(): Promise<BenchResult[]> {
  const dataDir = await mkdtemp(join(tmpdir(), "bench-mcp-"))
  const box = await startBuiltBox(dataDir)
  try {
    return await measure(box.ready["url"] ?? "", box.ready["firstRunKey"] ?? "")
  } finally {
    await endProcess(box)
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function measure(url: string, key: string): Promise<BenchResult[]> {
  const folder = await fill(url, key)
  const question = (index: number) => `what does document ${index % documents} say about topic ${index % 7}`
  const client = new Client({ name: "bench", version: "1" })
  const headers = { "x-api-key": key }
  await client.connect(
    new StreamableHTTPClientTransport(new URL("/api/mcp", url), { requestInit: { headers } }),
  )
  const searchOverHttp = async (index: number) => {
    const body = { query: question(index), vector: [folder], topK: 8 }
    await post(url, key, "/api/public/vectors/search", body)
  }
  const searchOverMcp = (index: number) =>
    client.callTool({
      name: "search",
      arguments: { query: question(index), folderIds: [folder], limit: 8 },
    })
  const [http, mcp, added]: number[][] = [[], [], []]
  for (let index = 0; index < warmUp + searches; index++) {
    const direct = await elapsed(() => searchOverHttp(index))
    const through = await elapsed(() => searchOverMcp(index))
    if (index < warmUp) continue
    http?.push(direct)
    mcp?.push(through)
    added?.push(through - direct)
  }
  await client.close()
  const [floor, value] = [median(http ?? []), median(mcp ?? [])]
  const [slowFloor, slow] = [percentile(http ?? [], 0.95), percentile(mcp ?? [], 0.95)]
  const more = median(added ?? [])
  return [
    { name: "search over MCP, median", value, unit: "ms", floor },
    { name: "… p95", value: slow, unit: "ms", floor: slowFloor },
    {
      name: "… more than over HTTP",
      value: more,
      unit: "ms",
      target: `≤${maxAdded}`,
      ok: more <= maxAdded,
    },
  ]
}

/** Creates a folder of indexed documents; returns its id. */
async function fill(url: string, key: string): Promise<string> {
  const { vector } = (await post(url, key, "/api/public/vectors", { name: "Bench" })) as {
    vector: { id: string }
  }
  const files = `${url}/api/public/vectors/${vector.id}/files`
  for (let index = 0; index < documents; index++) {
    const form = new FormData()
    const paragraphs = Array.from(
      { length: 7 },
      (_, topic) => `Document ${index} says of topic ${topic} so much.`,
    )
    form.set("file", new Blob([paragraphs.join("\n\n")]), `document-${index}.txt`)
    await (await fetch(files, { method: "POST", headers: { "x-api-key": key }, body: form })).text()
  }
  for (;;) {
    const answer = await fetch(`${files}?status=completed&limit=1`, { headers: { "x-api-key": key } })
    if (((await answer.json()) as { total: number }).total === documents) return vector.id
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

async function post(url: string, key: string, path: string, body: unknown): Promise<unknown> {
  const headers = { "x-api-key": key, "content-type": "application/json" }
  const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
  return answer.json()
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) printResults(await run())
