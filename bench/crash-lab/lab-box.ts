import { spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout as pause } from "node:timers/promises"
import { startBoxProcess, type BoxProcess } from "../../src/box/testing/box-process.ts"
import { descendants, isAlive, type ChildProcess } from "./processes.ts"
import { builtProgram } from "../../src/shared/testing/built-program.ts"

export interface LabBox {
  url: string
  firstRunKey: string | undefined
  pid: number
  /** Time from the start to the ready line. */
  readyMs: number
  /** Whether the box has ended, for any reason. */
  ended(): boolean
  /** Settles when the box has ended. */
  gone: Promise<unknown>
  children(): ChildProcess[]
  /** The box's log so far. */
  log(): string
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<LabEnd>
}

export interface LabEnd {
  /** Exit code, or the signal that ended the box. If the lab didn't send SIGKILL, the box did, after its own time limit. */
  outcome: number | NodeJS.Signals | null
  /** How long the children outlived the box. */
  childrenEndedAfterMs: number
  /** Children that are still running. */
  leftOver: ChildProcess[]
}

/** Time after the box's end after which a child is considered left over, and not only slow on a busy computer. */
const orphanGraceMs = 45_000
const pollMs = 50
const cli = builtProgram("cli")
const shiftedClock = new URL("shifted-clock.ts", import.meta.url).href

/** `clockMs`: offset of the box's clock. */
export async function startLabBox(dataDir: string, clockMs: number, ...flags: string[]): Promise<LabBox> {
  const startedAt = performance.now()
  const shifted = { NODE_OPTIONS: `--import=${shiftedClock}`, CASELLA_LAB_CLOCK_MS: String(clockMs) }
  if (clockMs !== 0) Object.assign(process.env, shifted)
  const box: BoxProcess = await startBoxProcess(dataDir, ...flags).finally(() => {
    if (clockMs !== 0) for (const name of Object.keys(shifted)) delete process.env[name]
  })
  const readyMs = performance.now() - startedAt
  const pid = box.child.pid ?? 0
  const ended = () => box.child.exitCode !== null || box.child.signalCode !== null
  const gone = once(box.child, "exit")
  return {
    url: box.url,
    firstRunKey: box.firstRunKey,
    pid,
    readyMs,
    ended,
    gone,
    children: () => descendants(pid),
    log: box.stderr,
    async end(signal) {
      const children = descendants(pid)
      box.child.kill(signal)
      await gone
      const outcome = box.child.exitCode ?? box.child.signalCode
      const goneAt = performance.now()
      let leftOver = children.filter(isAlive)
      while (leftOver.length > 0 && performance.now() < goneAt + orphanGraceMs) {
        await pause(pollMs)
        leftOver = leftOver.filter(isAlive)
      }
      return { outcome, childrenEndedAfterMs: performance.now() - goneAt, leftOver }
    },
  }
}

/** Starts a box and ends it after `afterMs`, however far its start has got. */
export async function endWhileStarting(dataDir: string, signal: NodeJS.Signals, afterMs: number) {
  const child = spawn(process.execPath, [cli, "--port", "0", "--data", dataDir], { stdio: "ignore" })
  const exited = once(child, "exit")
  await pause(afterMs)
  child.kill(signal)
  await exited
}
