import type { FaultKind } from "./book.ts"

export interface LabReport {
  seed: number
  rounds: number
  /** Number of acknowledged writes of each kind. */
  acknowledged: Record<string, number>
  /** Writes whose answer was lost when the box ended. */
  cut: number
  ledger: Record<FaultKind, number>
  /** All faults, one sentence each, with the round. */
  wrong: string[]
  /** Operations that took too long, in the same format; a busy machine may be the reason. */
  late: string[]
  slowestReady: { ms: number; round: string }
  /** Results by fault name. */
  byFault: Record<string, FaultReport>
}

export interface FaultReport {
  rounds: number
  /** Longest time others waited for an answer, without the time in which the machine kept them waiting. */
  maxPauseMs: number
  /** Slowest time in which the box named the fault; null if it hasn't. */
  slowestReportMs: number | null
  /** How often the box named the fault within ten seconds, and how often it should have. */
  reportedOf: [told: number, of: number]
}
