// The floors of bench/requests.ts, in a process set up like the box's. One server sends a prepared answer through the box's stack (Express,
// guard, a key looked up in a database, the contract); the other uses only node:http. Accepts a data directory and a file with the answer;
// prints the addresses and a key.
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { openSqlite } from "../../src/box/core/database/sqlite/open-sqlite.ts"
import { silentLogger } from "../../src/box/core/logging/logger.ts"
import { reexecWithMemoryFlags, optimiseForRunning } from "../../src/box/core/process/memory-flags.ts"
import { createKeys } from "../../src/box/features/accounts/keys.ts"
import { createPeople } from "../../src/box/features/accounts/people.ts"
import { createAuthenticate, createDownloadTickets } from "../../src/box/http/authenticate.ts"
import { createGuard } from "../../src/box/http/guard.ts"
import { createApp, createHttpServer } from "../../src/box/http/http-server.ts"
import { createLiveConnections } from "../../src/box/http/live-connections.ts"
import { serve } from "../../src/box/http/serve.ts"
import { databasePath } from "../../src/box/start/open-data.ts"
import { createRoutes } from "../../src/serve/routes.ts"
import { bytes, json } from "../../src/shared/contract/endpoint.ts"
import { folders } from "../../src/shared/contract/folders.ts"

const { output } = folders.list
const contract = {
  bytes: bytes({ method: "get", path: "/bytes", summary: "Bytes", mediaType: "application/json" }),
  value: json({ method: "get", path: "/value", summary: "A value of the contract", output }),
} as const

reexecWithMemoryFlags()
const [dataDir = "", file = ""] = process.argv.slice(2)
const ready = readFileSync(file)
const value = output.parse(JSON.parse(ready.toString()))

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return (server.address() as AddressInfo).port
}

async function openStack() {
  const { db, state } = openSqlite(databasePath(dataDir))
  const keys = createKeys(db, () => undefined, state)
  const owner = await createPeople(db).ensureOwner()
  const routes = createRoutes()
  const server = createHttpServer(createApp(() => guard, silentLogger, [routes.handle]))
  const port = await listen(server)
  const guard = createGuard({
    port,
    allowedHosts: () => [],
    openAddresses: () => [],
    allowedOrigins: () => [],
  })
  const authenticate = createAuthenticate({
    store: { callerOfKey: (key) => keys.callerOfKey(key), findSession: () => Promise.resolve(null) },
    guard,
    tickets: createDownloadTickets(),
    forwardingToken: null,
    port,
  })
  const handlers = {
    value: () => value,
    bytes: async ({
      response,
    }: {
      response: { setHeader(name: string, is: string): void; end(all: Buffer): void }
    }) => {
      response.setHeader("content-type", "application/json; charset=utf-8")
      response.end(ready)
    },
  }
  serve(routes, contract, handlers, { authenticate, live: createLiveConnections(), logger: silentLogger })
  return { port, key: (await keys.create(owner?.id ?? "", { name: "Bench" })).key }
}

const { port, key } = await openStack()
const bare = createServer((_request, response) => {
  response.setHeader("content-type", "application/json; charset=utf-8")
  response.end(ready)
})
const barePort = await listen(bare)
optimiseForRunning()
const address = (of: number) => `http://127.0.0.1:${String(of)}`
process.stdout.write(`${JSON.stringify({ url: address(port), bare: address(barePort), key })}\n`)
