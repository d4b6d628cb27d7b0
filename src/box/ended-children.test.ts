import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { FileEntry } from "../shared/contract/files.ts"
import { createLifeWatch } from "./core/children/start-child.ts"
import {
  frozen,
  spawnNodeChild,
  type Child,
  type ChildOptions,
  type ExitReason,
} from "./core/children/child.ts"
import { silentLogger } from "./core/logging/logger.ts"
import { createLlamaEmbedder } from "./engines/llama/llama-encoders.ts"
import { createLlamaEngine } from "./engines/llama/llama-engine.ts"
import { ensureTestEmbeddingModel, ensureTestModel } from "./engines/llama/testing/test-models.ts"
import { createDocumentReader } from "./parsers/process/document-reader.ts"
import { ParseFailure } from "./parsers/parser.ts"
import { startFolderServer } from "./testing/folder-server.ts"
import { createCalculate } from "./tools/calculate.ts"
import { testContext } from "./tools/testing/tool-context.ts"

let directory: string
/** A document that is still being read when its child process is killed or frozen. */
let long: { path: string; name: string }
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-ended-"))
  long = { path: join(directory, "long.txt"), name: "long.txt" }
  for (let part = 0; part < 50; part++) await appendFile(long.path, "A line of text.\n\n".repeat(100_000))
})
afterAll(() => rm(directory, { recursive: true }))

const gpu = { wanted: async () => false, memoryBytes: () => 0, rememberFailure: () => undefined }

/** Starts real children, and can send the newest one a signal after it has sent a message. */
function createSpawn() {
  const children: Child[] = []
  const heard = Promise.withResolvers<void>()
  return {
    children,
    spawn(options: ChildOptions): Child {
      const child = spawnNodeChild(options)
      child.onBeat(() => heard.resolve())
      children.push(child)
      return child
    },
    signal: (name: NodeJS.Signals) => process.kill(children.at(-1)?.pid ?? 0, name),
    /** Settles with the first heartbeat of any child. */
    beating: heard.promise,
  }
}

// Concurrently, because a frozen process is detected only after ten seconds.
describe("a child", { tags: "unix" }, () => {
  async function read(reader: ReturnType<typeof createDocumentReader>, document = long): Promise<number> {
    let blocks = 0
    for await (const _ of reader.read(document)) blocks++
    return blocks
  }

  // Catches documents that are marked as failed because the system ended their parser, or that block reading permanently.
  test.concurrent.each(["SIGKILL", "SIGTERM", "SIGSTOP"] as const)(
    "that reads a document and gets %s may be retried",
    async (name) => {
      const { spawn, signal, beating } = createSpawn()
      await using reader = createDocumentReader({ spawn, logger: silentLogger, slots: 1 })
      const failed = read(reader).catch((error: unknown) => error)
      await beating
      signal(name)
      const failure = await failed
      expect(failure).toBeInstanceOf(ParseFailure)
      expect(failure).toMatchObject({ transientCause: "died", reason: { code: "parser_ended" } })
      const fine = { path: join(directory, `${name}.txt`), name: "fine.txt" }
      await writeFile(fine.path, "fine")
      expect(await read(reader, fine)).toBe(1)
    },
  )

  // Catches a file that stays failed, or that fails endlessly, because its parser was killed.
  test.concurrent("that is killed costs a document one retry, and the document fails with the real reason in the end", async () => {
    let kills = 2
    const { spawn } = createSpawn()
    const killing = (options: ChildOptions) => {
      const child = spawn(options)
      if (kills-- > 0 && child.pid !== undefined) process.kill(child.pid, "SIGKILL")
      return child
    }
    await using reader = createDocumentReader({ spawn: killing, logger: silentLogger, slots: 1 })
    await using server = await startFolderServer({ reader })
    const client = server.getClient("alice")
    const { vector } = await client.folders.create({ body: { name: "Documents" } })
    const upload = (name: string) =>
      client.files.upload({ params: { id: vector.id }, file: new Blob(["apples"]), fileName: name })
    await upload("one.txt")
    const one: FileEntry = await server.fileIs("one.txt", "completed")
    expect([one.attempts, one.error]).toEqual([3, null])
    kills = 3
    await using other = createDocumentReader({ spawn: killing, logger: silentLogger, slots: 1 })
    await using second = await startFolderServer({ reader: other })
    const folder = (await second.getClient("alice").folders.create({ body: { name: "Documents" } })).vector
    const params = { id: folder.id }
    await second.getClient("alice").files.upload({ params, file: new Blob(["figs"]), fileName: "two.txt" })
    const two = await second.fileIs("two.txt", "failed")
    expect([two.attempts, two.reasons]).toEqual([3, [{ code: "parser_ended" }]])
  })

  // Catches a search that waits for a frozen model, and a model that stays frozen.
  test.concurrent("that embeds and is frozen delays no one beyond their timeout, and is replaced", async () => {
    const { spawn, signal, children } = createSpawn()
    const modelPath = ensureTestEmbeddingModel()
    await using embedder = createLlamaEmbedder({ modelPath, spawn, gpu, logger: silentLogger })
    await embedder.embed(["cat"])
    signal("SIGSTOP")
    const waited = embedder.embed(["cat"], AbortSignal.timeout(100))
    await expect(waited).rejects.toMatchObject({ name: "TimeoutError" })
    const failed = embedder.embed(["cat"])
    await expect(failed).rejects.toMatchObject({
      code: "engine_crashed",
      message: expect.stringContaining(frozen) as string,
    })
    expect(await embedder.embed(["cat"])).toHaveLength(1)
    expect(children).toHaveLength(2)
  })

  // Catches an answer that never ends and blocks its chat.
  test.concurrent("that answers and is frozen ends the answer with an error, and the next answer works", async () => {
    const { spawn, signal } = createSpawn()
    await using engine = createLlamaEngine({ modelPath: ensureTestModel(), spawn, gpu, logger: silentLogger })
    const ask = async (content: string, onText: () => void) => {
      const request = { messages: [{ role: "user" as const, content }] }
      for await (const event of engine.generate(request, new AbortController().signal))
        if (event.type === "text") onText()
    }
    let isStopped = false
    const answer = ask("go on!", () => {
      if (!isStopped) signal("SIGSTOP")
      isStopped = true
    })
    await expect(answer).rejects.toMatchObject({ code: "engine_crashed" })
    let texts = 0
    await ask("hi", () => texts++)
    expect(texts).toBeGreaterThan(0)
  })

  // Catches a calculation that is reported as too large because its process was killed.
  test.concurrent("that calculates and is killed is replaced, and finishes the calculation", async () => {
    let kills = 1
    const killing = (options: ChildOptions) => {
      const child = spawnNodeChild(options)
      if (kills-- > 0 && child.pid !== undefined) process.kill(child.pid, "SIGKILL")
      return child
    }
    await using calculate = createCalculate(killing)
    expect((await calculate.run({ expression: "1 + 1" }, testContext())).content).toBe("2")
    kills = 2
    await using again = createCalculate(killing)
    await expect(again.run({ expression: "1 + 1" }, testContext())).rejects.toMatchObject({
      code: "unavailable",
    })
  })

  const heartbeat = new URL("core/children/heartbeat.ts", import.meta.url).href
  const longWork = `import { startHeartbeat } from ${JSON.stringify(heartbeat)}
    startHeartbeat().begin()
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 12_000)
    process.exit(7)`

  /** Returns the exit reason of a child that works for twelve seconds without an event. */
  async function outcome(started: (child: Child) => void): Promise<ExitReason> {
    const execArgv = ["--import", `data:text/javascript,${encodeURIComponent(longWork)}`]
    const child = spawnNodeChild({ entry: "calculator", env: {}, execArgv })
    createLifeWatch(child).begin()
    const ended = new Promise<ExitReason>((resolve) => child.onExit(resolve))
    child.onBeat(() => started(child))
    return ended
  }

  // Catches legitimate work that is mistaken for a hang because there is no message in the meantime.
  test.concurrent("that works for long without a message isn't ended, but a suspended one is", async () => {
    const stop = (child: Child) => process.kill(child.pid ?? 0, "SIGSTOP")
    expect(await Promise.all([outcome(() => undefined), outcome(stop)])).toEqual([7, frozen])
  })
})
