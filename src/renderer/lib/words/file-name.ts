const maxNameLength = 100

/**
 * Makes a file name without extension from a title that every operating system accepts; `otherwise` if nothing in the title can be used.
 */
export function toFileName(title: string, otherwise: string): string {
  const bare = title
    // oxlint-disable-next-line no-control-regex -- they are what has to go
    .replaceAll(/[\u0000-\u001f\u007f<>:"/\\|?*]/g, " ")
    .replaceAll(/\s+/g, " ")
    .slice(0, maxNameLength)
    .toWellFormed()
    .replaceAll(/^[. ]+|[. ]+$/g, "")
  const reserved = /^(con|prn|aux|nul|com\d|lpt\d)$/i.test(bare)
  return bare === "" || reserved ? otherwise : bare
}
