// `npm run bench` runs every measurement, prints a table and writes bench/results/<date>.json.
// `npm run bench -- box search` runs only the named ones.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { cpus, totalmem } from "node:os"
import { fileURLToPath, pathToFileURL } from "node:url"
import { join } from "node:path"
import { printResults, type BenchResult } from "./result.ts"

const directory = fileURLToPath(new URL(".", import.meta.url))
const supporting = new Set(["run.ts", "result.ts"])
const chosen = process.argv.slice(2)

const results: BenchResult[] = []
for (const name of readdirSync(directory)) {
  const topic = name.replace(/\.ts$/, "")
  if (!name.endsWith(".ts") || supporting.has(name) || (chosen.length > 0 && !chosen.includes(topic)))
    continue
  const { run } = (await import(pathToFileURL(join(directory, name)).href)) as {
    run?: () => Promise<BenchResult[]>
  }
  if (!run) continue // a part that measurements share
  process.stderr.write(`— ${topic}\n`)
  results.push(...(await run()))
}

printResults(results)
mkdirSync(join(directory, "results"), { recursive: true })
const date = new Date().toISOString()
const machine = { cpu: cpus()[0]?.model, cores: cpus().length, memoryGiB: Math.round(totalmem() / 2 ** 30) }
const file = join(directory, "results", `${date.replace(/[:.]/g, "-")}.json`)
writeFileSync(file, `${JSON.stringify({ date, machine, node: process.version, results }, null, 2)}\n`)
process.stderr.write(`Wrote ${file}\n`)
