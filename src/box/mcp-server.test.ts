import type { Client } from "@modelcontextprotocol/client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createClient } from "../shared/client/http-client.ts"
import type { Scope } from "../shared/contract/endpoint.ts"
import { findSchemaFault } from "./engines/schema-fault.ts"
import { signIn, tokenIn, connectMcp, callTool } from "./testing/clients.ts"
import { startModelServer, type ModelServer, type Round } from "./testing/model-servers/model-server.ts"
import { addUser, startTestBox, type TestBox } from "./testing/test-box.ts"
import { waitFor } from "../shared/testing/wait-for.ts"

const manual = "# Handbook\n\nLeave is 26 days a year.\n\nThe office closes at 18:30.\n"
const long = Array.from({ length: 3_000 }, (_, index) => `Line ${index + 1} of many, about nothing.`).join(
  "\n",
)

let model: ModelServer
let box: TestBox
let speak: (() => Round | Promise<Round>) | undefined
let folderId: string
const files: Record<string, string> = {}

async function upload(id: string, fileName: string, text: string): Promise<string> {
  const params = { id }
  await box.client.files.upload({ params, file: new Blob([text]), fileName })
  return waitFor(async () => {
    const found = (await box.client.files.list({ params })).files.find(({ name }) => name === fileName)
    expect(found?.status).toBe("completed")
    return found?.id ?? ""
  })
}

beforeAll(async () => {
  model = await startModelServer(() => speak?.() ?? { text: "Leave is 26 days [1]." })
  box = await startTestBox({ model: model.baseUrl })
  folderId = (await box.client.folders.create({ body: { name: "Handbook" } })).vector.id
  files["manual"] = await upload(folderId, "manual.md", manual)
  files["long"] = await upload(folderId, "long.txt", long)
})
afterAll(async () => {
  await box[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

const clients: Client[] = []
afterAll(() => Promise.all(clients.map((client) => client.close())))
async function connect(key = box.key): Promise<Client> {
  const { client } = await connectMcp(box.url, { "x-api-key": key })
  clients.push(client)
  return client
}
const getKey = async (...scopes: Scope[]) =>
  (await box.client.keys.create({ body: { name: scopes.join(), scopes } })).key
const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)

describe("asking the user", () => {
  const args = { title: "Send it?", choices: ["send", "keep"], expiresInSeconds: 60 }
  const question = () =>
    waitFor(async () => {
      const [found] = (await box.client.questions.list()).questions
      expect(found?.title).toBe("Send it?")
      return found?.id ?? ""
    })

  // Catches a model that continues without the answer, or that gives up on a call without progress while the user thinks.
  it("waits for the choice and reports progress in the meantime", async () => {
    const client = await connect(await getKey("notify"))
    const received = Promise.withResolvers<string | undefined>()
    const onprogress = ({ message }: { message?: string | undefined }) => received.resolve(message)
    const called = client.callTool({ name: "ask_person", arguments: args }, { onprogress })
    expect(await received.promise).toBe("Waiting for an answer to: Send it?")
    const id = await question()
    const { user } = await box.client.account.me()
    const { links } = await box.client.people.signInLinks({ params: { id: user.id } })
    const app = createClient({ baseUrl: box.url, headers: await signIn(box.url, tokenIn(links.local)) })
    await app.questions.answer({ params: { id }, body: { choice: "keep" } })
    expect((await called).structuredContent).toEqual({ id, status: "answered", answer: "keep" })
  })

  // Catches an argument error whose cause isn't reported to the model.
  it("reports what is wrong with a question", async () => {
    const client = await connect()
    const { isError, content } = await client.callTool({
      name: "ask_person",
      arguments: { ...args, choices: ["send"] },
    })
    expect(isError).toBe(true)
    expect(JSON.stringify(content)).toContain("choices")
  })
})

describe("permissions", () => {
  // Catches an endpoint that accepts anyone, or that answers a foreign page in a browser.
  it("rejects callers without a key, and pages of another origin even with one", async () => {
    for (const headers of [{}, { "x-api-key": "box_wrong" }, { authorization: "Bearer box_wrong" }])
      await expect(connectMcp(box.url, headers as Record<string, string>)).rejects.toMatchObject({
        status: 401,
      })
    await expect(
      connectMcp(box.url, { "x-api-key": box.key, origin: "https://evil.example" }),
    ).rejects.toMatchObject({ status: 403 })
    const { client } = await connectMcp(box.url, { authorization: `Bearer ${box.key}` })
    clients.push(client)
    expect(client.getServerVersion()).toMatchObject({ name: "casella" })
  })

  // Catches tools that a key's limits hide from the list but that can still be called.
  it("lists and allows the tools within the key's scopes", async () => {
    const reading = ["list_folders", "list_files", "search", "read_file"]
    const offered: [Scope[], string[]][] = [
      [["folders"], reading],
      [["read-only"], reading],
      [["assistants"], ["ask"]],
      [["notify"], ["notify", "ask_person"]],
      [
        ["notify", "folders"],
        [...reading, "notify", "ask_person"],
      ],
    ]
    const all = await (await connect()).listTools()
    expect(all.tools.map(({ name }) => name)).toEqual([...reading, "ask", "notify", "ask_person"])
    // Catches arguments that are refused although the model follows their schema, as the box's own model does.
    for (const { name, inputSchema } of all.tools) expect(findSchemaFault(inputSchema), name).toBeNull()
    for (const { name, annotations } of all.tools)
      expect(annotations?.readOnlyHint, name).toBe(reading.includes(name))
    for (const [scopes, wanted] of offered) {
      const client = await connect(await getKey(...scopes))
      expect(await names(client)).toEqual(wanted)
      for (const { name } of all.tools.filter((tool) => !wanted.includes(tool.name)))
        await expect(client.callTool({ name, arguments: {} })).rejects.toMatchObject({ code: -32_602 })
      const reads = wanted.includes("search")
      if (reads) expect((await client.listResources()).resources.length).toBeGreaterThan(0)
      else await expect(client.request({ method: "resources/list" })).rejects.toMatchObject({ code: -32_601 })
    }
  })

  // Catches folders that a key without access to them can reach through a question.
  it("uses no folders for a question with a key for assistants only", async () => {
    const client = await connect(await getKey("assistants"))
    const refused = await callTool(client, "ask", { question: "Leave?", folderIds: [folderId] })
    expect(refused).toMatchObject({ isError: true })
    expect(refused.text).toContain("folders")
    speak = () => ({ text: "I don't know." })
    const answered = await callTool(client, "ask", { question: "Leave?" })
    speak = undefined
    expect(answered.data).toMatchObject({ answer: "I don't know.", sources: [] })
  })

  // Catches another user's file or folder that can be found by its id.
  it("isolates users from each other", async () => {
    const other = await addUser(box, "other@example.com")
    const { key } = await other.keys.create({ body: { name: "Mine" } })
    const client = await connect(key)
    expect((await callTool(client, "list_folders")).data).toEqual({ folders: [] })
    expect((await callTool(client, "search", { query: "leave" })).data).toEqual({ passages: [] })
    expect((await client.listResources()).resources).toEqual([])
    const attempts: [string, Record<string, unknown>][] = [
      ["list_files", { folderId }],
      ["search", { query: "leave", folderIds: [folderId] }],
      ["read_file", { fileId: files["manual"] }],
      ["ask", { question: "leave", folderIds: [folderId] }],
    ]
    for (const [name, args] of attempts) {
      const answer = await callTool(client, name, args)
      expect(answer.isError, name).toBe(true)
      expect(answer.text).not.toContain("26 days")
    }
    const uri = `casella://folders/${folderId}/files/${files["manual"]}`
    await expect(client.readResource({ uri })).rejects.toThrow()
    const own = (await other.folders.create({ body: { name: "Own" } })).vector.id
    const mixed = `casella://folders/${own}/files/${files["manual"]}`
    await expect(client.readResource({ uri: mixed })).rejects.toThrow()
  })
})

describe("reading", () => {
  // Catches passages that can't be found again or cited.
  it("finds passages with file, location and link", async () => {
    const client = await connect()
    const { folders } = (await callTool(client, "list_folders")).data as { folders: object[] }
    expect(folders).toEqual([{ id: folderId, name: "Handbook", fileCount: 2 }])
    const { data, text } = await callTool(client, "search", { query: "days of leave", limit: 1 })
    expect(data).toMatchObject({
      passages: [{ file: "manual.md", fileId: files["manual"], folderId, path: "manual.md" }],
    })
    expect(JSON.parse(text)).toEqual(data)
    const [passage] = (data as { passages: { link: string; place: string; text: string }[] }).passages
    expect(passage?.link).toContain(`${box.url}/dc/vector/${folderId}?file=${files["manual"]}`)
    expect(passage?.place).toContain("line ")
    expect(passage?.text).toContain("26 days")
    const nulls = await callTool(client, "search", { query: "leave", folderIds: null, limit: null })
    expect(nulls.isError).toBe(false)
  })

  // Catches pages of a list that overlap or leave files out.
  it("lists files page by page", async () => {
    const { id } = (await box.client.folders.create({ body: { name: "Many" } })).vector
    const params = { id }
    const some = Array.from({ length: 105 }, (_, index) => `${index}.txt`)
    for (const fileName of some) await box.client.files.upload({ params, file: new Blob(["x"]), fileName })
    const client = await connect()
    const found: string[] = []
    for (let cursor: string | undefined; ;) {
      const args = { folderId: id, ...(cursor && { cursor }) }
      const page = (await callTool(client, "list_files", args)).data as {
        total: number
        files: { name: string }[]
        nextCursor?: string
      }
      expect(page.total).toBe(105)
      found.push(...page.files.map(({ name }) => name))
      cursor = page.nextCursor
      if (cursor === undefined) break
    }
    expect(found.toSorted()).toEqual(some.toSorted())
    const resources: string[] = []
    for (let cursor: string | undefined; ;) {
      const page = await client.request({
        method: "resources/list",
        params: cursor === undefined ? {} : { cursor },
      })
      expect(page.resources.length).toBeLessThanOrEqual(100)
      resources.push(...page.resources.map(({ uri }) => uri))
      cursor = page.nextCursor
      if (cursor === undefined) break
    }
    expect(resources).toHaveLength(107)
    expect(new Set(resources).size).toBe(107)
    await expect(client.listResources({ cursor: "elsewhere" })).rejects.toMatchObject({ code: -32_602 })
    const named = await callTool(client, "list_files", { folderId: id, query: "104" })
    expect(named.data).toMatchObject({ total: 1, files: [{ name: "104.txt" }] })
    await box.client.folders.remove({ params })
  })

  // Catches lines counted from 0, `to` excluded, answers over the limit, or text lost between two calls.
  it("reads lines, and a long file in several calls without losing any", async () => {
    const client = await connect()
    const some = await callTool(client, "read_file", { fileId: files["long"], from: 2, to: 3 })
    expect(some.texts[0]).toBe("Line 2 of many, about nothing.\nLine 3 of many, about nothing.")
    expect(some.texts[1]).toContain("lines 2–3 of 3000 lines")
    let whole = ""
    let calls = 0
    for (let from: string | undefined = "1"; from !== undefined; calls++) {
      const { texts, text } = await callTool(client, "read_file", { fileId: files["long"], from })
      expect(text.length).toBeLessThanOrEqual(50_000)
      whole += (whole === "" || from.includes("+") ? "" : "\n") + texts[0]
      from = /continue with from: "([^"]+)"/.exec(texts[1] ?? "")?.[1]
    }
    expect(calls).toBeGreaterThan(1)
    expect(whole).toBe(long)
    const beyond = await callTool(client, "read_file", { fileId: files["long"], from: 4_000 })
    expect(beyond.text).toContain("no line 4000")
    for (const args of [{ from: 0 }, { from: "two" }, { from: 3, to: 2 }]) {
      const wrong = await callTool(client, "read_file", { fileId: files["long"], ...args })
      expect(wrong.isError, JSON.stringify(args)).toBe(true)
    }
  })

  // Catches a resource URI that can't be read or reads another file.
  it("offers files as resources", async () => {
    const client = await connect()
    const { resources } = await client.listResources()
    const resource = resources.find(({ name }) => name === "manual.md")
    expect(resource).toMatchObject({ uri: `casella://folders/${folderId}/files/${files["manual"]}` })
    const { contents } = await client.readResource({ uri: resource?.uri ?? "" })
    expect(contents[0]).toMatchObject({ uri: resource?.uri, mimeType: "text/plain" })
    expect((contents[0] as { text: string }).text).toContain("26 days a year")
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "casella://folders/{folderId}/files/{fileId}",
    ])
    await expect(client.readResource({ uri: "file:///etc/passwd" })).rejects.toMatchObject({ code: -32_602 })
  })
})

describe("asking a question", () => {
  // Catches an answer without its sources, missing progress, or an answer that isn't stored.
  it("answers with citations, reports progress, and is stored as a chat", async () => {
    const client = await connect()
    const received: string[] = []
    const onprogress = ({ message }: { message?: string | undefined }) => void received.push(message ?? "")
    const args = { question: "How many days of leave?", folderIds: [folderId] }
    const result = await client.callTool({ name: "ask", arguments: args }, { onprogress })
    expect(result.structuredContent).toMatchObject({
      answer: "Leave is 26 days [1].",
      sources: [{ citation: 1, fileId: files["manual"], file: "manual.md" }],
    })
    expect((result.content as { text: string }[])[0]?.text).toContain("[1] manual.md")
    expect(received.length).toBeGreaterThan(0)
    const { chatId } = result.structuredContent as { chatId: string }
    expect((await box.client.conversations.read({ params: { id: chatId } })).chat).toMatchObject({
      origin: "API",
      messages: [{ role: "user" }, { role: "assistant", finishReason: "stop" }],
    })
  })

  it("is answered by an assistant that is named by its handle", async () => {
    const body = { name: "Leave Desk", instructions: "You are the leave desk.", vectorIds: [folderId] }
    const { handle } = (await box.client.assistants.create({ body })).assistant
    const client = await connect()
    const answered = await callTool(client, "ask", { question: "Leave?", assistant: `@${handle}` })
    expect(answered.data).toMatchObject({ sources: [{ file: "manual.md" }] })
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("You are the leave desk.")
    const unknown = await callTool(client, "ask", { question: "Leave?", assistant: "nobody" })
    expect(unknown).toMatchObject({ isError: true })
  })

  // Catches a model that keeps writing after the caller cancels or disconnects.
  it.each(["cancels", "goes away"] as const)("stops when the caller %s", async (how) => {
    const { client, transport } = await connectMcp(box.url, { "x-api-key": box.key })
    const asked = Promise.withResolvers<void>()
    speak = () => {
      asked.resolve()
      return new Promise<Round>(() => {})
    }
    const ending = new AbortController()
    const args = { question: `Who ${how}?`, folderIds: [folderId] }
    const call = client.callTool({ name: "ask", arguments: args }, { signal: ending.signal })
    const ended = expect(call).rejects.toThrow()
    await asked.promise
    speak = undefined
    if (how === "cancels") ending.abort("enough")
    else await transport.close()
    await ended
    await waitFor(async () => {
      const { chats } = await box.client.conversations.list({ query: { search: `Who ${how}` } })
      const { chat } = await box.client.conversations.read({ params: { id: chats[0]?.id ?? "" } })
      expect(chat.messages.at(-1)).toMatchObject({ role: "assistant", finishReason: "aborted" })
    })
    await client.close()
  })

  // Catches one client's message that cancels another client's call with the same number.
  it("is cancelled only by the client that asked", async () => {
    const [one, two] = [await connect(), await connectMcp(box.url, { "x-api-key": box.key })]
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<Round>()
    speak = () => {
      asked.resolve()
      return answer.promise
    }
    const args = { question: "Leave?", folderIds: [folderId] }
    const call = one.callTool({ name: "ask", arguments: args })
    await asked.promise
    speak = undefined
    for (let requestId = 0; requestId < 10; requestId++)
      await two.client.notification({ method: "notifications/cancelled", params: { requestId } })
    answer.resolve({ text: "Still here [1]." })
    expect((await call).structuredContent).toMatchObject({ answer: "Still here [1]." })
    await two.client.close()
  })

  // Catches a model failure that is returned as an answer.
  it("reports failures as a tool error", async () => {
    const client = await connect()
    const { id } = (await box.client.assistants.create({ body: { name: "Off", enabled: false } })).assistant
    const answer = await callTool(client, "ask", { question: "Leave?", assistant: id })
    expect(answer).toMatchObject({ isError: true })
    expect(answer.text).toContain("Off")
  })
})

describe("notifying", () => {
  it("notifies the user, and reports what is wrong with a notification", async () => {
    const client = await connect(await getKey("notify"))
    const args = { title: "Build done", description: "12 files", type: "success", deepLink: "/work" }
    const { data } = await callTool(client, "notify", args)
    const params = { id: (data as { id: string }).id }
    expect(await box.client.notifications.read({ params })).toMatchObject(args)
    const wrong = await callTool(client, "notify", { title: "x", deepLink: "https://evil.example" })
    expect(wrong).toMatchObject({ isError: true })
    expect(wrong.text).toContain("deepLink")
  })
})

describe("the protocol", () => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${box.url}/api/mcp`, {
      method: "POST",
      headers: {
        "x-api-key": box.key,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body,
    })

  // Catches errors that MCP clients can't read, and bodies without a size limit.
  it("rejects invalid messages with an MCP error", async () => {
    const attempts: [Promise<Response>, number, number][] = [
      [post("{"), 400, -32_700],
      [post("{}"), 400, -32_600],
      [post("[]"), 400, -32_600],
      [post(`{"jsonrpc":"2.0","id":1,"method":"ping","params":"${"x".repeat(11_000_000)}"}`), 413, -32_000],
      [post("{}", { "content-type": "text/plain" }), 415, -32_000],
      [post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, { "mcp-protocol-version": "1" }), 400, -32_000],
      [fetch(`${box.url}/api/mcp`, { headers: { "x-api-key": box.key } }), 405, -32_000],
      [fetch(`${box.url}/api/mcp`, { method: "DELETE", headers: { "x-api-key": box.key } }), 405, -32_000],
    ]
    for (const [answer, status, code] of attempts) {
      const refused = await answer
      expect(refused.status).toBe(status)
      expect(await refused.json()).toMatchObject({ jsonrpc: "2.0", id: null, error: { code } })
    }
  })

  // Catches clients that take the page for sign-in metadata and fail on it instead of reporting a wrong key.
  it("offers no other way to sign in", async () => {
    for (const name of ["oauth-protected-resource/api/mcp", "oauth-authorization-server"])
      expect((await fetch(`${box.url}/.well-known/${name}`)).status).toBe(404)
  })

  // Catches scripts that are rejected because they lack a header that only streams need.
  it("answers in JSON for a script that requests JSON", async () => {
    const params = { name: "ask", arguments: { question: "Leave?", folderIds: [folderId] } }
    const body = JSON.stringify({ jsonrpc: "2.0", id: "a", method: "tools/call", params })
    const answer = await post(body, { accept: "application/json" })
    expect(answer.headers.get("content-type")).toContain("application/json")
    expect(await answer.json()).toMatchObject({
      id: "a",
      result: { structuredContent: { answer: "Leave is 26 days [1]." } },
    })
    expect((await post(body, { accept: "*/*" })).headers.get("content-type")).toBe("text/event-stream")
  })

  // Catches requests of cancelled calls that are never ended.
  it.each(["application/json", "text/event-stream"])("ends a cancelled %s request", async (accept) => {
    const headers = { accept, "mcp-session-id": "mine" }
    const asked = Promise.withResolvers<void>()
    speak = () => {
      asked.resolve()
      return new Promise<Round>(() => {})
    }
    const params = { name: "ask", arguments: { question: "Leave?", folderIds: [folderId] } }
    const answer = post(JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params }), headers)
    await asked.promise
    speak = undefined
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } }
    expect((await post(JSON.stringify(cancel), headers)).status).toBe(202)
    expect(await (await answer).text()).not.toContain("result")
  })

  // Catches sessions that are kept in the box, so that clients are lost when it restarts.
  it("keeps serving a client after the box restarts", async () => {
    // another process may take the box's port in the meantime, so the box gets another one, and the client finds it there
    const { client } = await connectMcp(box.url, { "x-api-key": box.key }, (_, init) =>
      fetch(new URL("/api/mcp", box.url), init),
    )
    clients.push(client)
    await box.restart()
    expect((await callTool(client, "list_folders")).data).toMatchObject({ folders: [{ id: folderId }] })
  })
})
