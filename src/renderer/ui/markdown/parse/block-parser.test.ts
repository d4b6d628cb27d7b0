import { Worker } from "node:worker_threads"
import { afterEach, expect, test } from "vitest"
import { BlockParser, type Skipped, type StartThread, type TextRecord } from "./block-parser.ts"
import { maxOverruns } from "./bounds.ts"
import type { BlockTree, Unread } from "./parse-block.ts"

const threads: Worker[] = []
let stopped = 0

/** Runs the real parser on a Node thread. */
const startThread: StartThread = (onMessage, onFailure) => {
  const worker = new Worker(new URL("../testing/thread-entry.ts", import.meta.url))
  threads.push(worker)
  worker.on("message", onMessage)
  worker.on("error", onFailure)
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    send: (block) => worker.postMessage(block),
    stop: () => {
      stopped++
      void worker.terminate()
    },
  }
}

afterEach(async () => {
  await Promise.all(threads.splice(0).map((worker) => worker.terminate()))
  stopped = 0
})

/** `thread-entry.ts` never finishes reading this text. */
const endless = "never ends"
const unread = (): TextRecord => ({ overruns: 0, tookMs: 0 })
const read = (parser: BlockParser, text: string, of = unread()) =>
  new Promise<BlockTree | Unread | Skipped>((resolve) => parser.read({ text, coloured: true }, of, resolve))

test("reads a piece on another thread, with its formulas and colours", async () => {
  const parser = new BlockParser(startThread, { startMs: 50_000, readMs: 50_000 })
  expect(JSON.stringify(await read(parser, "Euler: $e^{i\\pi}$"))).toContain("katex")
  expect(JSON.stringify(await read(parser, "```js\nconst a = 1\n```"))).toContain("hljs-keyword")
  expect(threads).toHaveLength(1)
})

// Catches an endless wait for a piece, a thread that continues with it, and the loss of later pieces.
test("gives up on a piece that takes too long, stops its thread and starts another for the next piece", async () => {
  const parser = new BlockParser(startThread, { startMs: 50_000, readMs: 2_000 })
  await read(parser, "warm")
  const [first, second] = await Promise.all([read(parser, endless), read(parser, "after")])
  expect(first).toBe("too-much")
  expect(stopped).toBeGreaterThan(0)
  expect(JSON.stringify(second)).toContain("after")
})

// Catches a text of a thousand such pieces that keeps a processor busy for minutes.
test("skips a text that took too long several times, but not others", async () => {
  const parser = new BlockParser(startThread, { startMs: 50_000, readMs: 50_000 })
  expect(await read(parser, "[x](y)", { overruns: maxOverruns, tookMs: 0 })).toBe("skipped")
  expect(await read(parser, "[x](y)")).not.toBe("too-much")
  expect(threads).toHaveLength(1)
})

test("leaves nothing waiting if a thread never becomes ready or fails", async () => {
  const silent = new BlockParser(() => ({ send: () => undefined, stop: () => undefined }), {
    startMs: 10,
    readMs: 10,
  })
  expect(await read(silent, "[x](y)")).toBe("skipped")
  const failing: StartThread = (_, onFailure) => {
    queueMicrotask(onFailure)
    return { send: () => undefined, stop: () => undefined }
  }
  expect(await read(new BlockParser(failing, { startMs: 50_000, readMs: 50_000 }), "[x](y)")).toBe("skipped")
})

// Catches an answer that isn't read because the pieces of another one, each just fast enough, always come first.
test("reads the text first that has taken least time so far", async () => {
  const parser = new BlockParser(startThread, { startMs: 50_000, readMs: 50_000 })
  const long = unread()
  const order: string[] = []
  const reading = ["long 1", "long 2", "long 3"].map(async (text) => {
    await read(parser, text, long)
    order.push(text)
  })
  await Promise.all([...reading, read(parser, "short").then(() => order.push("short"))])
  expect(order).toEqual(["long 1", "short", "long 2", "long 3"])
  expect(long.tookMs).toBeGreaterThan(0)
})

test("doesn't read a piece that was withdrawn", async () => {
  const parser = new BlockParser(startThread, { startMs: 50_000, readMs: 50_000 })
  const delivered: string[] = []
  const text = unread()
  parser.read({ text: "one", coloured: false }, text, () => delivered.push("one"))
  const withdraw = parser.read({ text: "two", coloured: false }, text, () => delivered.push("two"))
  withdraw()
  await read(parser, "three")
  expect(delivered).toEqual(["one"])
})
