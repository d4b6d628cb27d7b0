import { spawn } from "node:child_process"

/** A program that heeds the end of its input gets this long to end by itself. */
const graceSeconds = 1

/**
 * Ends a program, and all that it started, when this process is gone, killed or not. A small shell waits for the end of
 * its input, a pipe that only this process holds; it is in a group of its own, so that nothing meant for the box reaches
 * it. Elsewhere than on Windows the program must lead a process group. Dispose of it once the program has ended.
 */
export function guardProgram(pid: number, onError: (error: Error) => void): Disposable {
  const [shell, args] = process.platform === "win32" ? windowsShell(pid) : posixShell(pid)
  const guard = spawn(shell, args, {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    windowsHide: true,
  }).on("error", onError)
  return {
    [Symbol.dispose]() {
      guard.kill("SIGKILL")
      guard.stdin.destroy()
    },
  }
}

type Shell = [command: string, args: string[]]

const posixShell = (pid: number): Shell => [
  "/bin/sh",
  ["-c", `read -r end; sleep ${graceSeconds}; kill -s KILL -- "-$1"`, "sh", String(pid)],
]

const windowsShell = (pid: number): Shell => [
  "cmd.exe",
  ["/d", "/s", "/c", `more >nul & ping -n ${graceSeconds + 1} 127.0.0.1 >nul & taskkill /f /t /pid ${pid}`],
]
