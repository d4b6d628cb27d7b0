import { access, constants, realpath, stat } from "node:fs/promises"
import { isAbsolute } from "node:path"
import { invalidField } from "../../../../shared/contract/errors.ts"
import type { BackupPlan } from "../../../../shared/contract/storage.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { isInDataDirectory } from "../../../core/data-directory/marker.ts"

/** The directory with its links followed. Throws `validation` for one that backups can't be put in, or that is lost with the data. */
export async function requireBackupDirectory(path: string): Promise<string> {
  if (!isAbsolute(path)) throw invalidField("plan.directory", sentence("storage.directory_whole_path"))
  const directory = await realpath(path).catch(() => null)
  if (directory === null || !(await stat(directory)).isDirectory())
    throw invalidField("plan.directory", sentence("storage.no_directory"))
  if (isInDataDirectory(directory))
    throw invalidField("plan.directory", sentence("storage.directory_of_data"))
  await access(directory, constants.W_OK | constants.X_OK).catch(() => {
    throw invalidField("plan.directory", sentence("storage.directory_closed"))
  })
  return directory
}

/** Throws `validation` also where the directory was planned as it is called, but a link leads elsewhere from there since. */
export async function requirePlanned({ directory }: Pick<BackupPlan, "directory">): Promise<void> {
  if ((await requireBackupDirectory(directory)) !== directory)
    throw invalidField("plan.directory", sentence("storage.directory_elsewhere", { directory }))
}
