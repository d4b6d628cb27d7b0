import type { FileEntry } from "../../../../shared/contract/files.ts"

/** The file's own date, not when it was indexed. */
export const getFileDate = ({ modifiedAt, createdAt }: FileEntry) => modifiedAt ?? createdAt
