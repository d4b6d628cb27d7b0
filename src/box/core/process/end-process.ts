import { spawn } from "node:child_process"

/** Node's operations on separate threads that the system may block: files and name lookups. */
const onThreads = /^(FSReq|GetAddrInfo)/

/**
 * Ends this process with `code`. Node waits for threads that are in the middle of a read, for example on a hanging network drive: a process
 * that still runs after `graceMs` is killed, and then there is no exit code. Windows doesn't wait for threads.
 */
export function endProcess(code: number, graceMs: number): never {
  if (process.platform !== "win32" && process.getActiveResourcesInfo().some((name) => onThreads.test(name))) {
    const kill = `sleep ${graceMs / 1_000}; kill -9 ${process.pid}`
    spawn("/bin/sh", ["-c", kill], { stdio: "ignore", detached: true, env: {} }).on("error", () => undefined)
  }
  process.exit(code)
}
