const candidates = [",", ";", "\t", "|"]
const usual: Record<string, string> = { ".tsv": "\t", ".tab": "\t", ".psv": "|" }
const sampleLines = 20

/** Excel's own notation for the delimiter, on the first line. */
export const separatorLine = /^sep=.?$/i

/** Returns the delimiter that splits most of the first lines into the same number of cells. More cells are preferred. */
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
