import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { tickets } from "../../../shared/contract/tickets.ts"
import type { Handlers } from "../../http/serve.ts"
import type { CreateTicket } from "./create-ticket.ts"
import { csvLines } from "./csv.ts"
import type { Queue } from "./queue.ts"

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
