import { spawn } from "node:child_process"

/** Time for a program to exit by itself after the end of its input. */
const graceSeconds = 1

/**
 * Ends a program and everything it started when this process exits or is killed. A small shell waits for the end of its input, a pipe that
 * only this process holds. The shell is in its own process group, so signals sent to the box don't reach it. Except on Windows, the program
 * must lead a process group. Dispose of the guard after the program has exited.
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
