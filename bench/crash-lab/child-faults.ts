import type { ChildEntry } from "../../src/box/core/children/child.ts"
import type { Fault } from "./fault.ts"

const signalledTimes = 4

/** Signals a running child of each kind, repeatedly while writes continue. */
export const childrenGet = (
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

export const parsersFrozen = childrenGet("parsers frozen", "SIGSTOP", ["parser"])

export const childFaults: readonly Fault[] = [
  childrenGet("parsers killed", "SIGKILL", ["parser"]),
  parsersFrozen,
  childrenGet("calculators killed", "SIGKILL", ["calculator"]),
  childrenGet("calculators frozen", "SIGSTOP", ["calculator"]),
  childrenGet("Python killed", "SIGKILL", ["python"]),
  childrenGet("Python frozen", "SIGSTOP", ["python"]),
  childrenGet("embedder killed", "SIGKILL", ["engine"], { named }),
  childrenGet("embedder frozen", "SIGSTOP", ["engine"]),
  childrenGet("engine and embedder killed", "SIGKILL", ["engine"], { named, usesOwnEngine }),
  childrenGet("engine and embedder frozen", "SIGSTOP", ["engine"], { usesOwnEngine }),
]
