import { mkdirSync, rmSync } from "node:fs"
import { temporaryPath } from "./data-layout.ts"

/**
 * Lets this process, the libraries in it and its children keep their temporary files in the data directory, because
 * they hold parts of documents, and stay when a process is killed. Windows has a directory for each user anyway.
 */
export function keepTemporaryFiles(dataDir: string): void {
  process.env["TMPDIR"] = temporaryPath(dataDir)
}

/** Removes what a killed box left. Only for whoever holds the data directory's lock. */
export function emptyTemporaryFiles(dataDir: string): void {
  rmSync(temporaryPath(dataDir), { recursive: true, force: true, maxRetries: 3 })
  mkdirSync(temporaryPath(dataDir), { mode: 0o700 })
}
