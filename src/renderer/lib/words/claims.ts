/** A claim is the text before a citation: its last sentence, or a table cell. */
const citations = /\[\d{1,4}\](?!\()/g

/** Returns the claims that a text makes with `[number]` as their source, without citation marks. */
export function findClaims(text: string, number: number): string[] {
  const mark = `[${number}]`
  const claims = text
    .split("\n")
    .filter((line) => line.includes(mark))
    .flatMap((line) => line.split(mark).slice(0, -1).map(lastClaim))
  return [...new Set(claims)].filter((claim) => claim !== "")
}

function lastClaim(before: string): string {
  const plain = before
    .replaceAll(citations, "")
    .replace(/^\s*(?:>|[-*+]|\d+[.)]|#+)\s+/, "")
    .trim()
  // A quotation is a single claim, however many sentences it has.
  if (/^\s*>/.test(before)) return plain
  const cells = plain.split("|").filter((cell) => cell.trim() !== "")
  if (plain.startsWith("|")) return (cells.at(-1) ?? "").trim()
  const sentences = Array.from(new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(plain))
  return (sentences.at(-1)?.segment ?? "").trim()
}
