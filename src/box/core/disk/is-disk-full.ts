import { AppError } from "../../../shared/contract/errors.ts"

/** Error codes of the system and SQLite when no space or inode is left. SQLite's last two concern its shared memory and a file. */
const codes = new Set(["ENOSPC", "EDQUOT", "SQLITE_FULL", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_SHMMAP"])

/** Whether an operation failed because the disk is full, so that it will work when there is room. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as Error & { code?: string }
  return error instanceof AppError ? error.code === "disk_full" : code !== undefined && codes.has(code)
}
