// `npm run crash-lab` runs every fault once. `npm run crash-lab -- 200` runs 200 rounds, `-- 200 4711` uses that seed, and `-- 200 4711
// kill` runs only the faults with that name. `-- 20 4711 disk` tests a full disk and needs the right to mount one. `-- 20 4711 server`
// stores the rows on a PostgreSQL server.
import { mkdirSync, writeFileSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { mountSmallDisk } from "../../src/box/testing/disk.ts"
import { ensureTestEmbeddingModel } from "../../src/box/engines/llama/testing/test-models.ts"
import { diskFaults, faults } from "./faults.ts"
import { runLab } from "./lab.ts"
import { serverFaults } from "./server-faults.ts"
import { startTestPostgres } from "../../src/shared/testing/test-postgres.ts"
import { createRandom } from "./random.ts"

const diskSize = "160m"

const [rounds, seed = String(Date.now() % 1_000_000), name = ""] = process.argv.slice(2)
const small = name.includes("disk")
await using disk = small ? await mountSmallDisk(diskSize) : null
if (disk && !disk.mounted) throw new Error("No right to mount a small disk: run it as root.")
await using server = name.includes("server") ? startTestPostgres() : null
if (server) process.env["CASELLA_DATABASE_URL"] = await server.createDatabase()
const all = disk ? diskFaults(disk) : server ? serverFaults(server) : faults
const named = all.filter((fault) => fault.name.includes(name))
const random = createRandom(Number(seed))
const chosen = Array.from({ length: Number(rounds ?? named.length) }, (_, index) =>
  index < named.length ? named[index] : random.oneOf(named),
).filter((fault) => fault !== undefined)

const directory = await mkdtemp(join(tmpdir(), "casella-crash-lab-"))
const report = await runLab({
  seed: Number(seed),
  faults: chosen,
  directory,
  embeddingModel: ensureTestEmbeddingModel(),
  ...(disk ? { dataDir: join(disk.path, "data") } : {}),
  log: (line) => console.error(line),
})
const results = fileURLToPath(new URL("../results", import.meta.url))
mkdirSync(results, { recursive: true })
writeFileSync(join(results, `crash-lab-${seed}.json`), `${JSON.stringify(report, null, 2)}\n`)

const { ledger } = report
const writes = Object.values(report.acknowledged).reduce((sum, count) => sum + count, 0)
console.log(`Seed ${seed}: ${report.rounds} rounds, ${writes} acknowledged writes, ${report.cut} cut.`)
console.log(
  `Lost ${ledger.lost}, doubled ${ledger.doubled}, wrong ${ledger.wrong}, returned ${ledger.returned}, unexpected ${ledger.unknown}.`,
)
for (const [fault, { rounds, maxPauseMs, slowestReportMs, reportedOf }] of Object.entries(report.byFault)) {
  const outcome =
    slowestReportMs === null
      ? ""
      : `, reported ${reportedOf.join(" of ")}, within ${Math.round(slowestReportMs)} ms`
  console.log(`${fault}: ${rounds} rounds, others waited ${Math.round(maxPauseMs)} ms at most${outcome}.`)
}
console.log(`Slowest start ${Math.round(report.slowestReady.ms)} ms (${report.slowestReady.round}).`)
const breaches = [...report.wrong, ...report.late]
for (const line of breaches) console.log(`  ${line}`)
if (breaches.length > 0) {
  console.log(
    `The files are in ${directory}. Run it again: npm run crash-lab -- ${chosen.length} ${seed} ${name}`,
  )
  process.exitCode = 1
}
