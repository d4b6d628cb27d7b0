import { plainLine } from "./plain-text.ts"

/** Formats the lines of a table: columns for people, tab-separated for programs. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const plain = rows.map((row) => row.map(plainLine))
  if (!process.stdout.isTTY) return plain.map((row) => row.join("\t"))
  const widths: number[] = []
  for (const row of plain)
    row.forEach((cell, index) => (widths[index] = Math.max(widths[index] ?? 0, cell.length)))
  return plain.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  )
}
