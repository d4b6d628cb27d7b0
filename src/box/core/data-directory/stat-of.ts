import { type BigIntStats, statSync } from "node:fs"

/** "unknown" where the system doesn't say, as in a directory that was closed or on a drive that fails for a moment. */
export function statOf(path: string): BigIntStats | undefined | "unknown" {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return "unknown"
  }
}
