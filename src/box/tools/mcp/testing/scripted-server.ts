import { readFileSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { createInterface } from "node:readline"
import { spawn } from "node:child_process"

/**
 * An MCP server over stdin and stdout whose tools a test writes to a file: `{"tools": […]}`. The file is read again for each listing, and
 * SIGUSR2 announces a change. If the file contains `next`, the server announces those tools while it returns the current ones. Tools with
 * certain names misbehave when called.
 */
const [file = ""] = process.argv.slice(2)
const say = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

interface Request {
  id?: number
  method: string
  params?: { name?: string; arguments?: unknown; protocolVersion?: string }
}

function answer({ id, method, params }: Request): void {
  if (method === "initialize") {
    const serverInfo = { name: "scripted", version: "1" }
    const capabilities = { tools: { listChanged: true } }
    say({ id, result: { protocolVersion: params?.protocolVersion, capabilities, serverInfo } })
  } else if (method === "tools/list") {
    const { tools, next } = JSON.parse(readFileSync(file, "utf8")) as { tools: object; next?: object }
    if (next) {
      writeFileSync(file, JSON.stringify({ tools: next }))
      say({ method: "notifications/tools/list_changed" })
    }
    say({ id, result: { tools } })
  } else if (method === "tools/call") call(id, params?.name ?? "", params?.arguments)
}

function call(id: number | undefined, name: string, args: unknown): void {
  const text = (text: string) => say({ id, result: { content: [{ type: "text", text }] } })
  if (name === "crash") process.exit(3)
  else if (name === "chatter")
    setInterval(() => say({ method: "notifications/message", params: { data: "x" } }), 0)
  else if (name === "flood") setInterval(() => process.stdout.write("x".repeat(1_000_000)), 0)
  else if (name === "silent") return
  else if (name === "stay") {
    setInterval(() => undefined, 1000)
    process.on("SIGTERM", () => undefined)
    text(String(process.pid))
  } else if (name === "family") {
    const port = Number((args as { text: string }).text)
    process.on("SIGTERM", () => undefined)
    connect(port).on("connect", () => text("here"))
    const child = `process.on("SIGTERM", () => undefined); require("node:net").connect(${port}).resume()`
    spawn(process.execPath, ["-e", child], { stdio: "ignore" })
  } else if (name === "environment") text(JSON.stringify(process.env))
  else if (name === "pid") text(String(process.pid))
  else text(`${name}: ${JSON.stringify(args)}`)
}

// A test sends this signal after changing the file.
if (process.platform !== "win32")
  process.on("SIGUSR2", () => say({ method: "notifications/tools/list_changed" }))

createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line) as Request
  if (request.id !== undefined) answer(request)
})
