import process from "node:process"

/** What asks a program to stop: a supervisor, Ctrl+C, a terminal that is closed. */
const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const

// Until something was promised to anybody, there is nothing to end in good order.
let stop = (): void => process.exit(0)

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
