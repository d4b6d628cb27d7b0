/** When a file was changed, as uploads tell it: in ms, of which browsers give parts, and dates before 1970 too. */
export const lastModifiedOf = (file: File): string => String(Math.max(0, Math.round(file.lastModified)))
