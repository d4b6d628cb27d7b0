import { readFileSync } from "node:fs"
import { childEntries, childPath, type ChildEntry } from "../../src/box/core/children/child.ts"

/** A process that a box started, directly or through another one (Linux; none are found elsewhere). */
export interface ChildProcess {
  pid: number
  /** Start time in system ticks, because another process may get the same pid. */
  began: string
  /** Null for processes that aren't the box's own program. */
  kind: ChildEntry | null
}

/** All descendants of a process. */
export function descendants(pid: number): ChildProcess[] {
  const children = text(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number)
  return children.flatMap((child) => [
    { pid: child, began: getStartTime(child), kind: getKind(child) },
    ...descendants(child),
  ])
}

export const isAlive = ({ pid, began }: ChildProcess): boolean =>
  began !== "" && getStartTime(pid) === began && !/^State:\s+Z/m.test(text(`/proc/${pid}/status`))

function getKind(pid: number): ChildEntry | null {
  const command = text(`/proc/${pid}/cmdline`)
  // The launcher of a sandboxed child names it too, but doesn't run it.
  if (!/(^|\/)node\b/.test(command.split("\0")[0] ?? "")) return null
  return childEntries.find((entry) => command.includes(childPath(entry))) ?? null
}

/** The 22nd field of `stat`. The second one, a name in brackets, may contain spaces. */
const getStartTime = (pid: number) =>
  text(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, "")
    .split(" ")[19] ?? ""

function text(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return "" // the process has ended
  }
}
