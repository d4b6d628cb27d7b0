import type { ExportedTicket } from "./queue.ts"

const columns: Record<string, (ticket: ExportedTicket) => string> = {
  id: (ticket) => ticket.id,
  createdAt: (ticket) => ticket.createdAt,
  updatedAt: (ticket) => ticket.updatedAt,
  status: (ticket) => ticket.status,
  type: (ticket) => ticket.type,
  sourceApp: (ticket) => ticket.sourceApp,
  brand: (ticket) => ticket.brand ?? "",
  title: (ticket) => ticket.title,
  description: (ticket) => ticket.description,
  email: (ticket) => ticket.user.email,
  name: (ticket) => ticket.user.name,
  company: (ticket) => ticket.user.company ?? "",
  screenshot: (ticket) => (ticket.hasScreenshot ? "yes" : "no"),
  attachment: (ticket) => ticket.attachmentName ?? "",
}

/** Tickets as CSV (RFC 4180), line by line. A byte-order mark makes spreadsheets read it as UTF-8. */
export async function* csvLines(tickets: AsyncIterable<ExportedTicket>): AsyncGenerator<string> {
  yield `\uFEFF${Object.keys(columns).map(cell).join(",")}\r\n`
  for await (const ticket of tickets) {
    const cells = Object.values(columns).map((read) => cell(read(ticket)))
    yield `${cells.join(",")}\r\n`
  }
}

/**
 * Spreadsheets run cells that begin like a formula, with ASCII's or full-width characters; an apostrophe makes them text.
 * Where a language's lists are separated by semicolons, a spreadsheet may begin cells after those, after tabs and at the
 * beginnings of lines, so that formulas there are made text, too.
 */
function cell(text: string): string {
  const inert = text.replaceAll(/(^|[;\t\r\n|])([\s"']*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g, "$1'$2")
  return `"${inert.replaceAll('"', '""')}"`
}
