export interface DiffLine {
  kind: "same" | "added" | "removed"
  text: string
}

/** Maximum number of comparison steps. Longer texts are shown as fully removed and added. */
const maxSteps = 1_000_000

/** Returns the lines to remove and add that turn one text into the other. The longest common subsequence stays. */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const rows = before.length
  const columns = after.length
  if (rows * columns > maxSteps) return [...mark("removed", before), ...mark("added", after)]
  // lengths[i][j]: length of the longest common subsequence of `before` from i and `after` from j.
  const lengths = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1))
  const length = (i: number, j: number) => lengths[i]?.[j] ?? 0
  for (let i = rows - 1; i >= 0; i--) {
    const row = lengths[i] ?? new Uint32Array()
    for (let j = columns - 1; j >= 0; j--)
      row[j] =
        before[i] === after[j] ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1))
  }
  const lines: DiffLine[] = []
  let i = 0
  let j = 0
  while (i < rows || j < columns) {
    const [old, fresh] = [before[i], after[j]]
    if (i < rows && old === fresh) {
      lines.push({ kind: "same", text: old ?? "" })
      i++
      j++
    } else if (j >= columns || (i < rows && length(i + 1, j) >= length(i, j + 1))) {
      lines.push({ kind: "removed", text: old ?? "" })
      i++
    } else {
      lines.push({ kind: "added", text: fresh ?? "" })
      j++
    }
  }
  return lines
}

const mark = (kind: DiffLine["kind"], lines: readonly string[]) => lines.map((text) => ({ kind, text }))
