/**
 * Parses a line that starts a block in a model's input: "[3] text", or a table row. Returns null for any other line, such as a
 * continuation.
 */
export function blockLine(line: string): { number: string; text: string } | null {
  const [, number, text] = /^\[?(\d+)(?:\] |\t)(.*)$/.exec(line) ?? []
  return number === undefined || text === undefined ? null : { number, text }
}
