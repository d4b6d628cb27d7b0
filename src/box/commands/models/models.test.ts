import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { basename } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { runCommand, runCommandWith } from "../../testing/box-process.ts"
import { testModelPath } from "../../testing/chat-server.ts"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"

const key = "sk-secret"

let box: TestBox
const server = createServer(({ headers }, response) => {
  if (headers.authorization !== `Bearer ${key}`) return void response.writeHead(401).end()
  response.end(JSON.stringify({ data: [{ id: "large" }, { id: "sm\u001b[2Jall" }] }))
})
const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`

beforeAll(async () => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(async () => {
  box = await startTestBox()
})
afterEach(() => box[Symbol.asyncDispose]())

const models = (...args: string[]) => runCommand("models", ...args, "--data", box.dataDir)
const addServer = () => box.client.modelServers.add({ body: { name: "Right", url: url(), apiKey: key } })

describe("models", () => {
  // Catches a model that can't be added, found or chosen by name, and a mark at the wrong model.
  it("adds a file, lists it, and chooses it by name", async () => {
    expect((await models("list")).stderr).toContain("There are no models yet")
    expect(await models("add", testModelPath())).toMatchObject({ code: 0 })
    const name = basename(testModelPath(), ".gguf")
    expect((await models("use", name.slice(0, 8))).stderr).toContain(`Did you mean "${name}"`)
    expect(await models("use", name)).toMatchObject({ code: 0, stdout: `${name} answers from now on.\n` })
    expect((await models("list")).stdout).toMatch(new RegExp(`^\\*\t${name}\tthis computer\tchat\t`))
  })

  // Catches a key in the arguments, which every user of the computer can see, and one that is printed.
  it("adds a server whose key is piped in or in the environment", async () => {
    const add = ["models", "add", "--server", url(), "--data", box.dataDir]
    const wrong = await runCommandWith({ env: { CASELLA_SERVER_KEY: "sk-wrong" } }, ...add, "--name", "Wrong")
    expect(wrong.stderr).toContain("Wrong rejected the key. Change it in Settings › Model servers.")
    const piped = await runCommandWith({ input: `${key}\n` }, ...add, "--name", "Right", "--key-from-stdin")
    expect(piped).toMatchObject({ code: 0, stderr: "" })
    expect(piped.stdout).not.toContain(key)
    const { servers } = await box.client.modelServers.list()
    expect(servers.map(({ name, state }) => [name, state])).toEqual([
      ["Wrong", "unauthorized"],
      ["Right", "reachable"],
    ])
    expect((await models("use", "large")).code).toBe(0)
    expect((await models("list")).stdout).toMatch(/^\*\tlarge\tRight\t/m)
  })

  // Catches a server whose model names clear the user's terminal.
  it("makes control characters in servers' model names harmless", async () => {
    await addServer()
    expect((await models("use", "large")).code).toBe(0)
    const { stdout } = await models("list")
    // oxlint-disable-next-line no-control-regex -- what a terminal would obey
    expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
    const listed = JSON.parse((await models("list", "--json")).stdout) as { name: string; usedAs: string }[]
    expect(listed.find(({ usedAs }) => usedAs === "chat")?.name).toBe("large")
  })

  it("reports errors in one sentence, with an exit status", async () => {
    await addServer()
    const attempts: [string[], number, string][] = [
      [["add"], 2, "--server URL"],
      [["add", "--server", "nonsense"], 2, "isn't an address"],
      [["add", "--server", url(), "--key-from-stdin"], 2, "No key was piped in"],
      [["add", "/nowhere/model.gguf"], 1, "There is no file"],
      [["add", "no-such-model"], 1, "isn't in the catalogue"],
      [["use", "nothing"], 1, "Did you mean"],
      [["use"], 2, "Usage"],
      [["fly"], 2, "There is no command"],
    ]
    for (const [args, code, words] of attempts) {
      const outcome = await models(...args)
      expect(outcome, args.join(" ")).toMatchObject({ code, stdout: "" })
      expect(outcome.stderr).toContain(words)
      expect(outcome.stderr).not.toMatch(/^\s+at /m)
    }
  })
})
