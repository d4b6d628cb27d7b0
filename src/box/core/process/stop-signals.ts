import { endProcess } from "./end-process.ts"

/** Signals to stop a program: from a supervisor, Ctrl+C, or a closed terminal. */
const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const

/** Maximum time that a hanging drive or a paused terminal can delay a box that is stopped before it is ready. */
const earlyGraceMs = 1_000

// Until something was promised to a client, there is nothing to shut down cleanly.
let stop = (): void => endProcess(0, earlyGraceMs)

/** Call it first, so that no signal is missed. */
export function listenForStop(): void {
  for (const signal of signals) process.on(signal, () => stop())
  // the reader of this process's output may be gone, like a closed terminal
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)
}

/** Sets the handler for stop signals from now on. */
export function onStop(handler: () => void): void {
  stop = handler
}
