import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { expect, onTestFinished, test } from "vitest"
import { spawnNodeChild, type Child } from "../../../core/children/child.ts"
import { createTableMaker } from "./table-maker.ts"

/** A module that makes its process hang once it has written a row. */
const hangsWhileWriting = `data:text/javascript,${encodeURIComponent(`
import { createRequire } from "node:module"
const Database = createRequire(process.argv[1])("better-sqlite3")
const statements = Object.getPrototypeOf(new Database(":memory:").prepare("SELECT 1"))
const { run } = statements
statements.run = function (...values) {
  run.apply(this, values)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}
`)}`

// Catches partial files left on disk by a process killed while writing, and a file reported as unreadable or read only in part because its
// process was killed from outside.
test("leaves nothing behind when its process is killed while writing, and reads the file again", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-test-"))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const path = join(directory, "a.csv")
  const rows = Array.from({ length: 60_000 }, (_, index) => `name ${index};${index}`)
  await writeFile(path, `a;b\n${rows.join("\n")}\n`)
  const started: Child[] = []
  let isCut = true
  await using maker = createTableMaker(
    (options) => {
      const { execArgv = [] } = options
      const child = spawnNodeChild(
        isCut ? { ...options, execArgv: [...execArgv, "--import", hangsWhileWriting] } : options,
      )
      started.push(child)
      return child
    },
    join(directory, "tmp"),
  )
  const left = () => readdir(join(directory, "tmp")).catch(() => [])
  const make = () =>
    maker.make("alice", { path, name: "a.csv" }, join(directory, "made.sqlite"), AbortSignal.any([]))
  /** Kills each process that has started to write, until the job fails. */
  async function endAll(job: Promise<unknown>): Promise<void> {
    const over = new AbortController()
    void job.catch(() => undefined).finally(() => over.abort())
    while (!over.signal.aborted) {
      const writes = (await left()).some((name) => name.endsWith("-journal"))
      if (writes) for (const { pid } of started.splice(0)) if (pid !== undefined) endProcess(pid)
      await setImmediate()
    }
  }
  const cut = make()
  await endAll(cut)
  await expect(cut).rejects.toMatchObject({ code: "unavailable" })
  isCut = false
  expect(await left()).toEqual([])
  expect(await make()).toMatchObject({ problem: null, tables: [{ rows: 60_000 }] })
})

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // The process has already exited.
  }
}
