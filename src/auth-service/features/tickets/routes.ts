import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { tickets } from "../../../shared/contract/tickets.ts"
import { csvLine, csvMark } from "../../../shared/words/csv.ts"
import type { Handlers } from "../../http/http-server.ts"
import type { ExportedTicket, CreateTicket, Queue } from "./tickets.ts"

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
async function* csvLines(tickets: AsyncIterable<ExportedTicket>): AsyncGenerator<string> {
  yield `${csvMark}${csvLine(Object.keys(columns))}\r\n`
  for await (const ticket of tickets) {
    const cells = Object.values(columns).map((read) => read(ticket))
    yield `${csvLine(cells)}\r\n`
  }
}

/** Routes for creating tickets, the state of the caller's own tickets, and the support queue. */
export function ticketHandlers(createTicket: CreateTicket, queue: Queue): Handlers<typeof tickets> {
  return {
    create: async ({ caller, body }) => ({ ticket: await createTicket(caller, body) }),
    mine: ({ caller, query: { externalId, ...page } }) => queue.listByUser(caller.userId, page, externalId),
    async exportCsv({ query, response }) {
      response.attachment("tickets.csv").type("text/csv")
      await pipeline(Readable.from(csvLines(queue.all(query))), response)
    },
    list: ({ query: { limit, offset, ...filter } }) => queue.list(filter, { limit, offset }),
    read: async ({ params }) => ({ ticket: await queue.read(params.id) }),
    change: async ({ params, body }) => ({ ticket: await queue.change(params.id, body.status) }),
  }
}
