import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs"
import { dirname } from "node:path"

const maxLogBytes = 1_000_000

/** Writes lines to `desktop.log` synchronously, because the program may end at any moment. Keeps one older file. */
export function createDesktopLog(path: string): (message: string) => void {
  return (message) => {
    process.stderr.write(`${message}\n`)
    try {
      mkdirSync(dirname(path), { recursive: true })
      if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) renameSync(path, `${path}.1`)
      appendFileSync(path, `${new Date().toISOString()} ${message}\n`)
    } catch (error) {
      process.stderr.write(`The log can't be written: ${String(error)}\n`)
    }
  }
}
