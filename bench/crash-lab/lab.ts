import { EventEmitter, once } from "node:events"
import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { keyOf, signIn, tokenIn } from "../../src/box/testing/app-session.ts"
import { createClient, type Client } from "../../src/shared/client/http-client.ts"
import { faultsAtRest, integrityFaults, whenIndexed } from "./checks.ts"
import type { Fault } from "./faults.ts"
import { startLabBox, type LabBox } from "./lab-box.ts"
import { createLedger, type FaultKind, type LedgerFault } from "./ledger.ts"
import { startLabModel } from "./model.ts"
import { createRandom } from "./random.ts"
import { readers, setUp, writes } from "./registry.ts"
import type { Desk, MakeWrite } from "./writer.ts"

export interface LabOptions {
  seed: number
  /** What happens in each round, one after the other. */
  faults: readonly Fault[]
  /** For the data directory, the ledger's file and what the box is to find. Must be empty; it stays if anything is wrong. */
  directory: string
  /** Where the data directory is instead, such as on a small disk. */
  dataDir?: string
  /** Hears how far it is. */
  tell?(line: string): void
}

export interface LabReport {
  seed: number
  rounds: number
  /** How often each kind of write was acknowledged. */
  acknowledged: Record<string, number>
  /** Writes whose answer was lost with the box. */
  cut: number
  ledger: Record<FaultKind, number>
  /** Everything that is wrong, a sentence each, with its round. */
  wrong: string[]
  slowestReadyMs: number
}

const writersAtOnce = 4
/** In these every kind of write is acknowledged, or one never is. */
const mostTriesAtFirst = 3_000
/** Nothing to write, or nobody who listens. */
const unwrittenPauseMs = 5
const readyLimitMs = 30_000
const indexedLimitMs = 60_000

/**
 * Writes, breaks and looks: each round begins with a start and ends with the box down. Nothing befalls the first box before
 * every kind of write was acknowledged once.
 */
export async function runLab({
  seed,
  faults,
  directory,
  dataDir = join(directory, "data"),
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
  let slowestReadyMs = 0
  let names = 0
  const keys = { owner: "", member: "" }

  const clientOf = (box: LabBox, key: string) =>
    createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
  const deskOf = (box: LabBox): Desk => ({
    client: clientOf(box, keys.owner),
    member: clientOf(box, keys.member),
    url: box.url,
    ledger,
    random,
    directory,
    name: (kind) => `${kind}${++names}`,
  })

  async function start(clockMs = 0): Promise<LabBox> {
    const box = await startLabBox(dataDir, clockMs, "--model", model.url)
    slowestReadyMs = Math.max(slowestReadyMs, box.readyMs)
    return box
  }

  async function settle(desk: Desk): Promise<LedgerFault[]> {
    const found: LedgerFault[] = []
    for (const { book, read } of readers) found.push(...ledger.book(book).settle(await read(desk)))
    return found
  }

  async function compare(desk: Desk): Promise<LedgerFault[]> {
    const found = await settle(desk)
    for (const { kind } of found) kinds[kind]++
    return found
  }

  const sentence = (round: string) => (fault: LedgerFault | string) =>
    typeof fault === "string"
      ? `${round}: ${fault}`
      : `${round}: ${fault.book} ${fault.name} is ${fault.kind}: expected ${JSON.stringify(fault.expected)}, found ${JSON.stringify(fault.found)}`

  /** Writes at random until the signal, those first that were made least. */
  async function load(desk: Desk, over: AbortSignal, onTried: (written: boolean) => void): Promise<void> {
    const worker = async () => {
      while (!over.aborted) {
        const all = [...acknowledged]
        const least = Math.min(...all.map(([, count]) => count))
        const rare = all.filter(([, count]) => count === least)
        const [name] = random.oneOf(random() < 0.4 ? rare : all) ?? [""]
        const write = writes.get(name) as MakeWrite
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
    const box = await start(fault.clockMs)
    if (index === 0) {
      keys.owner = box.firstRunKey ?? ""
      keys.member = await addMember(clientOf(box, keys.owner), box.url)
      await setUp(deskOf(box))
      await settle(deskOf(box)) // what there is at first
    }
    const desk = deskOf(box)
    const over = new AbortController()
    const happened = new EventEmitter()
    const loading = load(desk, over.signal, (acknowledged) => {
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
    const { end } = await fault.underLoad({
      box,
      client: desk.client,
      dataDir,
      random,
      afterWrites,
      afterTries,
    })
    if (box.ended()) wrong.push(`${round}: the box ended by itself.`)
    void box.gone.then(() => over.abort())
    const { code, leftOver } = await box.end(end)
    await loading
    if (end !== "SIGKILL" && code !== 0) wrong.push(`${round}: the box ended with ${String(code)} on ${end}.`)
    for (const { pid, kind } of leftOver)
      wrong.push(`${round}: process ${pid} (${kind ?? "unknown"}) is left over.`)
    wrong.push(...integrityFaults(dataDir).map(sentence(round)))
    dataDir = (await fault.atRest?.({ dataDir, random })) ?? dataDir

    const again = await start()
    wrong.push(...(await compare(deskOf(again))).map(sentence(round)))
    wrong.push(...(await whenIndexed(deskOf(again).client, indexedLimitMs)).map(sentence(round)))
    wrong.push(...(await compare(deskOf(again))).map(sentence(`${round}, once it is indexed`)))
    const ended = await again.end("SIGTERM")
    if (ended.code !== 0) wrong.push(`${round}: the box ended with ${String(ended.code)} when idle.`)
    wrong.push(...(await faultsAtRest(dataDir)).map(sentence(round)))
  }

  wrong.push(...ledger.unexpected.map((answer) => `An answer that mustn't be: ${answer}`))
  if (slowestReadyMs > readyLimitMs) wrong.push(`A start took ${Math.round(slowestReadyMs)} ms.`)
  if (wrong.length === 0) await rm(directory, { recursive: true, force: true })
  return {
    seed,
    rounds: faults.length,
    acknowledged: Object.fromEntries(acknowledged),
    cut: ledger.cut,
    ledger: kinds,
    wrong,
    slowestReadyMs,
  }
}

/** Answers a key of somebody new. */
async function addMember(owner: Client, url: string): Promise<string> {
  const { links } = await owner.people.add({ body: { name: "Member", email: "member@lab.example" } })
  return keyOf(url, await signIn(url, tokenIn(links.local)))
}
