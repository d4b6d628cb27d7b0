/** A line that begins a block in what a model is sent to read: "[3] text", or a table's row. null: it goes on with one, or is none. */
export function blockLine(line: string): { number: string; text: string } | null {
  const [, number, text] = /^\[?(\d+)(?:\] |\t)(.*)$/.exec(line) ?? []
  return number === undefined || text === undefined ? null : { number, text }
}
