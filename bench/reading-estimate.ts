// Compares the estimate for reading a whole document with the actual cost, using real documents and a real small model.
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { spawnNodeChild, type SpawnChild } from "../src/box/core/children/child.ts"
import type { FromEngine } from "../src/box/engines/llama/protocol.ts"
import { startBox, type RunningBox } from "../src/box/start-box.ts"
import { createClient, type Client } from "../src/shared/client/http-client.ts"
import { printResults, type BenchResult } from "./result.ts"
import { corpusPath } from "./retrieval-corpus.ts"

/** An estimate is accurate if it is within a factor of two. */
const within = { least: 0.5, most: 2 }

/** The model writes stories instead of notes, so each part is halved repeatedly: a few pages take minutes. */
export async function run(): Promise<BenchResult[]> {
  const model = corpusPath("models", "stories260K.gguf")
  const small = corpusPath("documents", "linn.txt")
  const large = corpusPath("documents", "test.json")
  if (model === undefined || small === undefined || large === undefined) {
    process.stderr.write("The corpus isn't beside the project, so nothing is measured.\n")
    return []
  }
  const dataDir = await mkdtemp(join(tmpdir(), "casella-reading-"))
  const sent = { tokens: 0 }
  const start = () => startReadingBox(dataDir, model, counting(sent))
  let key = ""
  const ask = (box: RunningBox, document: string, content: string) =>
    measure(createClient({ baseUrl: box.url, headers: { "x-api-key": key } }), sent, document, content)
  try {
    const results: BenchResult[] = []
    {
      await using box = await start()
      key = box.firstRunKey ?? ""
      results.push(...figures("the first question ever", await ask(box, small, "Summarise everything.")))
    }
    await using box = await start()
    results.push(...figures("first after loading", await ask(box, large, "Summarise everything.")))
    results.push(...figures("a later one", await ask(box, small, "Summarise what is said of people.")))
    return results
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function startReadingBox(dataDir: string, model: string, spawn: SpawnChild): Promise<RunningBox> {
  const config = {
    host: "127.0.0.1",
    port: 0,
    dataDir,
    databaseUrl: null,
    model,
    embeddingModel: null,
    files: null,
    vectors: null,
    secretsKey: null,
    peerUrl: null,
    filesCacheGb: 10,
    vectorsCacheGb: 10,
    authUrl: null,
    localOnly: false,
    allowedHosts: [],
    allowedOrigins: [],
    publicUrl: null,
    oidc: null,
  }
  const box = await startBox(config, { pageDir: join(dataDir, "no-page"), quiet: true, spawn })
  await box.allStarted
  return box
}

interface Measured {
  characters: number
  isMeasured: boolean
  told: { seconds: number; tokens: number }
  taken: { seconds: number; tokens: number }
}

/** Asks about a document that is new to the box. */
async function measure(
  client: Client,
  sent: { tokens: number },
  document: string,
  content: string,
): Promise<Measured> {
  const fileIds = [await add(client, document)]
  const { characters, isMeasured, estimatedSeconds, estimatedTokens } = await client.chat.estimateReading({
    body: { fileIds, content },
  })
  const boxAddress = "http://127.0.0.1/"
  const messages = [{ role: "user" as const, content }]
  const body = { id: fileIds[0] ?? "", messages, fileIds, reading: "whole" as const, boxAddress }
  const before = sent.tokens
  const began = performance.now()
  let last = ""
  for await (const event of client.chat.send({ body })) {
    if (event.type === "error") throw new Error(event.error)
    last = event.type
  }
  if (last !== "finish") throw new Error("The answer did not finish.")
  const taken = { seconds: (performance.now() - began) / 1_000, tokens: sent.tokens - before }
  return { characters, isMeasured, told: { seconds: estimatedSeconds, tokens: estimatedTokens }, taken }
}

async function add(client: Client, document: string): Promise<string> {
  const { vector } = await client.folders.create({ body: { name: basename(document) } })
  const params = { id: vector.id }
  const file = new Blob([await readFile(document)])
  const { files } = await client.files.upload({ params, file, fileName: basename(document) })
  const status = async () => (await client.files.list({ params })).files[0]?.status
  while ((await status()) !== "completed") await wait(50)
  return files[0]?.id ?? ""
}

/** No time is promised before the first measurement. */
function figures(when: string, { characters, isMeasured, told, taken }: Measured): BenchResult[] {
  const name = `${when}, ${characters} characters`
  return (["seconds", "tokens"] as const).flatMap((what) => {
    const unit = what === "seconds" ? "s" : ""
    const value = told[what] / taken[what]
    const promise = {
      target: `${within.least}–${within.most}`,
      ok: value >= within.least && value <= within.most,
    }
    return [
      { name: `${name}: ${what} told`, value: told[what], unit },
      { name: `${name}: ${what} taken`, value: taken[what], unit },
      { name: `${name}: ${what} told of taken`, value, unit: "×", ...(isMeasured && promise) },
    ]
  })
}

/** Starts children as the box does, and counts the tokens sent to models. */
function counting(sent: { tokens: number }): SpawnChild {
  return (options) => {
    const child = spawnNodeChild(options)
    if (options.entry !== "engine") return child
    const onMessage: typeof child.onMessage = (shape, listener) =>
      child.onMessage(shape, (message) => {
        const told = message as FromEngine
        for (const event of told.type === "events" ? told.events : [])
          if (event.type === "finish") sent.tokens += event.promptTokens
        listener(message)
      })
    return Object.assign(Object.create(child) as typeof child, { onMessage })
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) printResults(await run())
