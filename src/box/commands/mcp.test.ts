import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Client as BoxClient } from "../../shared/client/http-client.ts"
import { runCommand } from "../testing/box-process.ts"
import { callTool } from "../testing/mcp-client.ts"
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
  // Would catch: a bridge that other programs can't start, or that leaves a key behind when they end it.
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

  // Would catch: a bridge with more rights than the key it was given.
  it("may do what a given key may", async () => {
    const { key } = await owner.keys.create({ body: { name: "Reader", scopes: ["read-only"] } })
    const client = await connect("--key", key)
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("ask")
    expect((await callTool(client, "list_folders")).data).toEqual({ folders: [] })
    await client.close()
  })

  // Would catch: progress that gets lost on the way, and an answer that is written on when its program has gone.
  it("passes progress on, and stops what is asked when its program goes away", async () => {
    const client = await connect()
    const told: string[] = []
    const onprogress = ({ message }: { message?: string | undefined }) => void told.push(message ?? "")
    const ask = (question: string) =>
      client.callTool({ name: "ask", arguments: { question } }, { onprogress })
    speak = async () => {
      await waitFor(() => expect(told.length).toBeGreaterThan(0)) // the library drops progress that arrives together with the answer
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

  // Would catch: a program that waits for ever for a box that isn't there, or for a key that isn't valid.
  it("says so when no box runs, and answers what it can't pass on with an error", async () => {
    const empty = await mkdtemp(join(tmpdir(), "casella-mcp-"))
    const outcome = await runCommand("mcp", "--data", empty)
    expect(outcome).toMatchObject({ code: 1, stdout: "" })
    expect(outcome.stderr).toContain("isn't running")
    await rm(empty, { recursive: true, force: true })
    await expect(connect("--key", "box_wrong")).rejects.toThrow(/API key/)
  })
})
