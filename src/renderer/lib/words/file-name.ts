const longestName = 100

/** A file name without its ending that every system takes, from a title; `otherwise` where that has nothing for one. */
export function fileNameOf(title: string, otherwise: string): string {
  const bare = title
    // oxlint-disable-next-line no-control-regex -- they are what has to go
    .replaceAll(/[\u0000-\u001f\u007f<>:"/\\|?*]/g, " ")
    .replaceAll(/\s+/g, " ")
    .slice(0, longestName)
    .toWellFormed()
    .replaceAll(/^[. ]+|[. ]+$/g, "")
  const reserved = /^(con|prn|aux|nul|com\d|lpt\d)$/i.test(bare)
  return bare === "" || reserved ? otherwise : bare
}
