import { once } from "node:events"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import express, { Router, type Express, type RequestHandler } from "express"
import { afterEach, expect, it } from "vitest"
import type { Method } from "../shared/contract/endpoint.ts"
import { createRoutes } from "./routes.ts"

const paths: [Method, string][] = [
  ["get", "/api/list"],
  ["post", "/api/list"],
  ["post", "/api/list/search"],
  ["get", "/api/list/:id"],
  ["patch", "/api/list/:id"],
  ["get", "/api/list/first"],
  ["delete", "/api/list/:id/parts/:part"],
  ["get", "/api/:kind/newest"],
  ["get", "/"],
]

const servers: Server[] = []
afterEach(() => servers.splice(0).forEach((server) => server.close()))

async function listen(app: Express): Promise<string> {
  app.disable("etag")
  app.use((_request, response) => void response.status(404).send("passed on"))
  const refuse: express.ErrorRequestHandler = (error, _request, response, _next) =>
    void response.status(400).send((error as Error).name)
  app.use(refuse)
  const server = app.listen(0, "127.0.0.1")
  servers.push(server)
  await once(server, "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const handlerFor =
  (path: string): RequestHandler =>
  (request, response) =>
    void response.json({ path, params: request.params })

// Catches an address that leads to another endpoint than in Express's own router, such as one with other access rights.
it("finds the same routes as Express's router", async () => {
  const [mine, itsOwn] = [createRoutes(), Router({ caseSensitive: true })]
  for (const [method, path] of paths) {
    mine.add(method, path, handlerFor(path))
    itsOwn[method](path, handlerFor(path))
  }
  const [here, there] = await Promise.all(
    [mine.handle, itsOwn].map((routes) => listen(express().use(routes))),
  )
  const plain =
    "/ // /api /api/ /api/list /api/list/ /api/list// //api/list /API/list /api//newest /x /?x /api/list#x"
  const deep =
    "/api/list/first /api/list/search /api/list/search/ /api/list/1?a=b /api/other/newest /api/list/newest /api/list/1/2"
  const parts = "/api/list/1/parts/2 /api/list/1/parts/ /api/list//parts/2"
  const encoded = "/api/list/%2F /api/list/a%20b /api/%6Cist /api/list/:id /api/list/; /api/list/%00"
  const hostile = "/api/list/__proto__ /api/list/..%2f.. /api/list/%2e%2e"
  const addresses = ["", ...[plain, deep, parts, encoded, hostile].join(" ").split(" ")]
  for (const address of addresses) {
    for (const method of ["GET", "HEAD", "POST", "PATCH", "DELETE", "PUT"]) {
      const [own, express] = await Promise.all([here, there].map((base) => fetch(base + address, { method })))
      expect(own?.status, `${method} ${address}`).toBe(express?.status)
      expect(await own?.text(), `${method} ${address}`).toBe(await express?.text())
    }
  }
})

// Catches an invalid address that is reported as the server's own error.
it("refuses an address that isn't percent-encoded text", async () => {
  const routes = createRoutes()
  routes.add("get", "/api/list/:id", handlerFor("/api/list/:id"))
  const answer = await fetch(`${await listen(express().use(routes.handle))}/api/list/%E0%A4%A`)
  expect([answer.status, await answer.text()]).toEqual([400, "URIError"])
})

// Catches a path that doesn't report its methods.
it("lists the methods of an address", async () => {
  const routes = createRoutes()
  for (const [method, path] of paths) routes.add(method, path, handlerFor(path))
  const url = await listen(express().use(routes.handle))
  const methods = async (path: string) =>
    (await fetch(url + path, { method: "OPTIONS" })).headers.get("allow")
  expect(await methods("/api/list/1")).toBe("GET, HEAD, PATCH")
  expect(await methods("/api/list/search")).toBe("GET, HEAD, PATCH, POST")
  expect(await methods("/nothing")).toBeNull()
})
