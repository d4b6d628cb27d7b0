const longestName = 80
/** What SQLite calls the number of a row; its other names for it may be those of columns. */
export const rowNumber = "_rowid_"

/** Names of columns by what is written above them: each once, whatever its case, and none empty. */
export function columnNames(headers: readonly { column: number; words: string | undefined }[]): string[] {
  const taken = new Set([rowNumber])
  return headers.map(({ column, words = "" }) => {
    const tidy = words.replaceAll("\0", "").replace(/\s+/g, " ").trim().slice(0, longestName).toWellFormed()
    const wanted = tidy === "" ? `column_${column + 1}` : tidy
    let name = wanted
    for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${wanted}_${number}`
    taken.add(name.toLowerCase())
    return name
  })
}
