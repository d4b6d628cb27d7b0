import { EventEmitter, once } from "node:events"
import { faultsAtRest, integrityFaults, waitUntilIndexed } from "./checks.ts"
import { compare, sentence, settle } from "./compare.ts"
import type { Fault } from "./fault.ts"
import type { LabBox } from "./lab-box.ts"
import { createBoxClient, createColleagueDesk, createDesk, start, type Lab } from "./lab-desks.ts"
import { load } from "./load.ts"
import { addPeople } from "./people.ts"
import { startProbe } from "./probe.ts"
import { setUp, setUpMember } from "./registry.ts"
import type { FaultReport } from "./report.ts"
import { waitUntilReported } from "./reported.ts"

/** Time limit for every kind of write to be acknowledged once. On a busy computer, a backup is slow next to thousands of quick writes. */
const firstWritesLimitMs = 240_000
/** Time limit for the next file to be read. */
const indexedLimitMs = 60_000
/** Maximum time for which a single fault may keep others waiting. */
const maxPauseMs = 1_000
/** Maximum time for which child processes may outlive their box. */
const maxOutlivedMs = 5_000

/** Runs one round of writes, faults and checks. It starts the box and ends with it stopped. */
export async function runRound(lab: Lab, index: number, fault: Fault): Promise<void> {
  const round = `round ${index + 1}, ${fault.name}`
  const report = (lab.byFault[fault.name] ??= {
    rounds: 0,
    maxPauseMs: 0,
    slowestReportMs: null,
    reportedOf: [0, 0],
  })
  report.rounds++
  const note = (reportedAfterMs: number | null) => {
    report.reportedOf[1]++
    if (reportedAfterMs === null) return void lab.late.push(`${round}: the box didn't say what befell it.`)
    report.reportedOf[0]++
    report.slowestReportMs = Math.max(report.slowestReportMs ?? 0, reportedAfterMs)
  }
  const box = await start(lab, round, fault)
  if (index === 0) await setUpAll(lab, box)
  await breakUnderLoad({ lab, round, fault, box, report, note })
  lab.dataDir = (await fault.whileStopped?.({ dataDir: lab.dataDir, random: lab.random })) ?? lab.dataDir
  await checkAfterRestart({ lab, round, fault, note })
}

async function setUpAll(lab: Lab, box: LabBox): Promise<void> {
  const owner = box.firstRunKey ?? ""
  lab.keys = { owner, ...(await addPeople(createBoxClient(box, owner), box.url)) }
  const desk = createDesk(lab, box)
  await setUp(desk)
  await setUpMember(createColleagueDesk(lab, desk, box))
  await settle(lab, box) // initial state of the box
}

interface Round {
  lab: Lab
  round: string
  fault: Fault
  /** Time in which the box named its fault; null if it didn't. */
  note(reportedAfterMs: number | null): void
}

async function breakUnderLoad({
  lab,
  round,
  fault,
  box,
  report,
  note,
}: Round & { box: LabBox; report: FaultReport }): Promise<void> {
  const { acknowledged, random, dataDir, ledger, late, wrong } = lab
  const desk = createDesk(lab, box, fault)
  const over = new AbortController()
  const labEvents = new EventEmitter()
  const loading = load(lab, desk, box, over.signal, (written) => {
    labEvents.emit("try")
    if (written) labEvents.emit("write")
  })
  void box.gone.then(() => ["try", "write"].forEach((event) => labEvents.emit(event)))
  const after = (event: "try" | "write") => async (count: number) => {
    for (let left = count; left > 0 && !box.ended(); left--) await once(labEvents, event)
  }
  const afterWrites = after("write")
  const afterTries = after("try")
  const isUntried = () => Math.min(...acknowledged.values()) === 0 && !box.ended()
  for (const until = performance.now() + firstWritesLimitMs; isUntried() && performance.now() < until;)
    await afterTries(1)
  const probe = await startProbe(box, lab.keys.owner)
  let reported: Promise<number | null> | undefined
  const refusedBefore = ledger.refusals.length
  const getOutput = () => [box.log(), ...ledger.refusals.slice(refusedBefore)]
  const { end } = await fault.underLoad({
    box,
    client: desk.client,
    dataDir,
    random,
    afterWrites,
    afterTries,
    async strikes() {
      if (fault.named?.while === "it goes on")
        await (reported ??= waitUntilReported(fault.named.by, getOutput))
    },
  })
  if (reported) note(await reported)
  const paused = await probe.end()
  report.maxPauseMs = Math.max(report.maxPauseMs, paused)
  if (paused > maxPauseMs) late.push(`${round}: others waited ${Math.round(paused)} ms for an answer.`)
  if (box.ended()) wrong.push(`${round}: the box ended by itself.`)
  void box.gone.then(() => over.abort())
  const { outcome, childrenEndedAfterMs, leftOver } = await box.end(end)
  await loading
  if (outcome === "SIGKILL" && end !== "SIGKILL") late.push(`${round}: the end took longer than its limit.`)
  else if (outcome !== 0 && end !== "SIGKILL")
    wrong.push(`${round}: the box ended with ${outcome} on ${end}.`)
  if (leftOver.length === 0 && childrenEndedAfterMs > maxOutlivedMs)
    late.push(`${round}: its processes ended ${Math.round(childrenEndedAfterMs)} ms after it.`)
  for (const { pid, kind } of leftOver)
    wrong.push(`${round}: process ${pid} (${kind ?? "unknown"}) is left over.`)
  wrong.push(...integrityFaults(dataDir).map(sentence(round)))
}

async function checkAfterRestart({ lab, round, fault: { named }, note }: Round): Promise<void> {
  const { wrong } = lab
  const restarted = await start(lab, `${round}, started again`)
  const reportedAgain =
    named?.while === "it starts again" ? waitUntilReported(named.by, () => [restarted.log()]) : null
  wrong.push(...(await compare(lab, restarted)).map(sentence(round)))
  wrong.push(
    ...(await waitUntilIndexed(createDesk(lab, restarted).client, indexedLimitMs)).map(sentence(round)),
  )
  wrong.push(...(await compare(lab, restarted)).map(sentence(`${round}, once it is indexed`)))
  if (reportedAgain) note(await reportedAgain)
  const { outcome } = await restarted.end("SIGTERM")
  if (outcome !== 0) wrong.push(`${round}: the box ended with ${outcome} when idle.`)
  wrong.push(...(await faultsAtRest(lab.dataDir)).map(sentence(round)))
}
