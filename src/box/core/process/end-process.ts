import { spawn } from "node:child_process"

/** What Node does on threads of its own that the system may keep waiting: files and looking up names. */
const onThreads = /^(FSReq|GetAddrInfo)/

/**
 * Ends this process with `code`. Node waits for threads that are in the midst of a read, as on a network drive that hangs: who
 * is still there after `graceMs` is killed, and then there is no code. Windows itself waits for no thread.
 */
export function endProcess(code: number, graceMs: number): never {
  if (process.platform !== "win32" && process.getActiveResourcesInfo().some((name) => onThreads.test(name))) {
    const kill = `sleep ${graceMs / 1_000}; kill -9 ${process.pid}`
    spawn("/bin/sh", ["-c", kill], { stdio: "ignore", detached: true, env: {} }).on("error", () => undefined)
  }
  process.exit(code)
}
