import { access, constants, realpath, stat } from "node:fs/promises"
import { isAbsolute } from "node:path"
import { invalidField } from "../../../../shared/contract/errors.ts"
import type { BackupPlan } from "../../../../shared/contract/storage.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { isInDataDirectory } from "../../../core/data-directory/marker.ts"

/**
 * Returns the directory with its symbolic links resolved. Throws `validation` for a directory in which backups can't be stored, or that
 * would be lost together with the data.
 */
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

/** Also throws `validation` if a symbolic link has led elsewhere from the planned directory since. */
export async function requirePlanned({ directory }: Pick<BackupPlan, "directory">): Promise<void> {
  if ((await requireBackupDirectory(directory)) !== directory)
    throw invalidField("plan.directory", sentence("storage.directory_elsewhere", { directory }))
}
