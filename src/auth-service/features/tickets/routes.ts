import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import express, { type Router } from "express"
import { longestTicketBytes, tickets } from "../../../shared/contract/tickets.ts"
import type { Admit } from "../../http/admit.ts"
import type { ReadJson } from "../../http/read-json.ts"
import type { Route } from "../../http/route.ts"
import type { CreateTicket } from "./create-ticket.ts"
import { csvLines } from "./csv.ts"
import type { Queue } from "./queue.ts"

const longestChange = 64 * 1024
const readQueue = { action: "read", staff: true } as const
const changeQueue = { action: "update", staff: true } as const

/** Creating tickets, the state of one's own, and the support queue. */
export function ticketRoutes(
  route: Route,
  readJson: ReadJson,
  admit: Admit,
  createTicket: CreateTicket,
  queue: Queue,
): Router {
  const router = express.Router({ caseSensitive: true })
  router.post(
    tickets.create.path,
    route(async (request, response) => {
      const caller = await admit(request, { action: "create" })
      const draft = tickets.create.body.parse(await readJson(request, response, longestTicketBytes))
      response.status(tickets.create.status).json({ ticket: await createTicket(caller, draft) })
    }),
  )
  router.get(
    tickets.mine.path,
    route(async (request, response) => {
      const caller = await admit(request, { action: "create" })
      const { externalId, ...page } = tickets.mine.query.parse(request.query)
      response.json(await queue.ofUser(caller.userId, page, externalId))
    }),
  )
  router.get(
    tickets.exportCsv.path,
    route(async (request, response) => {
      await admit(request, readQueue)
      const filter = tickets.exportCsv.query.parse(request.query)
      response.attachment("tickets.csv").type("text/csv")
      await pipeline(Readable.from(csvLines(queue.all(filter))), response)
    }),
  )
  router.get(
    tickets.list.path,
    route(async (request, response) => {
      await admit(request, readQueue)
      const { limit, offset, ...filter } = tickets.list.query.parse(request.query)
      response.json(await queue.list(filter, { limit, offset }))
    }),
  )
  router.get(
    tickets.read.path,
    route(async (request, response) => {
      await admit(request, readQueue)
      response.json({ ticket: await queue.read(String(request.params["id"])) })
    }),
  )
  router.patch(
    tickets.change.path,
    route(async (request, response) => {
      await admit(request, changeQueue)
      const { status } = tickets.change.body.parse(await readJson(request, response, longestChange))
      response.json({ ticket: await queue.change(String(request.params["id"]), status) })
    }),
  )
  return router
}
