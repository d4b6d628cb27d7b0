import { existsSync } from "node:fs"
import { rm, writeFile } from "node:fs/promises"
import { missingChangesPath } from "../data-layout.ts"
import { syncDirectory } from "../files/durable-file.ts"

/** Whether some of what was stored last may be missing, which its owner wasn't told of yet. */
export const areChangesMissing = (dataDir: string): boolean => existsSync(missingChangesPath(dataDir))

export async function noteMissingChanges(dataDir: string): Promise<void> {
  await writeFile(missingChangesPath(dataDir), "")
  await syncDirectory(dataDir)
}

/** Once its owner was told. */
export const forgetMissingChanges = (dataDir: string): Promise<void> =>
  rm(missingChangesPath(dataDir), { force: true })
