import { createSocket, type Socket } from "node:dgram"
import { once } from "node:events"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest"
import { forkChild, spawnNodeChild, type Child } from "../core/children/child.ts"
import { createCodeInterpreter } from "./code-interpreter.ts"
import type { ReadableFile } from "./code-interpreter/input-files.ts"
import { findPython } from "./code-interpreter/python-image.ts"
import { openPython } from "./code-interpreter/python.ts"
import { attempt, breakages, escapes } from "./code-interpreter/testing/escapes.ts"
import { testContext } from "./testing/tool-context.ts"
import type { MadeFile } from "./tool.ts"

interface Answer {
  output?: string
  value?: string
  error?: string
  files?: string[]
  filesRead?: number
  notes?: string[]
}

const given: ReadableFile[] = []
const readableFiles = async () => given
const python = createCodeInterpreter({ spawn: spawnNodeChild, readableFiles })
const hurried = createCodeInterpreter({ spawn: spawnNodeChild, readableFiles, jobMs: 2000 })
/** Runs without Node's permission options, which Electron's processes don't support, and without a system sandbox. */
const bare = createCodeInterpreter({
  readableFiles,
  spawn: (options) => forkChild({ ...options, execArgv: [] }, { stands: false, reason: "other-system" }),
})
const secret = "canary-7f3a"
let directory: string
let sink: Server
let udp: Socket
let reached = 0
beforeAll(async () => {
  vi.stubEnv("CASELLA_CANARY", secret)
  directory = await mkdtemp(join(tmpdir(), "casella-python-"))
  await writeFile(join(directory, "secret.py"), `secret = "${secret}"`)
  sink = createServer(() => reached++).listen(0)
  await once(sink, "listening")
  udp = createSocket("udp4", () => reached++).bind(0, "127.0.0.1")
  await once(udp, "listening")
})
beforeEach(() => {
  given.length = 0
})
afterAll(async () => {
  await Promise.all([python, hurried, bare].map((each) => each[Symbol.asyncDispose]()))
  sink.close()
  udp.close()
  await rm(directory, { recursive: true, force: true })
})

const run = async (code: string, tool = python, signal = new AbortController().signal) => {
  const { content, parts } = await tool.run({ code }, testContext({ signal }))
  return { ...(content as Answer), parts: parts as MadeFile[] }
}

/** Adds a file that the answer may read. */
function give(folder: string, path: string, text: string, folderId = "one", size = text.length): void {
  given.push({ folder, folderId, path, size, read: () => Promise.resolve(Buffer.from(text)) })
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

// Catches anything from one run, perhaps another user's, that the next run can find.
it("reports errors with their line, and keeps nothing for the next run", patient, async () => {
  const first = await run(
    "import builtins, json\nbuiltins.kept = json.kept = 1\nopen('kept', 'w')\nopen('/tmp/kept', 'w')\n1/0",
  )
  expect(first.error).toMatch(/File "main.py", line 5[^]*ZeroDivisionError/)
  expect(first.error).not.toMatch(/harness|<string>/)
  const second = await run(
    "import json, os\n[hasattr(json, 'kept'), 'kept' in globals(), os.listdir('.'), os.path.exists('/tmp/kept')]",
  )
  expect(second.value).toBe("[False, False, [], False]")
})

// Catches unit tests that pass without running, because the test runner inspects the sandbox's names instead of the program's own.
it("runs code as the main module", patient, async () => {
  const answer = await run(`
import doctest, pickle, unittest
class Sum(unittest.TestCase):
    def test_sum(self): self.assertEqual(1 + 1, 3)
def one():
    """
    >>> one()
    1
    """
    return 1
result = unittest.main(argv=["main"], exit=False).result
[result.testsRun, len(result.failures), doctest.testmod().attempted, type(pickle.loads(pickle.dumps(Sum()))).__name__]`)
  expect(answer.value).toBe("[1, 1, 1, 'Sum']")
})

// Catches an escape that reads a file, the environment or a socket, runs a program, or changes its inputs.
it.each(["with", "without"])(
  `holds against ${escapes.length} escapes %s the permission model`,
  patient,
  async (how) => {
    expect(escapes.length).toBeGreaterThanOrEqual(150)
    give("chat", "given.txt", "given")
    const [target, before] = [join(directory, "written"), await readdir(directory)]
    const names = {
      FILE: join(directory, "secret.py"),
      DIRECTORY: directory,
      TARGET: target,
      PORT: (sink.address() as AddressInfo).port,
      UDP_PORT: udp.address().port,
    }
    let everything = ""
    let tried = 0
    for (let next = 0; next < escapes.length;) {
      const {
        parts,
        output = "",
        ...answer
      } = await run(attempt(names, next), how === "with" ? python : bare)
      const files = parts.map(({ bytes }) => Buffer.from(bytes).toString())
      everything += JSON.stringify([output, answer, files])
      const numbers = [...output.matchAll(/^# (\d+)$/gm)].map(([, number]) => Number(number))
      const last = numbers.at(-1) ?? -1
      expect(last).toBeGreaterThanOrEqual(next)
      tried += numbers.length
      next = last + 1
      const reachedBy = [...output.matchAll(/^GOT (\d+) (.*)$/gm)]
      expect(reachedBy.map(([, number, got]) => `${escapes[Number(number)]} → ${got}`)).toEqual([])
    }
    expect(tried).toBe(escapes.length)
    for (const leaked of [secret, "root:x:0", process.cwd()]) expect(everything).not.toContain(leaked)
    expect(await readdir(directory)).toEqual(before)
    expect(await readFile(names.FILE, "utf8")).toContain(secret)
    expect(reached).toBe(0)
  },
)

// Catches code that breaks the process, the box or its limits, or that fails with an unclear error.
it("contains code that breaks Python itself", patient, () => {
  const inside = openPython(findPython(), 512 * 2 ** 20)
  for (const [code, expected] of breakages) {
    expect(inside.run({ code, inputs: [] }).error ?? "", code).toMatch(expected)
    expect(inside.run({ code: "1 + 1", inputs: [] })).toMatchObject({ value: "2", error: null })
  }
})

// Catches code that never ends, even if it waits without using the processor or isn't running Python code at the timeout.
it("stops endless code at the timeout", patient, async () => {
  const endless = [
    "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
    "import time; time.sleep(10**6)",
    "import threading; threading.Event().wait(10**6)",
    "import re; re.match('(a+)+$', 'a' * 60 + 'b')",
    "pow(3, 10**8) * pow(7, 10**8)",
    "while True: print('x' * 10**6)",
  ]
  const ends = await Promise.allSettled(endless.map((code) => run(code, hurried)))
  expect(ends.map((end) => end.status === "rejected" && String(end.reason))).toEqual(
    endless.map(() => expect.stringContaining("longer than 2 s")),
  )
})

// Catches files in folders that code can't read, can change, or can't tell apart, and labels that ignore these files.
it("reads files of its chat's folders under in/", patient, async () => {
  give("Reports", "2026/a.csv", "1,2")
  give("Reports", "b.txt", "of one folder", "one")
  give("Reports", "b.txt", "of another", "two")
  give("../..", "..", "odd", "three")
  const answer = await run(`import os
paths = [os.path.join(directory, name) for directory, _, names in os.walk("in") for name in names]
sorted((path, open(path).read()) for path in paths)`)
  expect(answer.value).toContain("('in/Reports/2026/a.csv', '1,2')")
  expect(answer.value).toContain("('in/Reports/b.txt', 'of one folder')")
  expect(answer.value).toContain("('in/Reports (2)/b.txt', 'of another')")
  expect(answer.value).toContain("('in/.._../_', 'odd')")
  expect(answer.filesRead).toBe(4)
  expect(python.getLabel?.(answer)).toEqual({ trusted: false, private: true })
  const without = await run("1 + 1")
  expect(without.filesRead).toBeUndefined()
  expect(python.getLabel?.({ value: "2" })).toBeNull()
})

// Catches a program that leaks what it read by ending or not ending, in an error that isn't labelled as private.
it("reports that a failed run had read files", patient, async () => {
  give("Reports", "b.txt", "yes")
  const answer = await run('if open("in/Reports/b.txt").read() == "yes":\n  while True: pass', hurried)
  expect(answer).toEqual({ filesRead: 1, error: expect.stringContaining("longer than 2 s") })
  expect(python.getLabel?.(answer)).toEqual({ trusted: false, private: true })
})

// Catches a large folder that every run has to wait for, and a program that isn't told why it can't open a file.
it("provides only the files that the code names if there are many, and says so", patient, async () => {
  for (let n = 0; n < 150; n++) give("Much", `${n}.txt`, `file ${n}`)
  const answer = await run('open("in/Much/7.txt").read()')
  expect(answer).toMatchObject({ value: "'file 7'", filesRead: 1 })
  expect(answer.notes?.join()).toContain("149 files below in/")
  const other = await run('import os\nn = len(os.listdir("in/Much"))\nopen(f"in/Much/{n - 1}.txt").read()')
  expect(other.error).toContain("File too large: 'in/Much/149.txt'")
  given.length = 0
  give("Large", "a.bin", "x", "one", 60_000_000)
  expect((await run('open("in/Large/a.bin").read()')).error).toContain("File too large")
})

// Catches shortened names that lose their extension or become equal, and a count that includes missing files.
it("gives files with long or equal names distinct names with their extensions", patient, async () => {
  const long = "è".repeat(126)
  for (const path of [`${long}1.csv`, `${long}2.csv`, "a\nb.txt", "a\tb.txt", "c\n", "c_/d.txt"])
    give("Long", path, path)
  const answer = await run(`import os
paths = [os.path.join(directory, name) for directory, _, names in os.walk("in") for name in names]
sorted(path[-8:] for path in paths)`)
  expect(answer.filesRead).toBe(6)
  expect(answer.value).toBe("[' (2).csv', ' (2).txt', '/a_b.txt', 'c_/d.txt', 'g/c_ (2)', 'èèèè.csv']")
})

// Catches files of many runs in memory at once, and one user who fills the whole queue.
it("reads files only when a run starts, and limits each user's share of the queue", patient, async () => {
  let reads = 0
  const read = () => Promise.resolve(Buffer.from(`${++reads}`))
  given.push({ folder: "Much", folderId: "one", path: "a.txt", size: 1, read })
  const ask = (userId: string) =>
    python.run({ code: 'open("in/Much/a.txt").read()' }, testContext({ userId }))
  const own = Array.from({ length: 20 }, () => ask("one"))
  const other = ask("two")
  const ends = await Promise.allSettled(own)
  expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(6)
  expect(ends.filter((end) => end.status === "rejected" && /waiting/.test(String(end.reason)))).toHaveLength(
    14,
  )
  expect((await other).content).toMatchObject({ filesRead: 1 })
  expect(reads).toBe(7)
})

// Catches a result that is lost, with a misleading reason, because of one file's path.
it("leaves out files whose paths are too long, and says so", patient, async () => {
  const answer = await run(`import os
for top in "ab":
  os.makedirs("/".join([top] + [top * 250] * 14))
open("/".join(["b"] + ["b" * 250] * 14 + ["deep.txt"]), "w").write("x")
os.rename("b", "/".join(["a"] + ["a" * 250] * 14 + ["b"]))
open("kept.txt", "w").write("x")
print("done")`)
  expect(answer).toMatchObject({ output: "done\n", files: ["kept.txt"] })
  expect(answer.notes?.join()).toContain("1 files were left out")
})

it("limits output and files", patient, async () => {
  const loud = await run("for n in range(10**5): print('x' * 100)")
  expect(loud.output).toHaveLength(30_000)
  expect(loud.notes).toEqual(["The output was cut."])
  const many = await run(
    "for n in range(3000): open(f'f{n:04}', 'w').write('x')\nopen('a', 'wb').write(bytes(20_000_000))",
  )
  expect(many.files).toHaveLength(10)
  expect(many.notes?.join()).toContain("left out")
})

it("stops immediately when cancelled", patient, async () => {
  const stop = new AbortController()
  const stopped = run("while True: pass", python, stop.signal)
  setImmediate(() => stop.abort(new Error("stopped")))
  await expect(stopped).rejects.toThrow("stopped")
})

it("leaves no process behind", patient, async () => {
  const own: Child[] = []
  {
    await using interpreter = createCodeInterpreter({
      readableFiles,
      spawn(options) {
        const child = spawnNodeChild(options)
        own.push(child)
        return child
      },
    })
    expect((await run("1 + 1", interpreter)).value).toBe("2")
  }
  expect(own).not.toEqual([])
  await Promise.all(own.map(({ exited }) => exited))
})
