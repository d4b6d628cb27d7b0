const maxNameLength = 80
/** SQLite's name for the row number. Columns may use SQLite's other names for it. */
export const rowNumber = "_rowid_"

/** Derives column names from the headers. No name is empty, and names are unique regardless of case. */
export function columnNames(headers: readonly { column: number; words: string | undefined }[]): string[] {
  const taken = new Set([rowNumber])
  return headers.map(({ column, words = "" }) => {
    const cleaned = words
      .replaceAll("\0", "")
      .replace(/\s+/g, " ")
      .trim()
      .slice(0, maxNameLength)
      .toWellFormed()
    const wanted = cleaned === "" ? `column_${column + 1}` : cleaned
    let name = wanted
    for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${wanted}_${number}`
    taken.add(name.toLowerCase())
    return name
  })
}
