const fence = /^ {0,3}(```+|~~~+)/
const delimiterRow = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/

/** Returns the tables in a Markdown text, exactly as written. Tables inside code are ignored. */
export function findTables(markdown: string): string[] {
  const lines = markdown.split("\n")
  const tables: string[] = []
  let open: string | undefined
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ""
    const marker = fence.exec(line)?.[1]
    if (open !== undefined) {
      if (marker?.startsWith(open)) open = undefined
      continue
    }
    open = marker
    const next = lines[at + 1] ?? ""
    if (open !== undefined || !line.includes("|") || !next.includes("-") || !delimiterRow.test(next)) continue
    let end = at + 2
    while (end < lines.length && lines[end]?.includes("|")) end++
    tables.push(lines.slice(at, end).join("\n"))
    at = end - 1
  }
  return tables
}
