import { execFile } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { promisify } from "node:util"
import { expect, it } from "vitest"

const attempts = [
  `(await import("node:net")).connect(PORT, "127.0.0.1")`,
  `new (await import("node:net")).Socket().connect(PORT, "127.0.0.1")`,
  `(await import("node:tls")).connect(PORT, "127.0.0.1")`,
  `(await import("node:http")).get("http://127.0.0.1:PORT/")`,
  `(await import("node:https")).get("https://127.0.0.1:PORT/")`,
  `(await import("node:http2")).connect("http://127.0.0.1:PORT/")`,
  `await fetch("http://127.0.0.1:PORT/")`,
  `new WebSocket("ws://127.0.0.1:PORT/")`,
  `await (await import("undici")).request("http://127.0.0.1:PORT/")`,
  `(await import("node:dgram")).createSocket("udp4").send("x", PORT, "127.0.0.1")`,
  `(await import("node:dns")).lookup("localhost", () => undefined)`,
  `await (await import("node:dns/promises")).resolve4("localhost")`,
  `const { lookup } = await import("node:dns"); lookup("localhost", () => undefined)`,
]

// Catches a hostile document or file that makes a parser or a model's process connect.
it.each(attempts)("refuses %s", async (attempt) => {
  let reached = 0
  const server = createServer((socket) => {
    reached++
    socket.destroy()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const script = `
    await import(${JSON.stringify(new URL("./without-network.ts", import.meta.url).href)})
    try { ${attempt.replaceAll("PORT", String(port))} } catch (error) { console.log(error.message, error.cause?.message) }`
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
    cwd: import.meta.dirname,
  }).catch((error: { stdout: string; stderr: string }) => ({ stdout: error.stdout + error.stderr }))
  expect(stdout).toMatch(/This process has no network|is not defined/)
  expect(reached).toBe(0)
  server.close()
})
