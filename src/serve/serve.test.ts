import { once } from "node:events"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import express from "express"
import { afterEach, expect, it } from "vitest"
import { z } from "zod"
import { json } from "../shared/contract/endpoint.ts"
import { checkAnswer, serve, type Serving } from "./serve.ts"
import { createRoutes } from "./routes.ts"

const contract = {
  read: json({
    method: "get",
    path: "/one",
    summary: "One",
    output: z.object({ inner: z.object({ name: z.string() }) }),
  }),
}

let server: Server
/** The error of the last refused request. */
let refused: unknown
afterEach(() => void server.close())

async function ask(answer: unknown): Promise<Response> {
  refused = undefined
  const serving: Serving<string> = {
    admit: () => Promise.resolve("ann"),
    readJson: () => Promise.resolve({}),
    send: async (_request, response, schema, value) => void response.json(checkAnswer(schema, value)),
    refuse(_request, response, error) {
      refused = error
      response.status(500).end()
    },
  }
  const app = express()
  const routes = createRoutes()
  app.use(routes.handle)
  serve(routes, contract, { read: () => answer as { inner: { name: string } } }, serving)
  server = app.listen(0, "127.0.0.1")
  await once(server, "listening")
  return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/one`)
}

// Catches a column that a feature reads unnecessarily, such as a hash, and that is sent with the rest.
it("sends nothing that its contract doesn't declare", async () => {
  const answer = await ask({ inner: { name: "Ann", hash: "secret" }, other: 1 })
  expect(await answer.json()).toEqual({ inner: { name: "Ann" } })
})

// Catches a server error that is reported as an error in the request.
it("treats a response that doesn't match its contract as a server error", async () => {
  await ask({ inner: { name: 1 } })
  expect(refused).toBeInstanceOf(Error)
  expect(refused).not.toBeInstanceOf(z.ZodError)
})
