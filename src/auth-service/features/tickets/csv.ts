import { csvLine, csvMark } from "../../../shared/words/csv.ts"
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

/** Yields tickets as CSV lines. */
export async function* csvLines(tickets: AsyncIterable<ExportedTicket>): AsyncGenerator<string> {
  yield `${csvMark}${csvLine(Object.keys(columns))}\r\n`
  for await (const ticket of tickets) {
    const cells = Object.values(columns).map((read) => read(ticket))
    yield `${csvLine(cells)}\r\n`
  }
}
