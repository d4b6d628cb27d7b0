import { EventEmitter, once } from "node:events"
import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { createClient } from "../../src/shared/client/http-client.ts"
import { faultsAtRest, integrityFaults, whenIndexed } from "./checks.ts"
import type { Fault } from "./fault.ts"
import { startLabBox, type LabBox } from "./lab-box.ts"
import { createLedger, ledgerOf, type FaultKind, type LedgerFault } from "./ledger.ts"
import { answerTo, ensureLabModelFile, scriptedAnswer, startLabModel } from "./model.ts"
import { addPeople, type Keys } from "./people.ts"
import { startProbe } from "./probe.ts"
import { createRandom } from "./random.ts"
import { isMembers, membersReaders, readers, setUp, setUpMember, writes } from "./registry.ts"
import type { FaultReport, LabReport } from "./report.ts"
import { whenTold } from "./told.ts"
import type { Desk, MakeWrite } from "./writer.ts"

export interface LabOptions {
  seed: number
  /** What happens in each round, one after the other. */
  faults: readonly Fault[]
  /** For the data directory, the ledger's file and what the box is to find. Must be empty; it stays if anything is wrong. */
  directory: string
  /** Where the data directory is instead, such as on a small disk. */
  dataDir?: string
  /** File of a model that embeds; search is by keywords without. */
  embeddingModel?: string
  /** Hears how far it is. */
  tell?(line: string): void
}

const writersAtOnce = 4
/** In these every kind of write is acknowledged, or one never is. */
const mostTriesAtFirst = 3_000
/** Nothing to write, or nobody who listens. */
const unwrittenPauseMs = 5
const readyLimitMs = 30_000
const indexedLimitMs = 60_000
/** No single fault may keep others waiting longer. */
const longestPauseMs = 1_000
/** Of writes that members make, too. */
const membersShare = 0.3

/**
 * Writes, breaks and looks: each round begins with a start and ends with the box down. Nothing befalls the first box before
 * every kind of write was acknowledged once.
 */
export async function runLab({
  seed,
  faults,
  directory,
  dataDir = join(directory, "data"),
  embeddingModel,
  tell = () => undefined,
}: LabOptions): Promise<LabReport> {
  const random = createRandom(seed)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const ledger = createLedger(join(directory, "ledger.jsonl"))
  await using model = await startLabModel()
  const acknowledged = new Map(
    [...writes].filter(([, write]) => typeof write === "function").map(([name]) => [name, 0]),
  )
  const kinds: Record<FaultKind, number> = { lost: 0, doubled: 0, wrong: 0, returned: 0, unknown: 0 }
  const wrong: string[] = []
  const late: string[] = []
  let slowestReady = { ms: 0, round: "" }
  let names = 0
  const byFault: Record<string, FaultReport> = {}
  let keys: Keys = { owner: "", member: "", colleague: "" }

  const clientOf = (box: LabBox, key: string) =>
    createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
  const deskOf = (box: LabBox, { ownEngine = false }: Partial<Fault> = {}): Desk => ({
    client: clientOf(box, keys.owner),
    member: clientOf(box, keys.member),
    url: box.url,
    ledger,
    answerTo: ownEngine ? () => scriptedAnswer : answerTo,
    callsTools: !ownEngine,
    random,
    directory,
    name: (kind) => `${kind}${++names}`,
  })
  const colleaguesOf = (desk: Desk, box: LabBox): Desk => ({
    ...desk,
    client: clientOf(box, keys.colleague),
    ledger: ledgerOf("colleague", ledger),
  })

  async function start(
    round: string,
    { clockMs = 0, ownEngine = false }: Partial<Fault> = {},
  ): Promise<LabBox> {
    const embedding = embeddingModel === undefined ? [] : ["--embedding-model", embeddingModel]
    const chat = ["--model", ownEngine ? ensureLabModelFile() : model.url]
    const box = await startLabBox(dataDir, clockMs, ...chat, ...embedding)
    if (box.readyMs > slowestReady.ms) slowestReady = { ms: box.readyMs, round }
    return box
  }

  async function settle(box: LabBox): Promise<LedgerFault[]> {
    const found: LedgerFault[] = []
    const own = deskOf(box)
    for (const [desk, all] of [
      [own, readers],
      [colleaguesOf(own, box), membersReaders],
    ] as const)
      for (const { book, read } of all) found.push(...desk.ledger.book(book).settle(await read(desk)))
    return found
  }

  async function compare(box: LabBox): Promise<LedgerFault[]> {
    const found = await settle(box)
    for (const { kind } of found) kinds[kind]++
    return found
  }

  const sentence = (round: string) => (fault: LedgerFault | string) =>
    typeof fault === "string"
      ? `${round}: ${fault}`
      : `${round}: ${fault.book} ${fault.name} is ${fault.kind}: expected ${JSON.stringify(fault.expected)}, found ${JSON.stringify(fault.found)}`

  /** Writes at random until the signal, those first that were made least. */
  async function load(
    own: Desk,
    box: LabBox,
    over: AbortSignal,
    onTried: (written: boolean) => void,
  ): Promise<void> {
    const colleagues = colleaguesOf(own, box)
    const worker = async () => {
      while (!over.aborted) {
        const all = [...acknowledged]
        const least = Math.min(...all.map(([, count]) => count))
        const rare = all.filter(([, count]) => count === least)
        const [name] = random.oneOf(random() < 0.4 ? rare : all) ?? [""]
        const write = writes.get(name) as MakeWrite
        const desk = isMembers(name) && random() < membersShare ? colleagues : own
        const written = await write(desk).catch(() => false) // the box has ended, or is about to
        if (written) acknowledged.set(name, (acknowledged.get(name) ?? 0) + 1)
        onTried(written)
        if (!written) await pause(unwrittenPauseMs)
      }
    }
    await Promise.all(Array.from({ length: writersAtOnce }, worker))
  }

  for (const [index, fault] of faults.entries()) {
    const round = `round ${index + 1}, ${fault.name}`
    tell(round)
    const box = await start(round, fault)
    if (index === 0) {
      const owner = box.firstRunKey ?? ""
      keys = { owner, ...(await addPeople(clientOf(box, owner), box.url)) }
      await setUp(deskOf(box))
      await setUpMember(colleaguesOf(deskOf(box), box))
      await settle(box) // what there is at first
    }
    const desk = deskOf(box, fault)
    const report = (byFault[fault.name] ??= {
      rounds: 0,
      longestPauseMs: 0,
      slowestToldMs: null,
      toldOf: [0, 0],
    })
    report.rounds++
    const over = new AbortController()
    const happened = new EventEmitter()
    const loading = load(desk, box, over.signal, (acknowledged) => {
      happened.emit("try")
      if (acknowledged) happened.emit("write")
    })
    void box.gone.then(() => ["try", "write"].forEach((event) => happened.emit(event)))
    const after = (event: "try" | "write") => async (count: number) => {
      for (let left = count; left > 0 && !box.ended(); left--) await once(happened, event)
    }
    const afterWrites = after("write")
    const afterTries = after("try")
    const isUntried = () => Math.min(...acknowledged.values()) === 0 && !box.ended()
    for (let tries = 0; tries < mostTriesAtFirst && isUntried(); tries++) await afterTries(1)
    const probe = await startProbe(box, keys.owner)
    let told: Promise<number | null> | undefined
    const refusedBefore = ledger.refusals.length
    const said = () => [box.log(), ...ledger.refusals.slice(refusedBefore)]
    const { end } = await fault.underLoad({
      box,
      client: desk.client,
      dataDir,
      random,
      afterWrites,
      afterTries,
      async strikes() {
        if (fault.named?.while === "it goes on") await (told ??= whenTold(fault.named.by, said))
      },
    })
    if (told) note(await told)
    const paused = await probe.end()
    report.longestPauseMs = Math.max(report.longestPauseMs, paused)
    if (paused > longestPauseMs) late.push(`${round}: others waited ${Math.round(paused)} ms for an answer.`)
    if (box.ended()) wrong.push(`${round}: the box ended by itself.`)
    void box.gone.then(() => over.abort())
    const { code, leftOver } = await box.end(end)
    await loading
    if (end !== "SIGKILL" && code !== 0) wrong.push(`${round}: the box ended with ${String(code)} on ${end}.`)
    for (const { pid, kind } of leftOver)
      wrong.push(`${round}: process ${pid} (${kind ?? "unknown"}) is left over.`)
    wrong.push(...integrityFaults(dataDir).map(sentence(round)))
    dataDir = (await fault.atRest?.({ dataDir, random })) ?? dataDir

    const again = await start(`${round}, started again`)
    const { named } = fault
    const toldAgain = named?.while === "it starts again" ? whenTold(named.by, () => [again.log()]) : null
    wrong.push(...(await compare(again)).map(sentence(round)))
    wrong.push(...(await whenIndexed(deskOf(again).client, indexedLimitMs)).map(sentence(round)))
    wrong.push(...(await compare(again)).map(sentence(`${round}, once it is indexed`)))
    if (toldAgain) note(await toldAgain)
    const ended = await again.end("SIGTERM")
    if (ended.code !== 0) wrong.push(`${round}: the box ended with ${String(ended.code)} when idle.`)
    wrong.push(...(await faultsAtRest(dataDir)).map(sentence(round)))

    function note(toldMs: number | null): void {
      report.toldOf[1]++
      if (toldMs === null) {
        late.push(`${round}: the box didn't say what befell it.`)
        return
      }
      report.toldOf[0]++
      report.slowestToldMs = Math.max(report.slowestToldMs ?? 0, toldMs)
    }
  }

  wrong.push(...ledger.unexpected.map((answer) => `An answer that mustn't be: ${answer}`))
  if (slowestReady.ms > readyLimitMs)
    late.push(`${slowestReady.round}: the start took ${Math.round(slowestReady.ms)} ms.`)
  if (wrong.length + late.length === 0) await rm(directory, { recursive: true, force: true })
  return {
    seed,
    rounds: faults.length,
    acknowledged: Object.fromEntries(acknowledged),
    cut: ledger.cut,
    ledger: kinds,
    wrong,
    late,
    slowestReady,
    byFault,
  }
}
