import { existsSync } from "node:fs"
import { rm, writeFile } from "node:fs/promises"
import { missingChangesPath } from "../data-layout.ts"
import { syncDirectory } from "../files/durable-file.ts"

/** Whether some of the latest changes may be missing and the owner hasn't been notified yet. */
export const areChangesMissing = (dataDir: string): boolean => existsSync(missingChangesPath(dataDir))

export async function noteMissingChanges(dataDir: string): Promise<void> {
  await writeFile(missingChangesPath(dataDir), "")
  await syncDirectory(dataDir)
}

/** Call it when the owner has been notified. */
export const forgetMissingChanges = (dataDir: string): Promise<void> =>
  rm(missingChangesPath(dataDir), { force: true })
