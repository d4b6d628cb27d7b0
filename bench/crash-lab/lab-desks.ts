import { createClient } from "../../src/shared/client/http-client.ts"
import type { FaultKind } from "./book.ts"
import type { Fault } from "./fault.ts"
import { startLabBox, type LabBox } from "./lab-box.ts"
import { getLedger, type Ledger } from "./ledger.ts"
import { answerTo, ensureLabModelFile, scriptedAnswer } from "./model.ts"
import type { Keys } from "./people.ts"
import type { Random } from "./random.ts"
import type { LabReport } from "./report.ts"
import type { Desk } from "./writer.ts"

/** State shared by the rounds. */
export interface Lab {
  random: Random
  directory: string
  dataDir: string
  ledger: Ledger
  modelUrl: string
  embeddingModel: string | undefined
  keys: Keys
  /** Number of writes of each kind. */
  acknowledged: Map<string, number>
  kinds: Record<FaultKind, number>
  wrong: string[]
  late: string[]
  slowestReady: LabReport["slowestReady"]
  byFault: LabReport["byFault"]
  /** Number of names assigned so far. */
  names: number
}

export async function start(
  lab: Lab,
  round: string,
  { clockMs = 0, usesOwnEngine = false }: Partial<Fault> = {},
): Promise<LabBox> {
  const embedding = lab.embeddingModel === undefined ? [] : ["--embedding-model", lab.embeddingModel]
  const chat = ["--model", usesOwnEngine ? ensureLabModelFile() : lab.modelUrl]
  const box = await startLabBox(lab.dataDir, clockMs, ...chat, ...embedding)
  if (box.readyMs > lab.slowestReady.ms) lab.slowestReady = { ms: box.readyMs, round }
  return box
}

export const createBoxClient = (box: LabBox, key: string) =>
  createClient({ baseUrl: box.url, headers: { "x-api-key": key } })

export function createDesk(lab: Lab, box: LabBox, { usesOwnEngine = false }: Partial<Fault> = {}): Desk {
  const { keys, ledger, random, directory } = lab
  return {
    client: createBoxClient(box, keys.owner),
    member: createBoxClient(box, keys.member),
    url: box.url,
    ledger,
    answerTo: usesOwnEngine ? () => scriptedAnswer : answerTo,
    callsTools: !usesOwnEngine,
    random,
    directory,
    name: (kind) => `${kind}${++lab.names}`,
  }
}

export const createColleagueDesk = ({ keys, ledger }: Lab, desk: Desk, box: LabBox): Desk => ({
  ...desk,
  client: createBoxClient(box, keys.colleague),
  ledger: getLedger("colleague", ledger),
})
