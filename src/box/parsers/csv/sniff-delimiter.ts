const candidates = [",", ";", "\t", "|"]
const usual: Record<string, string> = { ".tsv": "\t", ".tab": "\t", ".psv": "|" }
const sampleLines = 20

/** Excel's own way to name the delimiter, in a first line of its own. */
export const separatorLine = /^sep=.?$/i

/** The delimiter that divides the first lines into the same number of cells, and into most of them. */
export function sniffDelimiter(head: string, extension: string): string {
  const named = /^sep=(.)\r?\n/i.exec(head)?.[1]
  if (named) return named
  const lines = head
    .slice(0, 16_384)
    .replace(/"(?:[^"]|"")*"/g, "")
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== "")
    .slice(0, sampleLines)
  let best = usual[extension] ?? ","
  let bestScore = 0
  for (const candidate of candidates) {
    const counts = lines.map((line) => line.split(candidate).length - 1)
    const [first = 0] = counts
    if (first === 0) continue
    const agreeing = counts.filter((count) => count === first).length
    const score = agreeing * 100 + Math.min(first, 99) + (candidate === usual[extension] ? 1000 : 0)
    if (score > bestScore) [best, bestScore] = [candidate, score]
  }
  return best
}
