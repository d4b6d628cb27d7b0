// The floor of bench/notifications.ts: a bare HTTP server that stores each post in one row, as durably as the box, without checks, counts
// or listeners. Prints its address.
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import SqliteDatabase from "better-sqlite3"

const sqlite = new SqliteDatabase(process.argv[2] ?? "")
sqlite.pragma("journal_mode = WAL")
sqlite.pragma("synchronous = FULL")
sqlite.exec("CREATE TABLE posts (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT")
const insert = sqlite.prepare("INSERT INTO posts (body) VALUES (?)")

const server = createServer((request, response) => {
  let text = ""
  request.setEncoding("utf8")
  request.on("data", (chunk: string) => (text += chunk))
  request.on("end", () => {
    const body = JSON.stringify(JSON.parse(text))
    insert.run(body)
    response.writeHead(201, { "content-type": "application/json" }).end(body)
  })
})
server.listen(0, "127.0.0.1")
await once(server, "listening")
process.stdout.write(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}\n`)
