import type { CoverageSummary } from "./contract/box-news.ts"
import type { Coverage } from "./contract/chat.ts"

export type CoveredFile = Coverage["files"][number]

export const isWhole = ({ read, of, skipped }: CoveredFile): boolean => skipped === null && read >= of

/** Summarises how much of all files was read. */
export function summariseCoverage(files: readonly CoveredFile[]): CoverageSummary {
  const amounts = new Map<CoveredFile["unit"], { read: number; of: number }>()
  for (const { read, of, unit } of files) {
    const sum = amounts.get(unit) ?? { read: 0, of: 0 }
    amounts.set(unit, { read: sum.read + read, of: sum.of + of })
  }
  const lacking = files.filter((file) => !isWhole(file))
  const skipped = lacking.filter(({ read }) => read === 0).length
  return {
    // In the order in which the units first occur.
    amounts: [...amounts].flatMap(([unit, sum]) => (sum.of > 0 ? [{ unit, ...sum }] : [])),
    files: files.length,
    skipped,
    partly: lacking.length - skipped,
  }
}
