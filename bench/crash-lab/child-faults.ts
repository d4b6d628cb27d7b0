import type { ChildEntry } from "../../src/box/core/children/child.ts"
import type { Fault } from "./fault.ts"

const signalledTimes = 4

/** Signals a running child of each kind, repeatedly while writes continue. */
export const createSignalFault = (
  name: string,
  signal: NodeJS.Signals,
  kinds: readonly ChildEntry[],
  more: Partial<Fault> = {},
): Fault => ({
  name,
  async underLoad({ box, afterWrites, strikes }) {
    for (let time = 0; time < signalledTimes; time++) {
      await afterWrites(8)
      const found = box.children().filter(({ kind }) => kind !== null && kinds.includes(kind))
      for (const { pid } of found) sendSignal(pid, signal)
      if (found.length > 0) void strikes()
    }
    return { end: "SIGTERM" }
  },
  ...more,
})

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // the process has ended
  }
}

const usesOwnEngine = true
/** A child that was idle when it was killed affects no one, so only the end of an engine is always logged. */
const named = { while: "it goes on", by: /model process ended/ } as const

export const parsersFrozen = createSignalFault("parsers frozen", "SIGSTOP", ["parser"])

export const childFaults: readonly Fault[] = [
  createSignalFault("parsers killed", "SIGKILL", ["parser"]),
  parsersFrozen,
  createSignalFault("calculators killed", "SIGKILL", ["calculator"]),
  createSignalFault("calculators frozen", "SIGSTOP", ["calculator"]),
  createSignalFault("Python killed", "SIGKILL", ["python"]),
  createSignalFault("Python frozen", "SIGSTOP", ["python"]),
  createSignalFault("embedder killed", "SIGKILL", ["engine"], { named }),
  createSignalFault("embedder frozen", "SIGSTOP", ["engine"]),
  createSignalFault("engine and embedder killed", "SIGKILL", ["engine"], { named, usesOwnEngine }),
  createSignalFault("engine and embedder frozen", "SIGSTOP", ["engine"], { usesOwnEngine }),
]
