import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { spawnNodeChild, type Child } from "../core/child.ts"
import { createCodeInterpreter } from "./code-interpreter.ts"
import { attempt, escapes } from "./code-interpreter/testing/escapes.ts"
import { testContext } from "./testing/tool-context.ts"
import type { MadeFile } from "./tool.ts"

interface Answer {
  output?: string
  value?: string
  error?: string
  files?: string[]
  notes?: string[]
}

const children: Child[] = []
const spawn: typeof spawnNodeChild = (options) => {
  const child = spawnNodeChild(options)
  children.push(child)
  return child
}
const python = createCodeInterpreter({ spawn })
const hurried = createCodeInterpreter({ spawn, jobMs: 3000 })
/** As under Electron, whose processes don't know Node's options. */
const bare = createCodeInterpreter({ spawn: (options) => spawn({ ...options, execArgv: [] }) })
const secret = "canary-7f3a"
let directory: string
let sink: Server
let reached = 0
beforeAll(async () => {
  process.env["CASELLA_CANARY"] = secret
  directory = await mkdtemp(join(tmpdir(), "casella-python-"))
  await writeFile(join(directory, "secret"), secret)
  sink = createServer(() => reached++).listen(0)
  await once(sink, "listening")
})
afterAll(async () => {
  await Promise.all([python, hurried, bare].map((each) => each[Symbol.asyncDispose]()))
  sink.close()
  await rm(directory, { recursive: true, force: true })
})

const run = async (code: string, tool = python, signal = new AbortController().signal) => {
  const { content, parts } = await tool.run({ code }, testContext({ signal }))
  return { ...(content as Answer), parts: parts as MadeFile[] }
}

const patient = { timeout: 300_000 }

it("runs code and shows its output, value and files", patient, async () => {
  const answer = await run(`
import csv, json, statistics, datetime, sys, os
print("hello")
print("oops", file=sys.stderr)
os.makedirs("tables")
with open("tables/città.csv", "w") as f: csv.writer(f).writerow([1, 2])
open("plot.svg", "wb").write(b"<svg/>")
statistics.mean([1, 2, 3, 4])`)
  expect(answer).toMatchObject({
    output: "hello\noops\n",
    value: "2.5",
    files: ["plot.svg", "tables/città.csv"],
  })
  expect(
    answer.parts.map(({ name, mediaType, bytes }) => [name, mediaType, Buffer.from(bytes).toString()]),
  ).toEqual([
    ["plot.svg", "image/svg+xml", "<svg/>"],
    ["tables/città.csv", "text/csv", "1,2\r\n"],
  ])
})

// Would catch: something of one run, perhaps another user's, that the next one finds.
it("tells errors by their line, and keeps nothing for the next run", patient, async () => {
  const first = await run(
    "import builtins, json\nbuiltins.kept = json.kept = 1\nopen('kept', 'w')\nopen('/tmp/kept', 'w')\n1/0",
  )
  expect(first.error).toMatch(/File "main.py", line 5[^]*ZeroDivisionError/)
  expect(first.error).not.toMatch(/_pyodide|eval_code/)
  const second = await run(
    "import json, os\n[hasattr(json, 'kept'), 'kept' in globals(), os.listdir('.'), os.path.exists('/tmp/kept')]",
  )
  expect(second.value).toBe("[False, False, [], False]")
})

// Would catch: any of them that reads a file, the environment or a socket, runs a program, or writes outside.
it.each(["with", "without"])(
  `holds against ${escapes.length} escapes %s the permission model`,
  patient,
  async (how) => {
    expect(escapes.length).toBeGreaterThanOrEqual(40)
    const target = join(directory, "written")
    const port = (sink.address() as AddressInfo).port
    const names = { FILE: join(directory, "secret"), TARGET: target, PORT: port }
    let everything = ""
    for (let next = 0; next < escapes.length;) {
      const {
        parts,
        output = "",
        ...answer
      } = await run(attempt(names, next), how === "with" ? python : bare)
      const files = parts.map(({ bytes }) => Buffer.from(bytes).toString())
      everything += JSON.stringify([output, answer, files])
      const last = Number([...output.matchAll(/^# (\d+)$/gm)].at(-1)?.[1])
      expect(last).toBeGreaterThanOrEqual(next)
      next = last + 1
    }
    for (const leaked of [secret, "made v", "made 1", "root:x:0", process.cwd()]) {
      expect(everything).not.toContain(leaked)
    }
    expect(existsSync(target)).toBe(false)
    expect(reached).toBe(0)
  },
)

it("bounds output, files and memory", patient, async () => {
  const loud = await run("for n in range(10**5): print('x' * 100)")
  expect(loud.output).toHaveLength(30_000)
  expect(loud.notes).toEqual(["The output was cut."])
  const many = await run(
    "for n in range(3000): open(f'f{n:04}', 'w').write('x')\nopen('a', 'wb').write(bytes(20_000_000))",
  )
  expect(many.files).toHaveLength(10)
  expect(many.notes?.join()).toContain("left out")
  const large = await run("x = bytearray(2 * 10**9)")
  expect(large.error).toContain("MemoryError")
  const small = await run("x = [bytearray(10**6) for n in range(10**4)]")
  expect(small.error).toContain("MemoryError")
})

// Would catch: code that never ends, swallows interrupts, fills memory outside Python's own, or outlives its run.
it("ends what never ends or takes too much", patient, async () => {
  const endless = "while True:\n  try:\n    while True: pass\n  except BaseException: pass"
  await expect(run(endless, hurried)).rejects.toThrow("longer than 3 s")
  const files = "n = 0\nwhile True:\n  n += 1\n  open(f'/tmp/{n}', 'wb').write(bytes(20_000_000))"
  await expect(run(files)).rejects.toMatchObject({ code: "unprocessable" })
  const deep = await run("def f(): f()\nf()")
  expect(deep.error).toContain("RecursionError")
  const stop = new AbortController()
  const stopped = run(endless, python, stop.signal)
  setImmediate(() => stop.abort(new Error("stopped")))
  await expect(stopped).rejects.toThrow("stopped")
})

it("leaves no process behind", patient, async () => {
  await Promise.all([python, hurried, bare].map((each) => each[Symbol.asyncDispose]()))
  await Promise.all(children.map(({ exited }) => exited))
})
