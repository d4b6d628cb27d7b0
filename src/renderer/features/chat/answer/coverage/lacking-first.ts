import { isWhole, type CoveredFile } from "../../../../../shared/coverage.ts"

/** Sorts files that weren't read, or not completely, to the top. */
export const lackingFirst = (files: readonly CoveredFile[]): CoveredFile[] => [
  ...files.filter((file) => !isWhole(file)),
  ...files.filter(isWhole),
]
