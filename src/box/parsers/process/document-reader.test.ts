import { execFile, spawn as spawnProcess } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { z } from "zod"
import { spawnNodeChild } from "../../core/children/child.ts"
import type { Child, ChildOptions } from "../../core/children/child.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { createDocumentReader } from "./document-reader.ts"
import type { DocumentLimits, DocumentReader, ReadOptions } from "./document-reader.ts"
import { reasonText } from "../../../shared/contract/file-reasons.ts"
import { ParseFailure } from "../parser.ts"
import { xlsxBytes } from "../testing/office-files.ts"
import { batchWindow } from "./parser-protocol.ts"

const run = promisify(execFile)

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "reader-"))
})
// Deletes each test's files, because all large ones together may not fit on the disk.
afterEach(async () => {
  await rm(directory, { recursive: true, force: true })
})

/** Creates a reader with real processes that can be inspected. */
function createReader(limits: Partial<DocumentLimits> = {}, slots = 1) {
  const children: { child: Child; options: ChildOptions; batches: number }[] = []
  const reader = createDocumentReader({
    logger: silentLogger,
    slots,
    limits,
    spawn(options) {
      const entry = { child: spawnNodeChild(options), options, batches: 0 }
      entry.child.onMessage(z.unknown(), () => entry.batches++)
      children.push(entry)
      return entry.child
    },
  })
  return { reader, children }
}

async function file(name: string, content: string | Uint8Array): Promise<{ path: string; name: string }> {
  const path = join(directory, name)
  await writeFile(path, content)
  return { path, name }
}

/** Creates a document that takes long enough to read for a test to interrupt it: 200 MB of lines. */
function longFile(): Promise<{ path: string; name: string }> {
  return file("long.txt", "A line of text.\n\n".repeat(12_000_000))
}

async function getText(
  reader: DocumentReader,
  input: { path: string; name: string },
  options?: ReadOptions,
): Promise<string> {
  const texts: string[] = []
  for await (const { text } of reader.read(input, options)) texts.push(text)
  return texts.join("\n")
}

const getFailure = async (reading: Promise<unknown>): Promise<ParseFailure> => {
  const failure = await reading.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(failure instanceof ParseFailure)) throw new Error(`no ParseFailure but ${String(failure)}`)
  return failure
}

describe("reading", () => {
  // Catches an engine that isn't packed with the program, or that the process may not load.
  test("computes formulas without stored values in the process that reads", async () => {
    await using reader = createReader().reader
    const rows = "<row><c><v>100</v></c><c><f>A1*1.22</f></c></row>"
    expect(await getText(reader, await file("sum.xlsx", xlsxBytes(rows)))).toBe("100 | 122")
  })

  test("many documents share a few processes, which are replaced after a while", async () => {
    const { reader, children } = createReader({ documentsPerProcess: 10 }, 2)
    await using _ = reader
    const inputs = await Promise.all(
      Array.from({ length: 40 }, (_, index) => file(`many-${index}.md`, `# ${index}\n\nText ${index}`)),
    )
    const texts = await Promise.all(inputs.map((input) => getText(reader, input)))
    expect(texts).toEqual(inputs.map((_, index) => `${index}\nText ${index}`))
    expect(children.length).toBeGreaterThanOrEqual(4)
    expect(children.length).toBeLessThanOrEqual(6)
  })

  test("no process starts before the first document, and an idle process ends", async () => {
    const { reader, children } = createReader({ idleMs: 0 })
    await using _ = reader
    expect(children).toEqual([])
    await getText(reader, await file("idle.txt", "text"))
    await children[0]?.child.exited
    expect(await getText(reader, await file("idle.txt", "again"))).toBe("again")
  })

  test("unsupported types are skipped with a reason, not failed", async () => {
    await using reader = createReader().reader
    const binary = await getFailure(getText(reader, await file("b.txt", new Uint8Array(1000))))
    expect(binary.outcome).toBe("skipped")
    expect(binary.message).toContain("Casella can't read")
  })

  test("a missing file fails with a reason", async () => {
    await using reader = createReader().reader
    const gone = await getFailure(getText(reader, { path: join(directory, "gone.txt"), name: "gone.txt" }))
    expect([gone.outcome, gone.message]).toEqual(["failed", "The file is no longer in the folder."])
  })

  test("an unpaired surrogate becomes a replacement character", async () => {
    await using reader = createReader().reader
    expect(await getText(reader, await file("half.json", String.raw`{"a":"x\ud83d y"}`))).toBe("a: x\ufffd y")
  })

  test("text over the limit is left out with a note", async () => {
    await using reader = createReader({ characters: 10_000 }).reader
    const notes: string[] = []
    const input = await file("long.txt", "A paragraph of words.\n\n".repeat(2000))
    const text = await getText(reader, input, { onNote: (note) => notes.push(reasonText(note)) })
    expect(text.length).toBeGreaterThan(9000)
    expect(text.length).toBeLessThan(11_000)
    expect(notes).toEqual(["Only the first 10,000 characters of the text were read."])
  })
})

describe("limits", () => {
  // A consumer that embeds is slower than any parser. Without back-pressure, the whole text would be held in memory.
  test("a parser is never more than its window ahead of its consumer", async () => {
    const { reader, children } = createReader()
    await using _ = reader
    const input = await file("ahead.txt", `${"word ".repeat(300)}\n\n`.repeat(4000))
    let characters = 0
    for await (const { text } of reader.read(input)) {
      characters += text.length
      const consumedBatches = Math.floor(characters / (128 * 1024)) + 1
      expect(children[0]?.batches).toBeLessThanOrEqual(consumedBatches + batchWindow)
    }
    expect(characters).toBeGreaterThan(5_900_000)
  })

  test("100 MB of text use less than 150 MB of memory", { tags: "linux" }, async () => {
    const { reader, children } = createReader({ characters: 1e9 })
    await using _ = reader
    await getText(reader, await file("warm.txt", "text"))
    const pid = children[0]?.child.pid ?? 0
    const before = await residentMegabytes(pid)
    const path = join(directory, "large.txt")
    const output = await open(path, "w")
    for (let index = 0; index < 100; index++) await output.write(`${"A line of text.\n".repeat(65_536)}\n`)
    await output.close()
    let blocks = 0
    let peak = 0
    for await (const _ of reader.read({ path, name: "large.txt" })) {
      if (++blocks % 2000 === 0) peak = Math.max(peak, await residentMegabytes(pid))
    }
    expect(blocks).toBeGreaterThan(50_000)
    expect(peak).toBeGreaterThan(0)
    expect(peak - before).toBeLessThan(150)
  })

  test("a document that takes too long fails, and the next one is read", async () => {
    const { reader, children } = createReader({ processorMs: 200 })
    await using _ = reader
    const failure = await getFailure(getText(reader, await longFile()))
    expect(failure.message).toContain("took too long")
    await children[0]?.child.exited
    expect(await getText(reader, await file("after.txt", "after"))).toBe("after")
  })

  // Catches large files that fail on a computer that is busy with other work.
  test("time without the processor doesn't count towards a parser's limit", { tags: "unix" }, async () => {
    const limits = { processorMs: 1_000, characters: 1e9 }
    const { reader, children } = createReader(limits)
    await using _ = reader
    const long = await longFile() // before a process is paused, because a pause of half a minute counts as a crash
    const starved = getText(reader, await file("starved.txt", "starved"))
    await until(() => children[0]?.child.pid !== undefined)
    const pid = children[0]?.child.pid ?? 0
    process.kill(pid, "SIGSTOP")
    await using busy = createReader(limits).reader
    expect((await getFailure(getText(busy, long))).message).toContain("took too long")
    process.kill(pid, "SIGCONT")
    expect(await starved).toBe("starved")
  })

  // Catches a parser that hangs without working and keeps its slot forever.
  test("a parser that makes no progress fails in the end", { tags: "unix" }, async () => {
    const { reader, children } = createReader({ timeoutMs: 500 })
    await using _ = reader
    const failed = getFailure(getText(reader, await longFile()))
    await until(() => children[0]?.child.pid !== undefined)
    process.kill(children[0]?.child.pid ?? 0, "SIGSTOP")
    expect((await failed).message).toContain("took too long")
    await children[0]?.child.exited
  })

  test("a process that exceeds its memory limit ends itself", { tags: "unix" }, async () => {
    await using reader = createReader({ memoryBytes: 2 ** 24 }).reader
    const failure = await getFailure(getText(reader, await longFile()))
    expect(failure.message).toContain("16 MB of memory")
  })

  test("a document that fills the heap fails, and the next one is read", async () => {
    await using reader = createReader({ heapMegabytes: 32 }).reader
    const bomb = await file("bomb.xml", `<a b="${"x".repeat(150_000_000)}"/>`)
    expect((await getFailure(getText(reader, bomb))).outcome).toBe("failed")
    expect(await getText(reader, await file("after.txt", "after"))).toBe("after")
  })
})

describe("ending", () => {
  test("a crash fails only the document being read", { tags: "unix" }, async () => {
    const { reader, children } = createReader()
    await using _ = reader
    const failure = getFailure(getText(reader, await longFile()))
    await until(() => children[0]?.child.pid !== undefined)
    process.kill(children[0]?.child.pid ?? 0, "SIGSEGV")
    expect((await failure).message).toContain("crashed")
    expect(await getText(reader, await file("fine.txt", "fine"))).toBe("fine")
  })

  test("an abort, or a consumer that stops reading, ends the process", { tags: "unix" }, async () => {
    const { reader, children } = createReader()
    await using _ = reader
    const abort = new AbortController()
    const reading = getText(reader, await longFile(), { signal: abort.signal })
    abort.abort(new Error("the folder was deleted"))
    await expect(reading).rejects.toThrow("the folder was deleted")
    const input = await file("leave.txt", "text\n\n".repeat(1_000_000))
    for await (const { text } of reader.read(input)) {
      expect(text).toBe("text")
      break
    }
    await Promise.all(children.map(({ child }) => child.exited))
    expect(await getText(reader, await file("next.txt", "next"))).toBe("next")
  })

  test("disposing ends running and waiting reads and every process", { tags: "unix" }, async () => {
    const { reader, children } = createReader()
    const readings = [getText(reader, await longFile()), getText(reader, await file("waiting.txt", "text"))]
    const outcomes = Promise.allSettled(readings)
    await until(() => children.length > 0)
    await reader[Symbol.asyncDispose]()
    expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected"])
    await Promise.all(children.map(({ child }) => child.exited))
  })

  test("no process outlives a box that is killed", { tags: "unix" }, async () => {
    const { path } = await longFile()
    const script = `
      import { spawnNodeChild } from ${JSON.stringify(new URL("../../core/children/child.ts", import.meta.url).href)}
      import { createDocumentReader } from ${JSON.stringify(new URL("./document-reader.ts", import.meta.url).href)}
      const spawn = (options) => {
        const child = spawnNodeChild(options)
        console.log("started")
        return child
      }
      const reader = createDocumentReader({ spawn, logger: console })
      for await (const _ of reader.read({ path: ${JSON.stringify(path)}, name: "long.txt" }));`
    const box = spawnProcess(process.execPath, ["--input-type=module", "-e", script])
    box.stderr.resume() // otherwise a message there would keep it open
    await once(box.stdout, "data")
    box.kill("SIGKILL")
    await once(box.stderr, "close") // The parser inherited stderr, which closes when both processes are gone.
  })
})

test("a parser process can neither write files nor start programs", async () => {
  const { reader, children } = createReader()
  await using _ = reader
  await getText(reader, await file("permissions.txt", "text"))
  const target = join(directory, "written")
  const script = `
    const tried = (action) => { try { action(); return "done" } catch (error) { return error.code } }
    console.log(
      tried(() => require("node:fs").writeFileSync(${JSON.stringify(target)}, "x")),
      tried(() => require("node:child_process").execFileSync(process.execPath, ["-v"])),
    )`
  const { stdout } = await run(process.execPath, [...(children[0]?.options.execArgv ?? []), "-e", script])
  expect(stdout.trim()).toBe("ERR_ACCESS_DENIED ERR_ACCESS_DENIED")
  expect(Object.keys(children[0]?.options.env ?? {})).not.toContain("PATH")
})

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8")
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024
}

/** Waits for an effect of the code under test on a later turn of the event loop. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}
