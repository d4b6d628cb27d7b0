/** A file's modification time for uploads, in whole ms. Browsers may report fractions, and dates before 1970. */
export const getLastModified = (file: File): string => String(Math.max(0, Math.round(file.lastModified)))
