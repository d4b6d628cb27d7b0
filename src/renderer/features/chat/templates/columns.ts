/** Maximum that the box accepts. */
export const maxColumns = 12
const longest = 60

/** Adds the typed columns, separated by commas, semicolons or line breaks. Each name is added only once. */
export function addColumns(columns: readonly string[], typed: string): string[] {
  const names = typed.split(/[,;\n]/).map((name) => Array.from(name.trim()).slice(0, longest).join("").trim())
  return [...new Set([...columns, ...names.filter((name) => name !== "")])].slice(0, maxColumns)
}
