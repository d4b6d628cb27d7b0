import type { FileEntry } from "../../../../shared/contract/files.ts"

/** Whether the file has cells that a character separates. */
export const hasCells = ({ name }: Pick<FileEntry, "name">): boolean => /\.(csv|tsv|tab|psv)$/i.test(name)

const doubtful = new Set(["encoding_doubtful", "characters_damaged", "rows_repaired"])

/** Whether it is doubtful how a file is to be read, or someone has chosen that. */
export const mayReadOtherwise = (file: FileEntry): boolean =>
  hasCells(file) || file.readAs != null || (file.reasons ?? []).some(({ code }) => doubtful.has(code))
