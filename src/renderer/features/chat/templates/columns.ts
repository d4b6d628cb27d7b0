/** As many as the box takes. */
export const mostColumns = 12
const longest = 60

/** The columns with those that were typed, separated by commas; each name once. */
export function addColumns(columns: readonly string[], typed: string): string[] {
  const names = typed.split(/[,;\n]/).map((name) => Array.from(name.trim()).slice(0, longest).join("").trim())
  return [...new Set([...columns, ...names.filter((name) => name !== "")])].slice(0, mostColumns)
}
