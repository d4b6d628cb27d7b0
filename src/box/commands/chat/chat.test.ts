import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createClient, type Client } from "../../../shared/client/http-client.ts"
import {
  runCommand,
  runCommandWith,
  startBoxProcess,
  startCommand,
  type BoxProcess,
} from "../../testing/box-process.ts"
import { testModelPath } from "../../testing/chat-server.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"
import { builtProgram } from "../../../shared/testing/built-program.ts"

const said = "Hello from the scripted model."
const titleChange = "\u001b]0;owned\u0007"
const otherAnswer = `Thirty days [1].${titleChange}\u009b31m`

let dataDir: string
let box: BoxProcess
let client: Client
let folder: string
/** Requests to the remote model. */
const asked: string[] = []
const server = createServer((request, response) => {
  if (request.url === "/v1/models")
    return void response.end(JSON.stringify({ data: [{ id: "qwen3:8b" }, { id: "evil\u202emodel" }] }))
  let body = ""
  request.on("data", (part: Buffer) => (body += part.toString()))
  request.on("end", () => {
    asked.push(body)
    for (const content of otherAnswer.match(/.{1,5}/gsu) ?? [])
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`)
    response.write(
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\n`,
    )
    response.end("data: [DONE]\n\n")
  })
})

beforeAll(async () => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  dataDir = await mkdtemp(join(tmpdir(), "casella-chat-command-"))
  box = await startBoxProcess(dataDir, "--model", testModelPath())
  client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.firstRunKey ?? "" } })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  await client.modelServers.add({ body: { name: "Elsewhere", url } })
  folder = (await client.folders.create({ body: { name: "Hand book" } })).vector.id
  for (const name of ["Same", "Same"]) await client.folders.create({ body: { name } })
  const file = new Blob([`You have thirty days of leave.${titleChange}`])
  await client.files.upload({ params: { id: folder }, file, fileName: "leave.md" })
  const done = async () => (await client.files.list({ params: { id: folder } })).files[0]?.status
  await waitFor(async () => expect(await done()).toBe("completed"))
})
afterAll(async () => {
  await box.stop()
  server.closeAllConnections()
  server.close()
  await rm(dataDir, { recursive: true, force: true })
})

const chat = (...args: string[]) => runCommand("chat", ...args, "--data", dataDir)
const keyNames = async () => (await client.keys.list()).keys.map(({ name }) => name)
// oxlint-disable-next-line no-control-regex -- what a terminal would obey
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/

describe("chat", () => {
  // Catches a command that needs a key or leaves one behind, and anything but the answer in a pipe.
  it("answers without a key, and prints only the answer", async () => {
    const own = await mkdtemp(join(tmpdir(), "casella-chat-command-"))
    const fresh = await startBoxProcess(own, "--model", testModelPath()) // it has no model in memory yet
    const { code, stdout, stderr } = await runCommand("chat", "Hello", "--data", own)
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${said}\n` })
    expect(stderr).toMatch(/^scripted-\w+ is being loaded into memory.\n$/)
    const { keys } = createClient({ baseUrl: fresh.url, headers: { "x-api-key": fresh.firstRunKey ?? "" } })
    expect((await keys.list()).keys.map(({ name }) => name)).toEqual(["First run"])
    await fresh.stop()
    await rm(own, { recursive: true })
  })

  // Catches an answer that is shown only when complete, a model that keeps writing after Ctrl+C, and a key that outlives the command.
  it("streams, and Ctrl+C stops the model", async () => {
    const child = startCommand("chat", "Go on!", "--data", dataDir)
    const closed = once(child, "close")
    await once(child.stdout, "data")
    const { chats } = await client.conversations.list()
    const params = { chatId: chats[0]?.id ?? "" }
    expect((await client.chat.status({ params })).isActive).toBe(true)
    child.kill("SIGINT")
    expect((await closed)[0]).toBe(130)
    expect(await client.chat.status({ params })).toMatchObject({ isActive: false, status: "aborted" })
    expect(await keyNames()).toEqual(["First run"])
  })

  // Catches a model that keeps writing after the reader has gone, as in `chat … | head -1`, and a stack trace.
  it("stops the model when the pipe is closed", async () => {
    const child = startCommand("chat", "And on!", "--data", dataDir)
    let stderr = ""
    child.stderr.on("data", (part: Buffer) => (stderr += part.toString()))
    const exited = once(child, "exit")
    await once(child.stdout, "data")
    child.stdout.destroy()
    expect((await exited)[0]).toBe(141)
    expect(stderr).toMatch(/^(scripted-\w+ is being loaded into memory\.\n)?$/)
    const { chats } = await client.conversations.list()
    expect((await client.chat.status({ params: { chatId: chats[0]?.id ?? "" } })).isActive).toBe(false)
  })

  // Catches keys with full rights that accumulate, one for each killed command.
  it("leaves its key for the next command to revoke if it is killed", { tags: "unix" }, async () => {
    const child = startCommand("chat", "Go on!", "--data", dataDir)
    const closed = once(child, "close")
    await once(child.stdout, "data")
    child.kill("SIGKILL")
    await closed
    const { chats } = await client.conversations.list()
    await client.chat.stop({ params: { chatId: chats[0]?.id ?? "" } })
    expect(await keyNames()).toContain(`Command line (process ${child.pid})`)
    expect(await runCommand("search", "leave", "--data", dataDir)).toMatchObject({ code: 0 })
    expect(await keyNames()).toEqual(["First run"])
  })

  // Catches piped input, or a question next to it, that the model never receives.
  it("accepts piped input, with a question or as the question", async () => {
    const args = ["--model", "qwen3:8b", "--data", dataDir]
    const both = await runCommandWith({ input: "first\nsecond\n" }, "chat", "Sort this", ...args)
    expect(both.code).toBe(0)
    expect(asked.at(-1)).toContain(String.raw`Sort this\n\nfirst\nsecond"`)
    expect((await runCommandWith({ input: "alone\n" }, "chat", ...args)).code).toBe(0)
    expect(asked.at(-1)).toContain('"alone"')
  })

  // Catches citations without locations, passages sent to a remote model without notice, and control characters that reach the terminal.
  it("cites, reports what is sent to a remote model, and makes control characters in the answer harmless", async () => {
    const { code, stdout, stderr } = await chat(
      "How many days of leave?",
      "--folder",
      "hand book",
      "--model",
      "qwen3:8b",
    )
    expect(code).toBe(0)
    expect(stdout).toBe("Thirty days [1].␛]0;owned␇\ufffd31m\n\n[1] leave.md, line 1\n")
    expect(stderr).toContain("Passages of Hand book are sent to qwen3:8b (Elsewhere).")
    expect(stderr).not.toMatch(obeyed)
  })

  // Catches a folder that must stay local, used with a remote model without notice.
  it("reports that a folder stays local", async () => {
    await client.folders.update({ params: { id: folder }, body: { remote: "never" } })
    const { stderr } = await chat("How many days of leave?", "--folder", folder, "--model", "qwen3:8b")
    expect(stderr).toContain("Hand book stays on this computer, so qwen3:8b (Elsewhere) isn't used.")
    await client.folders.update({ params: { id: folder }, body: { remote: "allowed" } })
  })

  it("prints complete JSON for scripts", async () => {
    const { code, stdout } = await chat(
      "How many days of leave?",
      "--json",
      "--folder",
      folder,
      "--model",
      "qwen3:8b",
    )
    expect(code).toBe(0)
    expect(stdout).not.toMatch(obeyed)
    expect(JSON.parse(stdout)).toMatchObject({
      answer: otherAnswer,
      citations: [{ number: 1, file: "leave.md", place: { line: 1 } }],
      model: { name: "qwen3:8b", server: "Elsewhere" },
      usage: { completionTokens: expect.any(Number) as number },
      finishReason: "stop",
    })
  })

  // Catches a script that mistakes a failure for an answer, or can't distinguish its own error from the box's.
  it("reports errors in one sentence, with an exit status", async () => {
    const attempts: [string[], number, string][] = [
      [[], 2, "The question is missing."],
      [["a", "b"], 2, "Usage"],
      [["a", "--port", "1"], 2, "no option --port"],
      [["a", "--nonsense"], 2, "--nonsense"],
      [["a", "--folder", "Handbook"], 1, 'Did you mean "Hand book"'],
      [["a", "--folder", "same"], 1, "Use an ID:"],
      [["a", "--model", "qwen"], 1, '"qwen3:8b"'],
      [["a", "--assistant", "nobody"], 1, 'There is no assistant "nobody".'],
      [["a", "--key", "box_wrong"], 1, "API key"],
    ]
    for (const [args, code, words] of attempts) {
      const outcome = await chat(...args)
      expect(outcome, args.join(" ")).toMatchObject({ code, stdout: "" })
      expect(outcome.stderr).toContain(words)
      expect(outcome.stderr).not.toMatch(/^\s+at /m)
    }
    expect(await keyNames()).toEqual(["First run"])
  })

  // Catches passages without their location, or from a folder that wasn't named.
  it("search shows passages with their locations, from the named folders", async () => {
    const search = (...args: string[]) => runCommand("search", ...args, "--data", dataDir)
    const { stdout } = await search("leave", "--limit", "1", "--folder", "HAND BOOK")
    expect(stdout).toMatch(/^\[1\] leave.md, line 1 \(Hand book\)\n {4}You have thirty days of leave\./)
    expect(stdout).not.toMatch(obeyed)
    const { vectors } = await client.folders.list()
    const same = vectors.find(({ name }) => name === "Same")?.id ?? ""
    const nothing = await search("leave", "--folder", same)
    expect(nothing).toMatchObject({ code: 0, stdout: "" })
    expect(nothing.stderr).toContain("No results")
    expect(JSON.parse((await search("leave", "--json")).stdout)).toMatchObject([{ fileName: "leave.md" }])
    expect((await search("leave", "--limit", "51")).code).toBe(2)
  })

  it("describes how to start the box if none is running", async () => {
    const empty = await mkdtemp(join(tmpdir(), "casella-chat-command-"))
    const outcome = await runCommand("chat", "Hello", "--data", empty)
    expect(outcome).toMatchObject({ code: 1, stdout: "" })
    expect(outcome.stderr).toContain("start the server with: box")
    await rm(empty, { recursive: true })
  })

  // Catches a chat that forgets earlier messages, that Ctrl+C ends, or that Ctrl+D doesn't end.
  it("is interactive at a terminal", { tags: "linux" }, async () => {
    const cli = builtProgram("cli")
    const command = `'${process.execPath}' '${cli}' chat --data '${dataDir}'`
    const child = spawn("script", ["-qefc", command, "/dev/null"], { stdio: ["pipe", "pipe", "inherit"] })
    let shown = ""
    child.stdout.setEncoding("utf8").on("data", (part: string) => (shown += part))
    const shows = (words: string) => expect.poll(() => shown.includes(words)).toBe(true)
    const exited = once(child, "exit")
    await shows("›")
    child.stdin.write("Hello\r")
    await shows(said)
    child.stdin.write("Go on!\r")
    await shows("on and on on")
    child.stdin.write("\u0003")
    await shows("Stopped.")
    child.stdin.write("\u0004")
    expect((await exited)[0]).toBe(0)
    const { chats } = await client.conversations.list()
    const { chat: stored } = await client.conversations.read({ params: { id: chats[0]?.id ?? "" } })
    expect(stored.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"])
  })
})
