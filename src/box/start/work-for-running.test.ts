import { once } from "node:events"
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { copyFile, mkdir, mkdtemp, open, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { WebSocket, WebSocketServer } from "ws"
import { spawnNodeChild, type Child, type SpawnChild } from "../core/children/child.ts"
import { silentLogger } from "../core/logging/logger.ts"
import { createLlamaEmbedder } from "../engines/llama/llama-encoders.ts"
import { createWorkerEmbedder } from "../engines/embedding/elsewhere/embed-elsewhere.ts"
import { fingerprintModel } from "../engines/llama/computer.ts"
import { ensureTestEmbeddingModel, testGpu } from "../engines/llama/testing/test-models.ts"
import {
  newNonce,
  nonceHeader,
  proofHeader,
  proofsFor,
  workerPath,
  workerVersionHeader,
  workKindHeader,
  type WorkKind,
} from "../http/workers/worker-channel.ts"
import { createWorkers, type WorkerEntrance } from "../http/workers/workers.ts"
import { toAppError } from "../http/error-response.ts"
import { getIdentity } from "../parsers/document/opened-document.ts"
import { documentEnds, createOffloadingReader } from "../parsers/elsewhere/read-elsewhere.ts"
import type { Block, ParserInput } from "../parsers/parser.ts"
import { createDocumentReader, type DocumentReader } from "../parsers/process/document-reader.ts"
import { prepareLanguages } from "../parsers/ocr/languages.ts"
import { makePdf } from "../parsers/testing/make-pdf.ts"
import { startStandbyWorkers, type WorkForRunningDeps } from "./work-for-running.ts"

const key = Buffer.alloc(32, 1)
const version = "1.2.3"
const kinds: WorkKind[] = ["read", "recognise", "embed"]

let directory: string
let languages: string
let server: Server
/** Socket of the latest connection to the server. */
let duplex: Socket
let workers: WorkerEntrance
let address: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-workers-"))
  languages = join(directory, "languages")
  workers = createWorkers({ key, version, logger: silentLogger })
  server = createServer()
  server.on("upgrade", (request, connection, head) => {
    duplex = connection as Socket
    try {
      if (!workers.accept(request, duplex, head)) duplex.destroy()
    } catch (error) {
      duplex.end(`HTTP/1.1 ${toAppError(error, silentLogger).status} No\r\n\r\n`)
    }
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  workers[Symbol.dispose]()
  server.closeAllConnections()
  server.close()
  await rm(directory, { recursive: true, force: true })
})

/** Starts a standby server and waits until all its workers are connected. */
async function work(changes: Partial<WorkForRunningDeps> = {}): Promise<AsyncDisposable> {
  await mkdir(join(directory, "worker"), { recursive: true })
  const worker = begin(changes)
  await connected()
  return worker
}
const begin = (changes: Partial<WorkForRunningDeps>) =>
  startStandbyWorkers({
    running: () => Promise.resolve(address),
    key,
    version,
    dataDir: join(directory, "worker"),
    spawn: spawnNodeChild,
    logger: silentLogger,
    ...changes,
  })
const counts = () => kinds.map((kind) => workers.count(kind))
const connected = () => expect.poll(counts).toEqual([2, 1, 1])
/** The active server may notice later than the standby server that a connection ended. */
const disconnected = () => expect.poll(counts).toEqual([0, 0, 0])

const socketAddress = () => `${address.replace("http", "ws")}${workerPath}`

/** Opens a connection that offers to read, as a standby server does, and returns its proofs. Nothing is proven yet. */
async function connects() {
  const waiting = newNonce()
  const headers = { [nonceHeader]: waiting, [workerVersionHeader]: version, [workKindHeader]: "read" }
  const socket = new WebSocket(socketAddress(), { headers })
  const opened = once(socket, "open")
  const [answer] = (await once(socket, "upgrade")) as [IncomingMessage]
  await opened
  const { [nonceHeader]: running, [proofHeader]: theirs } = answer.headers
  const connection = { kind: "read", waiting, running: String(running) } as const
  const proofs = proofsFor(key, connection)
  expect(theirs).toBe(proofs.running)
  return { socket, connection, proofs }
}

/** Connects a worker for reading that sends nothing by itself, and returns its proof. */
async function offers() {
  const { socket, proofs } = await connects()
  socket.send(JSON.stringify({ proof: proofs.waiting }))
  await expect.poll(() => workers.count("read")).toBe(1)
  return { socket, proof: proofs.waiting }
}

async function file(name: string, content: string | Uint8Array): Promise<ParserInput> {
  const path = join(directory, name)
  await writeFile(path, content)
  await using opened = await open(path)
  return { path, name, identity: await getIdentity(opened) }
}

interface ReadResult {
  blocks: Block[]
  notes: unknown[]
  scans: unknown[]
  error: unknown
}

/** Collects everything that a reader returns for a document. */
async function readDocument(reader: Pick<DocumentReader, "read">, input: ParserInput): Promise<ReadResult> {
  const said: ReadResult = { blocks: [], notes: [], scans: [], error: null }
  const options = {
    onNote: (note: unknown) => void said.notes.push(note),
    onScans: (scans: unknown) => void said.scans.push(scans),
  }
  try {
    for await (const block of reader.read(input, options)) said.blocks.push(block)
  } catch (error) {
    said.error = { ...(error as object), message: (error as Error).message }
  }
  return said
}

/** A reader that must not be called. */
const nobody: Pick<DocumentReader, "read"> = {
  // eslint-disable-next-line require-yield
  async *read() {
    await Promise.reject(new Error("It was read here."))
  },
}

const createWorkerReader = (
  here: Pick<DocumentReader, "read">,
  from: Pick<WorkerEntrance, "take"> = workers,
) => createOffloadingReader(here, from, languages)

const dots = { width: 600, height: 800, pixels: new Uint8Array(600 * 800).fill(200) }
const longText = "A line of text.\n\n".repeat(60_000)

// Catches text, notes, scans and errors that are lost or changed in transit, and a connection that works only once.
test("a standby server reads documents exactly as the active server does", async () => {
  await using here = createDocumentReader({ spawn: spawnNodeChild, logger: silentLogger })
  await using _ = await work()
  const reader = createWorkerReader(nobody)
  const inputs = [
    await file("note.md", "# Title\n\nText"),
    await file("empty.txt", ""),
    await file("long.txt", longText),
    await file("scan.pdf", makePdf([{ lines: [{ text: "The ferry leaves at nine." }] }, { picture: dots }])),
  ]
  for (const input of inputs) {
    const expected = await readDocument(here, input)
    expect(await readDocument(reader, input), input.name).toEqual(expected)
  }
  expect((await readDocument(reader, inputs.at(-1) ?? { path: "", name: "" })).scans).toHaveLength(1)
  expect((await readDocument(reader, await file("other.txt", "still"))).blocks).toMatchObject([
    { text: "still" },
  ])
  await connected()
})

// Catches a document that fails permanently, loses its notes or has duplicate text because of the standby server's computer.
test("reads a document on the active server if the standby server can't, whatever the reason", async () => {
  await using here = createDocumentReader({ spawn: spawnNodeChild, logger: silentLogger })
  const parsers: Child[] = []
  const spawn: SpawnChild = (options) => {
    const child = spawnNodeChild(options)
    parsers.push(child)
    return child
  }
  await using _ = await work({ spawn })
  const reader = createWorkerReader(here)
  for (const input of [
    await file("half.txt", Buffer.from("fine \ud800 not", "utf16le")),
    await file("unknown.bin", new Uint8Array(10_000)),
    await file("broken.pdf", Buffer.from("%PDF-1.7 nothing of it")),
  ])
    expect(await readDocument(reader, input), input.name).toEqual(await readDocument(here, input))
  const input = await file("long.txt", longText)
  const expected = await readDocument(here, input)
  const blocks: Block[] = []
  for await (const block of reader.read(input))
    if (blocks.push(block) === 3) for (const parser of parsers) parser.kill("SIGKILL") // simulates a parser that runs out of memory
  expect(blocks).toEqual(expected.blocks)
  await connected()
})

// Catches a document that fails, or has missing or duplicate text, because the standby server stopped while reading it.
test("continues reading on the active server if the standby server stops, without repeating text", async () => {
  await using here = createDocumentReader({ spawn: spawnNodeChild, logger: silentLogger })
  const worker = await work()
  const input = await file("long.txt", longText)
  const expected = await readDocument(here, input)
  const blocks: Block[] = []
  for await (const block of createWorkerReader(here).read(input)) {
    if (blocks.push(block) === 3) await worker[Symbol.asyncDispose]()
  }
  expect(blocks).toEqual(expected.blocks)
  await disconnected()
})

// Catches work that is cancelled on the active server but continues on the standby server, and a standby server that offers nothing
// afterwards.
test("cancels reading on the standby server too, and frees its worker", async () => {
  await using _ = await work()
  const stop = new AbortController()
  const reading = createWorkerReader(nobody).read(await file("long.txt", longText), {
    signal: stop.signal,
  })
  await reading.next()
  stop.abort(new Error("called off"))
  const blocks: Block[] = []
  const toEnd = async () => {
    for await (const block of reading) blocks.push(block)
  }
  await expect(toEnd()).rejects.toThrow("called off")
  await connected()
})

// Catches a folder that can't be paused, or a server that can't stop, while a standby server doesn't receive what it is sent.
test("stops sending immediately when reading is cancelled", async () => {
  const { socket } = await offers()
  socket.pause()
  await using large = await open(join(directory, "large.txt"), "w")
  await large.truncate(256 << 20)
  const stop = new AbortController()
  const reader = createWorkerReader(nobody, {
    take(kind) {
      setImmediate(() => stop.abort(new Error("called off")))
      return workers.take(kind)
    },
  })
  const input = { path: join(directory, "large.txt"), name: "large.txt", identity: await getIdentity(large) }
  await expect(reader.read(input, { signal: stop.signal }).next()).rejects.toThrow("called off")
})

// Catches a server that never stops, or never takes over, because it is looking up the active server's address.
test("a standby server stops even while it looks up the active server's address", async () => {
  const asked = Promise.withResolvers<void>()
  const found = Promise.withResolvers<string>()
  const worker = begin({
    running() {
      asked.resolve()
      return found.promise
    },
  })
  await asked.promise
  const ended = worker[Symbol.asyncDispose]()
  found.resolve(address)
  await ended
  await disconnected()
})

// Catches pages that are recognised with different languages from the active server's.
test("recognises pages only on servers with the same languages", async () => {
  const input = { ...(await file("scan.pdf", makePdf([{ picture: dots }]))), scan: { page: 1 } }
  const recognise = async () => {
    try {
      for await (const _ of createWorkerReader(nobody).read(input, { ocr: true }));
    } catch (error) {
      return String(error)
    }
    return "It was read elsewhere."
  }
  await using _ = await work()
  expect(await recognise()).toContain("It was read here.") // the standby server prepares its languages only at its first page
  await prepareLanguages(languages)
  expect(await recognise()).toContain("It was read elsewhere.")
  await rm(join(languages, "ita.traineddata.gz"))
  expect(await recognise()).toContain("It was read here.")
  await expect.poll(() => workers.count("recognise")).toBe(0)
})

// Catches embeddings from another model or in the wrong order, and a standby server without the model that blocks everything.
test("a standby server embeds with the same model, identified by its content", async () => {
  const path = ensureTestEmbeddingModel([["cat"], ["dog"], ["walrus"]], "Tiny")
  await using here = createLlamaEmbedder({
    modelPath: path,
    spawn: spawnNodeChild,
    gpu: testGpu,
    logger: silentLogger,
  })
  const model = { path: join("/nowhere", basename(path)), fingerprint: await fingerprintModel(path) }
  await mkdir(join(directory, "worker/models"), { recursive: true })
  await copyFile(path, join(directory, "worker/models", basename(path)))
  await using _ = await work()
  const texts = ["cat", "walrus", "dog dog", ""]
  const noEngine = { embed: () => Promise.reject(new Error("It was embedded here.")) }
  const expected = await here.embed(texts)
  expect(await createWorkerEmbedder(noEngine, model, workers).embed(texts)).toEqual(expected)
  await expect(createWorkerEmbedder(noEngine, model, workers).embed([])).rejects.toThrow("here")

  const other = { ...model, fingerprint: "another" }
  expect(await createWorkerEmbedder(here, other, workers).embed(texts)).toEqual(expected)
  await expect.poll(() => workers.count("embed")).toBe(0)
})

// Catches a server of another version, or one that still sends a token, that reads differently or is never told that it isn't needed.
test.each([
  ["none of the headers", {}, 409],
  ["another version", { [nonceHeader]: "x", [workerVersionHeader]: "1.2.4", [workKindHeader]: "read" }, 409],
  ["a token", { "x-casella-worker": "x", [workerVersionHeader]: version, [workKindHeader]: "read" }, 403],
  ["an unknown work", { [nonceHeader]: "x", [workerVersionHeader]: version, [workKindHeader]: "rule" }, 403],
])("a connection with %s is refused", async (_, headers, status) => {
  const socket = new WebSocket(socketAddress(), { headers })
  const [, response] = (await once(socket, "unexpected-response")) as [unknown, { statusCode: number }]
  expect(response.statusCode).toBe(status)
  socket.on("error", () => undefined)
  socket.terminate()
  await disconnected()
})

// Catches a program without the secrets key that may work for the active server, and so read its documents, by using a proof from an
// earlier connection, from the server itself or for other work.
test.each<[string, (it: Awaited<ReturnType<typeof connects>>, earlier: string) => string | Uint8Array]>([
  ["an earlier connection's proof", (_, earlier) => JSON.stringify({ proof: earlier })],
  ["the box's own proof", ({ proofs }) => JSON.stringify({ proof: proofs.running })],
  [
    "another key's proof",
    ({ connection }) => JSON.stringify({ proof: proofsFor(Buffer.alloc(32, 2), connection).waiting }),
  ],
  [
    "a proof for other work",
    ({ connection }) => JSON.stringify({ proof: proofsFor(key, { ...connection, kind: "embed" }).waiting }),
  ],
  ["none", () => "{}"],
  ["null", () => "null"],
  ["bytes", () => new Uint8Array(32)],
  ["no JSON", () => "{"],
])("a connection that sends %s gets no worker slot", async (_, say) => {
  const { socket, proof } = await offers()
  socket.terminate()
  await expect.poll(() => workers.count("read")).toBe(0)
  let max = 0
  workers.onChange(() => (max = Math.max(max, workers.count("read"))))
  const stranger = await connects()
  stranger.socket.on("message", () => expect.unreachable())
  stranger.socket.send(say(stranger, proof))
  await once(stranger.socket, "close")
  expect(max).toBe(0)
  expect(workers.take("read")).toBeNull()
})

// Catches strangers that fill memory or keep connections open forever.
test("disconnects an unproven connection after a timeout and limits what it can send", async () => {
  const { socket: long } = await connects()
  const taking = duplex
  long.send(new Uint8Array(32 << 20))
  await once(long, "close")
  expect(taking.bytesRead).toBeLessThan(1 << 20)

  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  try {
    const { socket: silent } = await connects()
    const closed = once(silent, "close")
    vi.advanceTimersByTime(5_000)
    await closed
  } finally {
    vi.useRealTimers()
  }
  await disconnected()
})

// Catches a standby server that reads documents for a program on a stopped server's port, and so reveals what its models or parsers do.
test.each<[string, (asked: IncomingMessage, earlier: string[]) => string[]]>([
  ["proves nothing", () => []],
  ["says what the box that ran once said", (_, earlier) => earlier],
  [
    "has another key",
    ({ headers }) => {
      const connection = { kind: "read", waiting: String(headers[nonceHeader]), running: "x" } as const
      return [`${nonceHeader}: x`, `${proofHeader}: ${proofsFor(Buffer.alloc(32, 2), connection).running}`]
    },
  ],
])("a standby server refuses to work for a server that %s", async (_, say) => {
  const earlier = await connects()
  const said = [`${nonceHeader}: ${earlier.connection.running}`, `${proofHeader}: ${earlier.proofs.running}`]
  earlier.socket.terminate()
  const stranger = new WebSocketServer({ host: "127.0.0.1", port: 0 })
  await once(stranger, "listening")
  const heard: unknown[] = []
  const ended = new Set<unknown>()
  stranger.on("headers", (headers, asked) => headers.push(...say(asked, said)))
  stranger.on("connection", (socket) => {
    socket.on("error", () => undefined)
    socket.on("message", (message) => heard.push(message))
    socket.on("close", () => ended.add(socket))
    const request = { type: "read", name: "note.md", leaveScans: false }
    for (const message of [request, Buffer.from("# Title"), documentEnds])
      socket.send(message instanceof Buffer ? message : JSON.stringify(message))
  })
  const spawn = vi.fn(spawnNodeChild)
  const worker = begin({
    running: () => Promise.resolve(`http://127.0.0.1:${(stranger.address() as AddressInfo).port}`),
    spawn,
  })
  try {
    await expect.poll(() => ended.size).toBeGreaterThanOrEqual(4)
  } finally {
    await worker[Symbol.asyncDispose]()
    for (const socket of stranger.clients) socket.terminate()
    stranger.close()
  }
  expect(heard).toEqual([])
  expect(spawn).not.toHaveBeenCalled()
})

// Catches documents that fail, or text that is accepted, because of a standby server that sends arbitrary answers.
test.each([
  "no JSON",
  "{}",
  '{"type":"batch","blocks":[{"kind":"text"}],"done":true,"notes":[]}',
  '{"type":"page-sizes","sizes":[],"notes":[]}',
])("rejects the answer %s and reads the document on the active server", async (answer) => {
  const { socket } = await offers()
  socket.on("message", () => socket.send(answer))
  await using here = createDocumentReader({ spawn: spawnNodeChild, logger: silentLogger })
  const input = await file("note.md", "# Title\n\nText")
  expect(await readDocument(createWorkerReader(here), input)).toEqual(await readDocument(here, input))
  await expect.poll(() => workers.count("read")).toBe(0)
})
