import { endProcess } from "./end-process.ts"

/** What asks a program to stop: a supervisor, Ctrl+C, a terminal that is closed. */
const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const

/** How long a drive that hangs, or a terminal that is held, may keep a box which is told to stop before it is ready. */
const earlyGraceMs = 1_000

// Until something was promised to anybody, there is nothing to end in good order.
let stop = (): void => endProcess(0, earlyGraceMs)

/** Call it first, so that a signal is heard from the beginning. */
export function listenForStop(): void {
  for (const signal of signals) process.on(signal, () => stop())
  // whoever read what this process prints may be gone, as a closed terminal is
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)
}

/** How to stop from now on. */
export function onStop(handler: () => void): void {
  stop = handler
}
