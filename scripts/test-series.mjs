// `npm run test:series -- 10 [--all] [--busy 2]` runs the tests repeatedly, each time in another order, next to processes that keep the
// processor busy. It reveals tests that fail only occasionally.
import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, openSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { root } from "./setup.mjs"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: "boolean" }, busy: { type: "string", default: "2" } },
})
const runs = Number(positionals[0] ?? 10)
const logs = join(root, "out/test-series")
mkdirSync(logs, { recursive: true })

const busy = Array.from({ length: Number(values.busy) }, () =>
  spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }),
)
let failed = 0
try {
  for (let run = 1; run <= runs; run++) {
    const log = join(logs, `${run}.log`)
    const output = openSync(log, "w")
    const started = Date.now()
    const args = [join(root, "scripts/test.mjs"), ...(values.all ? ["--all"] : [])]
    const { status } = spawnSync(process.execPath, args, { stdio: ["ignore", output, output] })
    if (status !== 0) failed++
    const minutes = ((Date.now() - started) / 60_000).toFixed(1)
    process.stdout.write(
      `${status === 0 ? "✓" : "✗"} run ${run}: ${minutes} min${status === 0 ? "" : `, see ${log}`}\n`,
    )
  }
} finally {
  for (const child of busy) child.kill("SIGKILL")
}
process.stdout.write(`${runs - failed} passed, ${failed} failed\n`)
process.exit(failed > 0 ? 1 : 0)
