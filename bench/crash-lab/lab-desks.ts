import { createClient } from "../../src/shared/client/http-client.ts"
import type { FaultKind } from "./book.ts"
import type { Fault } from "./fault.ts"
import { startLabBox, type LabBox } from "./lab-box.ts"
import { ledgerOf, type Ledger } from "./ledger.ts"
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
  { clockMs = 0, ownEngine = false }: Partial<Fault> = {},
): Promise<LabBox> {
  const embedding = lab.embeddingModel === undefined ? [] : ["--embedding-model", lab.embeddingModel]
  const chat = ["--model", ownEngine ? ensureLabModelFile() : lab.modelUrl]
  const box = await startLabBox(lab.dataDir, clockMs, ...chat, ...embedding)
  if (box.readyMs > lab.slowestReady.ms) lab.slowestReady = { ms: box.readyMs, round }
  return box
}

export const clientOf = (box: LabBox, key: string) =>
  createClient({ baseUrl: box.url, headers: { "x-api-key": key } })

export function deskOf(lab: Lab, box: LabBox, { ownEngine = false }: Partial<Fault> = {}): Desk {
  const { keys, ledger, random, directory } = lab
  return {
    client: clientOf(box, keys.owner),
    member: clientOf(box, keys.member),
    url: box.url,
    ledger,
    answerTo: ownEngine ? () => scriptedAnswer : answerTo,
    callsTools: !ownEngine,
    random,
    directory,
    name: (kind) => `${kind}${++lab.names}`,
  }
}

export const colleaguesOf = ({ keys, ledger }: Lab, desk: Desk, box: LabBox): Desk => ({
  ...desk,
  client: clientOf(box, keys.colleague),
  ledger: ledgerOf("colleague", ledger),
})
