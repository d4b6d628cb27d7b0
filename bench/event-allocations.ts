/** Prints how many bytes each event of an answer allocates. It is a separate program, because everything in a process is measured. */
import assert from "node:assert/strict"
import { once } from "node:events"
import { Session, type HeapProfiler } from "node:inspector/promises"
import { connect } from "node:net"
import { openOutbound } from "../src/box/core/outbound/testing/open-outbound.ts"
import { createRemoteEngine } from "../src/box/engines/remote/remote-engine.ts"
import { startChatServer, type ChatServer } from "../src/box/testing/chat-server.ts"
import { startStreamingModel } from "./streaming-model.ts"

const tokensPerSecond = 5_000
/** Number of characters to check at the end of an answer, which may arrive in pieces. */
const endLength = 1_000

/** Bytes of JavaScript objects allocated during `work`, including those freed before its end. */
async function allocated(work: () => Promise<unknown>): Promise<number> {
  using profiler = { session: new Session(), [Symbol.dispose]: () => profiler.session.disconnect() }
  profiler.session.connect()
  await profiler.session.post("HeapProfiler.startSampling", {
    samplingInterval: 4_096,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  } as HeapProfiler.StartSamplingParameterType)
  await work()
  const { profile } = await profiler.session.post("HeapProfiler.stopSampling")
  const getSize = ({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number =>
    selfSize + children.reduce((sum, child) => sum + getSize(child), 0)
  return getSize(profile.head)
}

/** Sends a question over a bare socket, which allocates almost nothing itself, and reads the whole answer. */
async function ask({ url }: ChatServer, chatId: string): Promise<void> {
  const body = JSON.stringify({
    id: chatId,
    boxAddress: url,
    messages: [{ role: "user", content: "Go on." }],
  })
  const head = [
    "POST /api/ai/chat HTTP/1.1",
    `host: ${new URL(url).host}`,
    "x-api-key: alice",
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ]
  const socket = connect(Number(new URL(url).port), new URL(url).hostname)
  let end = ""
  socket.on(
    "data",
    (chunk) => (end = `${end}${chunk.subarray(-endLength).toString("latin1")}`.slice(-endLength)),
  )
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`)
  await once(socket, "close")
  assert.match(end, /finish/)
}

/**
 * Bytes that an answer of `tokens` tokens allocates, including the model server. It is the lower of two runs, because timers of a busy
 * computer add to it.
 */
async function answering(tokens: number): Promise<number> {
  await using model = await startStreamingModel("word ".repeat(tokens), tokensPerSecond)
  await using engine = createRemoteEngine({ server: { baseUrl: model.url, outbound: openOutbound() } })
  await using server = await startChatServer({ engine })
  await ask(server, "first") // allocations that happen only once
  const first = await allocated(() => ask(server, "second"))
  return Math.min(first, await allocated(() => ask(server, "third")))
}

const [short, long] = [2_000, 10_000]
console.log(((await answering(long)) - (await answering(short))) / (long - short))
process.exit()
