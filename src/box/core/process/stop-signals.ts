import { spawn } from "node:child_process"

/** Node's operations on separate threads that the system may block: files and name lookups. */
const onThreads = /^(FSReq|GetAddrInfo)/

/** For processes with nothing left to finish. It is this long because a busy computer delays even an end that nothing blocks. */
const defaultGraceMs = 4_500

/**
 * Ends this process with `code`. Node waits for threads that are in the middle of a read, for example on a hanging network drive: a process
 * that still runs after `graceMs` is killed, and then there is no exit code. Windows doesn't wait for threads.
 */
export function endProcess(code: number, graceMs = defaultGraceMs): never {
  if (process.platform !== "win32" && process.getActiveResourcesInfo().some((name) => onThreads.test(name))) {
    const kill = `sleep ${graceMs / 1_000}; kill -9 ${process.pid}`
    spawn("/bin/sh", ["-c", kill], { stdio: "ignore", detached: true, env: {} }).on("error", () => undefined)
  }
  process.exit(code)
}

/** Signals to stop a program: from a supervisor, Ctrl+C, or a closed terminal. */
const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const

// Until something was promised to a client, there is nothing to shut down cleanly.
let stop = (): void => endProcess(0)

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
