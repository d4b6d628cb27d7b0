import type { Coverage } from "../../../../../shared/contract/chat.ts"

export type CoveredFile = Coverage["files"][number]

interface CoverageSummary {
  /** By unit, in the order in which the units come first. */
  amounts: Pick<CoveredFile, "read" | "of" | "unit">[]
  /** Files of which nothing was read, and those of which not all was. */
  skipped: number
  partly: number
}

const isWhole = ({ read, of, skipped }: CoveredFile): boolean => skipped === null && read >= of

/** How much was read of all files together. */
export function summariseCoverage(files: readonly CoveredFile[]): CoverageSummary {
  const amounts = new Map<CoveredFile["unit"], { read: number; of: number }>()
  for (const { read, of, unit } of files) {
    const sum = amounts.get(unit) ?? { read: 0, of: 0 }
    amounts.set(unit, { read: sum.read + read, of: sum.of + of })
  }
  const lacking = files.filter((file) => !isWhole(file))
  const skipped = lacking.filter(({ read }) => read === 0).length
  return {
    amounts: [...amounts].flatMap(([unit, sum]) => (sum.of > 0 ? [{ unit, ...sum }] : [])),
    skipped,
    partly: lacking.length - skipped,
  }
}

/** What wasn't read, or not whole, comes first. */
export const lackingFirst = (files: readonly CoveredFile[]): CoveredFile[] => [
  ...files.filter((file) => !isWhole(file)),
  ...files.filter(isWhole),
]
