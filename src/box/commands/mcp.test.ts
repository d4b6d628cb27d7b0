import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Client as BoxClient } from "../../shared/client/http-client.ts"
import { runCommand } from "../testing/box-process.ts"
import { callTool } from "../testing/clients.ts"
import { startTestBox, type TestBox } from "../testing/test-box.ts"
import { startModelServer, type ModelServer, type Round } from "../testing/model-servers/model-server.ts"
import { waitFor } from "../../shared/testing/wait-for.ts"
import { builtProgram } from "../../shared/testing/built-program.ts"

const cli = builtProgram("cli")

let model: ModelServer
let speak: (() => Promise<Round>) | undefined
let box: TestBox
let owner: BoxClient
beforeEach(async () => {
  speak = undefined
  model = await startModelServer(() => speak?.() ?? { text: "Yes." })
  box = await startTestBox({ model: model.baseUrl })
  owner = box.client
})
afterEach(async () => {
  await box[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

async function connect(...flags: string[]) {
  const args = [cli, "mcp", "--data", box.dataDir, ...flags]
  const transport = new StdioClientTransport({ command: process.execPath, args, stderr: "pipe" })
  const client = new Client({ name: "test", version: "1" })
  await client.connect(transport)
  return client
}
const keyNames = async () => (await owner.keys.list()).keys.map(({ name }) => name)

describe("mcp", () => {
  // Catches a bridge that other programs can't start, or that leaves a key behind when they end it.
  it("acts for the local owner without a key, and leaves none behind", async () => {
    const client = await connect()
    expect(client.getServerVersion()).toMatchObject({ name: "casella" })
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("ask")
    const { data } = await callTool(client, "notify", { title: "Over stdio" })
    expect((await owner.notifications.read({ params: { id: (data as { id: string }).id } })).title).toBe(
      "Over stdio",
    )
    await client.close()
    await waitFor(async () => expect(await keyNames()).toEqual(["First run"]))
  })

  // Catches a bridge with more rights than its key.
  it("has the rights of a given key", async () => {
    const { key } = await owner.keys.create({ body: { name: "Reader", scopes: ["read-only"] } })
    const client = await connect("--key", key)
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("ask")
    expect((await callTool(client, "list_folders")).data).toEqual({ folders: [] })
    await client.close()
  })

  // Catches progress that is lost in the bridge, and an answer that continues after its program has gone.
  it("forwards progress, and stops requests when their program ends", async () => {
    const client = await connect()
    const printed: string[] = []
    const onprogress = ({ message }: { message?: string | undefined }) => void printed.push(message ?? "")
    const ask = (question: string) =>
      client.callTool({ name: "ask", arguments: { question } }, { onprogress })
    speak = async () => {
      await waitFor(() => expect(printed.length).toBeGreaterThan(0)) // the library drops progress that arrives together with the answer
      return { text: "Yes." }
    }
    expect((await ask("Really?")).structuredContent).toMatchObject({ answer: "Yes." })
    const asked = Promise.withResolvers<void>()
    speak = () => {
      asked.resolve()
      return new Promise<Round>(() => {})
    }
    const left = expect(ask("Who goes?")).rejects.toThrow()
    await asked.promise
    speak = undefined
    await client.close()
    await left
    await waitFor(async () => {
      const { chats } = await owner.conversations.list({ query: { search: "Who goes" } })
      const { chat } = await owner.conversations.read({ params: { id: chats[0]?.id ?? "" } })
      expect(chat.messages.at(-1)).toMatchObject({ role: "assistant", finishReason: "aborted" })
    })
  })

  // Catches a program that waits for ever for a box that isn't running, or with an invalid key.
  it("reports that no box is running, and returns an error for messages it can't forward", async () => {
    const empty = await mkdtemp(join(tmpdir(), "casella-mcp-"))
    const outcome = await runCommand("mcp", "--data", empty)
    expect(outcome).toMatchObject({ code: 1, stdout: "" })
    expect(outcome.stderr).toContain("isn't running")
    await rm(empty, { recursive: true, force: true })
    await expect(connect("--key", "box_wrong")).rejects.toThrow(/API key/)
  })
})
