import { type BigIntStats, statSync } from "node:fs"

/** Returns "unknown" if the system reports an error, for example for an inaccessible directory or a drive that fails for a moment. */
export function getStat(path: string): BigIntStats | undefined | "unknown" {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return "unknown"
  }
}
