import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import type { Fault } from "./fault.ts"
import type { Lab } from "./lab-desks.ts"
import { createLedger } from "./ledger.ts"
import { startLabModel } from "./model.ts"
import { createRandom } from "./random.ts"
import { writes } from "./registry.ts"
import type { LabReport } from "./report.ts"
import { runRound } from "./round.ts"

export interface LabOptions {
  seed: number
  /** The faults, one for each round, in order. */
  faults: readonly Fault[]
  /** Holds the data directory, the ledger's file and the files that the box must find. Must be empty; it is kept if there are faults. */
  directory: string
  /** Other location of the data directory, such as a small disk. */
  dataDir?: string
  /** File of an embedding model. Without it, search uses keywords. */
  embeddingModel?: string
  /** Receives progress lines. */
  log?(line: string): void
}

const readyLimitMs = 30_000

/**
 * Writes, injects faults and checks: each round starts the box and ends with it stopped. The first box gets no fault before every kind of
 * write was acknowledged once.
 */
export async function runLab(options: LabOptions): Promise<LabReport> {
  const { seed, faults, directory, dataDir = join(directory, "data"), embeddingModel, log } = options
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await using model = await startLabModel()
  const lab: Lab = {
    random: createRandom(seed),
    directory,
    dataDir,
    ledger: createLedger(join(directory, "ledger.jsonl")),
    modelUrl: model.url,
    embeddingModel,
    keys: { owner: "", member: "", colleague: "" },
    acknowledged: new Map(
      [...writes].filter(([, write]) => typeof write === "function").map(([name]) => [name, 0]),
    ),
    kinds: { lost: 0, doubled: 0, wrong: 0, returned: 0, unknown: 0 },
    wrong: [],
    late: [],
    slowestReady: { ms: 0, round: "" },
    byFault: {},
    names: 0,
  }
  for (const [index, fault] of faults.entries()) {
    log?.(`round ${index + 1}, ${fault.name}`)
    await runRound(lab, index, fault)
  }

  const { ledger, wrong, late, slowestReady } = lab
  wrong.push(...ledger.unexpected.map((answer) => `An answer that mustn't be: ${answer}`))
  if (slowestReady.ms > readyLimitMs)
    late.push(`${slowestReady.round}: the start took ${Math.round(slowestReady.ms)} ms.`)
  if (wrong.length + late.length === 0) await rm(directory, { recursive: true, force: true })
  return {
    seed,
    rounds: faults.length,
    acknowledged: Object.fromEntries(lab.acknowledged),
    cut: ledger.cut,
    ledger: lab.kinds,
    wrong,
    late,
    slowestReady,
    byFault: lab.byFault,
  }
}
