import { once } from "node:events"
import { createServer } from "node:http"
import { connect, type AddressInfo } from "node:net"
import express from "express"
import { expect, test } from "vitest"
import { createRoutes } from "../../serve/routes.ts"
import { createTraffic, type EndedRequest } from "./http-server.ts"

// Catches a disconnected client counted as answered, and a stream that is reported when its handler returns.
test("requests are reported when they end, with their outcome", async () => {
  const traffic = createTraffic()
  const held = Promise.withResolvers<void>()
  const routes = createRoutes()
  routes.add("get", "/slow/:id", () => held.resolve())
  routes.add("get", "/stream/:id", (request, response) => {
    response.write("begun")
    setImmediate(() => response.end(request.params["id"]))
  })
  const app = express().use(traffic.note, routes.handle)
  const server = createServer(app).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
  await ask("/stream/unwatched")

  const ended: EndedRequest[] = []
  const all = Promise.withResolvers<void>()
  traffic.watch((request) => {
    ended.push(request)
    if (ended.length === 3) all.resolve()
  })
  await ask("/stream/one")
  await ask("/nowhere/one")
  const leaving = connect(port, "127.0.0.1")
  leaving.write("GET /slow/one HTTP/1.1\r\nhost: box\r\n\r\n")
  await held.promise
  leaving.destroy()
  await all.promise
  server.close()
  server.closeAllConnections()
  expect(ended.map(({ method, route, status }) => [method, route, status])).toEqual([
    ["GET", "/stream/:id", 200],
    ["GET", null, 404],
    ["GET", "/slow/:id", null],
  ])
})
