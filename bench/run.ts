// `npm run bench` runs every measurement, prints a table and writes bench/results/<date>.json. `npm run bench -- box search` runs only the
// named ones. `--against COMMIT` measures both commits alternately (against.ts). `--check` runs the measurements that have bounds and
// reports those out of bounds. `--record` stores the results (figures.ts).
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { cpus, totalmem } from "node:os"
import { fileURLToPath, pathToFileURL } from "node:url"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { compare } from "./against.ts"
import { findOut, measureBareNode, readFigures, record, type Measured } from "./figures.ts"
import { printResults, type BenchResult } from "./result.ts"

const directory = fileURLToPath(new URL(".", import.meta.url))
const supporting = new Set(["run.ts", "result.ts"])
const { values: flags, positionals: chosen } = parseArgs({
  options: {
    against: { type: "string" },
    rounds: { type: "string", default: "5" },
    check: { type: "boolean" },
    record: { type: "boolean" },
  },
  allowPositionals: true,
})
if (flags.against !== undefined) {
  compare(flags.against, chosen, Number(flags.rounds))
  process.exit()
}

const wanted = flags.check === true && chosen.length === 0 ? Object.keys(readFigures()) : chosen
const measured: Measured[] = []
for (const name of readdirSync(directory)) {
  const topic = name.replace(/\.ts$/, "")
  if (!name.endsWith(".ts") || supporting.has(name) || (wanted.length > 0 && !wanted.includes(topic)))
    continue
  const { run } = (await import(pathToFileURL(join(directory, name)).href)) as {
    run?: () => Promise<BenchResult[]>
  }
  if (!run) continue // a module that measurements share
  process.stderr.write(`— ${topic}\n`)
  measured.push({ topic, bare: measureBareNode(), results: await run() })
}

const results = measured.flatMap((each) => each.results)

printResults(results)
mkdirSync(join(directory, "results"), { recursive: true })
const date = new Date().toISOString()
const machine = { cpu: cpus()[0]?.model, cores: cpus().length, memoryGiB: Math.round(totalmem() / 2 ** 30) }
const file = join(directory, "results", `${date.replace(/[:.]/g, "-")}.json`)
writeFileSync(file, `${JSON.stringify({ date, machine, node: process.version, results }, null, 2)}\n`)
process.stderr.write(`Wrote ${file}\n`)
if (flags.record === true) record(measured)
if (flags.check === true) {
  const out = measured.flatMap((each) => findOut(each, readFigures()))
  for (const line of out) process.stderr.write(`${line}\n`)
  process.stderr.write(
    out.length === 0 ? "All figures are in their bounds.\n" : `${String(out.length)} out of bounds.\n`,
  )
  process.exitCode = out.length === 0 ? 0 : 1
}
