import { Completeness, FileStatus } from "../../../../shared/contract/files.ts"

/** The states by which the list of files can be narrowed. */
export const fileStateFilters = [...FileStatus.options, ...Completeness.options] as const
