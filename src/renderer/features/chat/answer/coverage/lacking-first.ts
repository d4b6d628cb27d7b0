import { isWhole, type CoveredFile } from "../../../../../shared/coverage.ts"

/** What wasn't read, or not whole, comes first. */
export const lackingFirst = (files: readonly CoveredFile[]): CoveredFile[] => [
  ...files.filter((file) => !isWhole(file)),
  ...files.filter(isWhole),
]
