/** Prints how many bytes each event of an answer allocates; a program of its own, since everything in a process counts. */
import assert from "node:assert/strict"
import { once } from "node:events"
import { Session, type HeapProfiler } from "node:inspector/promises"
import { connect } from "node:net"
import { openOutbound } from "../src/box/core/outbound/testing/open-outbound.ts"
import { createRemoteEngine } from "../src/box/engines/remote/remote-engine.ts"
import { startChatServer, type ChatServer } from "../src/box/testing/chat-server.ts"
import { startStreamingModel } from "./streaming-model.ts"

const tokensPerSecond = 5_000
/** Characters that are looked at of an answer's end, which may come in pieces. */
const endLength = 1_000

/** Bytes of JavaScript objects that are made while something is done, also of those that are gone by its end. */
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
  const sizeOf = ({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number =>
    selfSize + children.reduce((sum, child) => sum + sizeOf(child), 0)
  return sizeOf(profile.head)
}

/** Asks over a bare socket, which makes next to nothing itself, and reads the answer to its end. */
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

/** What an answer of so many tokens allocates, with the model's server: the least of two, because timers of a busy computer add to it. */
async function answering(tokens: number): Promise<number> {
  await using model = await startStreamingModel("word ".repeat(tokens), tokensPerSecond)
  await using engine = createRemoteEngine({ server: { baseUrl: model.url, outbound: openOutbound() } })
  await using server = await startChatServer({ engine })
  await ask(server, "first") // what is made once
  const first = await allocated(() => ask(server, "second"))
  return Math.min(first, await allocated(() => ask(server, "third")))
}

const [short, long] = [2_000, 10_000]
console.log(((await answering(long)) - (await answering(short))) / (long - short))
process.exit()
