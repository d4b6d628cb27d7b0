import { AppError } from "../../../shared/contract/errors.ts"

/** What the system and SQLite answer when there is no room, or no inode, left. SQLite's last two: for its shared memory, for a file. */
const codes = new Set(["ENOSPC", "EDQUOT", "SQLITE_FULL", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_SHMMAP"])

/** Whether something failed because the disk is full, so that it works again once there is room. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as Error & { code?: string }
  return error instanceof AppError ? error.code === "disk_full" : code !== undefined && codes.has(code)
}
