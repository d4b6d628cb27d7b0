import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { AppError } from "../../../shared/contract/errors.ts"
import { readStored } from "../stored-json.ts"
import { lockDataDirectory } from "./instance-lock.ts"

const runFilePath = (dataDir: string) => join(dataDir, "box.json")

const RunFile = z.object({ url: z.string(), pid: z.int() })
type RunFile = z.infer<typeof RunFile>

/** Where the running box of a data directory is; null when none runs. Written for the command line. */
export function findRunningBox(dataDir: string): RunFile | null {
  if (!existsSync(dataDir)) return null
  const lock = lockDataDirectory(dataDir)
  if (lock) {
    lock[Symbol.dispose]()
    return null
  }
  const path = runFilePath(dataDir)
  if (!existsSync(path)) return null
  const found = statSync(path).isFile() ? readStored(RunFile, readFileSync(path, "utf8")) : undefined
  if (found) return found
  throw new AppError(
    "unavailable",
    `The box runs, but ${path}, which says where, is damaged. Stop the box and start it again.`,
  )
}

/** Whoever reads meanwhile sees all of it or none. */
export function writeRunFile(dataDir: string, content: RunFile): void {
  const path = runFilePath(dataDir)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) rmSync(path, { recursive: true })
  writeFileSync(`${path}.new`, JSON.stringify(content), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

export function removeRunFile(dataDir: string): void {
  rmSync(runFilePath(dataDir), { force: true })
}
