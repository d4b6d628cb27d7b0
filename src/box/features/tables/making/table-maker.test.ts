import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { expect, onTestFinished, test } from "vitest"
import { spawnNodeChild, type Child } from "../../../core/children/child.ts"
import { createTableMaker } from "./table-maker.ts"

// Would catch: what is left on the disk by a process that was ended while it wrote, once for each hostile file, and a file that
// counts as unreadable, or is read in part, because somebody else ended its process.
test("a process that is ended while it writes leaves nothing, and its file is read anew", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-test-"))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const path = join(directory, "a.csv")
  const rows = Array.from({ length: 60_000 }, (_, index) => `name ${index};${index}`)
  await writeFile(path, `a;b\n${rows.join("\n")}\n`)
  const started: Child[] = []
  await using maker = createTableMaker(
    (options) => {
      const child = spawnNodeChild(options)
      started.push(child)
      return child
    },
    join(directory, "tmp"),
  )
  const left = () => readdir(join(directory, "tmp")).catch(() => [])
  const make = () =>
    maker.make("alice", { path, name: "a.csv" }, join(directory, "made.sqlite"), AbortSignal.any([]))
  /** Ends each process that has begun to write, until the job is given up. */
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
  expect(await left()).toEqual([])
  expect(await make()).toMatchObject({ problem: null, tables: [{ rows: 60_000 }] })
})

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // it has ended by itself
  }
}
