import type { FaultKind } from "./book.ts"

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
  /** What took too long, likewise; that may be a busy machine's doing. */
  late: string[]
  slowestReady: { ms: number; round: string }
  /** By the fault's name. */
  byFault: Record<string, FaultReport>
}

export interface FaultReport {
  rounds: number
  /** The longest that others waited for an answer, without what the machine kept them waiting. */
  longestPauseMs: number
  /** The slowest that the box named it; null while it hasn't. */
  slowestToldMs: number | null
  /** How often it had to be named, and was within ten seconds. */
  toldOf: [told: number, of: number]
}
