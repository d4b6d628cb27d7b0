import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type AddressInfo, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, test } from "vitest"
import { createClient } from "../../../shared/client/http-client.ts"
import { startBoxProcess } from "../../testing/box-process.ts"
import { startModelServer } from "../../testing/model-servers/model-server.ts"
import { scriptedServer, tool } from "../../tools/mcp/testing/mcp-servers.ts"

let stack = new AsyncDisposableStack()
afterEach(async () => {
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
})

/** A port that processes connect to. It reports how many have connected, and when all are gone. */
async function meetingPoint() {
  const sockets: Socket[] = []
  const server = createServer((socket) => sockets.push(socket.on("error", () => undefined).resume())).listen(
    0,
  )
  await once(server, "listening")
  stack.defer(() => {
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    gone: () =>
      Promise.all(sockets.filter((socket) => !socket.closed).map((socket) => once(socket, "close"))),
  }
}

// Catches a server that ignores the end of its input, and its child process, when they keep running after the box is killed or stopped.
test.each(["SIGKILL", "SIGTERM"] as const)(
  "a stubborn server and its child end with the box on %s",
  async (signal) => {
    const directory = await mkdtemp(join(tmpdir(), "casella-stubborn-"))
    stack.defer(() => rm(directory, { recursive: true, force: true }))
    const meeting = await meetingPoint()
    const scripted = scriptedServer(directory)
    await scripted.offer([tool("family")])
    const args = { text: String(meeting.port) }
    const model = stack.use(
      await startModelServer((_, round) =>
        round === 1 ? { calls: [{ name: "mcp_stubborn_family", args }] } : { text: "Done." },
      ),
    )
    const box = await startBoxProcess(join(directory, "data"), "--model", model.baseUrl)
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.firstRunKey ?? "" } })
    const { integration } = await client.integrations.add({
      body: { name: "Stubborn", target: scripted.target },
    })
    const { key, consent } = integration
    await client.integrations.link({ params: { key }, body: { consent: consent ?? "" } })
    const { assistant } = await client.assistants.create({
      body: { name: "Helper", permissionMode: "bypass", builtInTools: { [key]: true } },
    })
    const messages = [{ role: "user" as const, content: "Go." }]
    const body = { id: "c", messages, boxAddress: box.url, assistantId: assistant.id }
    const results: unknown[] = []
    for await (const event of client.chat.send({ body }))
      if (event.type === "tool-result") results.push(event.result)
    expect(results).toEqual(["here"])
    await expect.poll(() => meeting.sockets.length).toBe(2)
    await box.stop(signal)
    await meeting.gone()
  },
)
