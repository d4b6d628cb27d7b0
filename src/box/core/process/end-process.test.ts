import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"

const endProcess = JSON.stringify(new URL("stop-signals.ts", import.meta.url).href)

function getEnd(before: string) {
  const script = `import fs from "node:fs"; import { endProcess } from ${endProcess}; ${before}; setImmediate(() => endProcess(7, 300))`
  return once(spawn(process.execPath, ["--input-type=module", "-e", script]), "exit")
}

// Catches a stop that never finishes because of a hanging drive.
it("ends a process with a thread in a read that never returns", { tags: "unix" }, async () => {
  const directory = mkdtempSync(join(tmpdir(), "casella-end-"))
  try {
    execFileSync("mkfifo", [join(directory, "pipe")])
    const path = JSON.stringify(join(directory, "pipe"))
    expect(await getEnd(`fs.readFile(${path}, () => {})`)).toEqual([null, "SIGKILL"])
    expect(await getEnd("")).toEqual([7, null])
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
