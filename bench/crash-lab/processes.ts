import { readFileSync } from "node:fs"
import { childEntries, childPath, type ChildEntry } from "../../src/box/core/children/child.ts"

/** A process that a box started, itself or through another one (Linux; elsewhere none are seen). */
export interface ChildProcess {
  pid: number
  /** When it began, in the system's ticks: another process may get its number. */
  began: string
  /** Null for those that aren't the box's own program. */
  kind: ChildEntry | null
}

/** Everything below a process. */
export function descendants(pid: number): ChildProcess[] {
  const children = text(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number)
  return children.flatMap((child) => [
    { pid: child, began: beginning(child), kind: kindOf(child) },
    ...descendants(child),
  ])
}

export const isAlive = ({ pid, began }: ChildProcess): boolean =>
  began !== "" && beginning(pid) === began && !/^State:\s+Z/m.test(text(`/proc/${pid}/status`))

function kindOf(pid: number): ChildEntry | null {
  const command = text(`/proc/${pid}/cmdline`)
  // What starts a walled child names it too, but doesn't run it.
  if (!/(^|\/)node\b/.test(command.split("\0")[0] ?? "")) return null
  return childEntries.find((entry) => command.includes(childPath(entry))) ?? null
}

/** The 22nd field of `stat`; the second one, a name in brackets, may hold spaces. */
const beginning = (pid: number) =>
  text(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, "")
    .split(" ")[19] ?? ""

function text(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return "" // it has ended
  }
}
