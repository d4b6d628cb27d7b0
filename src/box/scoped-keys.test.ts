import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { WebSocket } from "ws"
import { api } from "../shared/contract/api.ts"
import type { Client } from "../shared/client/http-client.ts"
import type { ChatEvent } from "../shared/contract/chat.ts"
import type { AssistantPatch } from "../shared/contract/assistants.ts"
import { Scope, type Contract, type Endpoint } from "../shared/contract/endpoint.ts"
import type { Project, ProjectPatch } from "../shared/contract/projects.ts"
import type { FolderPatch } from "../shared/contract/folders.ts"
import { AppError } from "../shared/contract/errors.ts"
import { socketPath } from "../shared/contract/socket.ts"
import { collect, of } from "./features/chat/testing/tool-talk.ts"
import { startModelServer, type ModelServer, type Round } from "./testing/model-servers/model-server.ts"
import { getRows, startTestBox, type TestBox } from "./testing/test-box.ts"
import { waitFor } from "../shared/testing/wait-for.ts"

let model: ModelServer
let box: TestBox
let folderId: string
let rounds: (Round | Promise<Round>)[] = []
const secret = "The code is canary-77."

beforeAll(async () => {
  model = await startModelServer(() => rounds.shift() ?? { text: "Done." })
  box = await startTestBox({ model: model.baseUrl })
  folderId = (await box.client.folders.create({ body: { name: "Secrets" } })).vector.id
  const params = { id: folderId }
  await box.client.files.upload({ params, file: new Blob([secret]), fileName: "code.txt" })
  await waitFor(async () => {
    const [file] = (await box.client.files.list({ params })).files
    expect(file?.status).toBe("completed")
  })
})
// Only a limited number of assistants can accept tasks, so each test starts with none. Facts of keys with scopes influence other tests.
afterEach(async () => {
  await box.client.memory.forgetAll()
  const { assistants } = await box.client.assistants.list({ query: { limit: 200 } })
  for (const { id } of assistants) await box.client.assistants.remove({ params: { id } })
})
afterAll(async () => {
  await box[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

const limited = async (...scopes: Scope[]): Promise<Client> =>
  box.getClient((await box.client.keys.create({ body: { name: scopes.join(), scopes } })).key)
/** Returns a client whose key is marked as a restore marks the keys of its backup. */
async function unconfirmed(): Promise<Client> {
  const { apiKey, key } = await box.client.keys.create({ body: { name: "Restored" } })
  await using database = await getRows(box.dataDir)
  await database.db.updateTable("apiKeys").set({ held: 1 }).where("id", "=", apiKey.id).execute()
  return box.getClient(key)
}
const assistant = async (body: object) =>
  (await box.client.assistants.create({ body: { name: "Helper", ...body } })).assistant.id

async function ask(client: Client, id: string, body: object, ...said: Round[]): Promise<ChatEvent[]> {
  rounds = said
  const messages = [{ role: "user" as const, content: "What is the code?" }]
  return collect(client.chat.send({ body: { id, messages, boxAddress: box.url, ...body } }))
}
const codes = (events: ChatEvent[]) => of(events, "notice").map(({ code }) => code)
const lastPrompt = () => JSON.stringify(model.requests.at(-1)?.messages)

/** Returns the messages sent to the model in requests whose question contains `content`. */
const getPrompts = (content: string) =>
  JSON.stringify(
    model.requests.filter(({ messages }) =>
      messages.findLast(({ role }) => role === "user")?.content?.includes(content),
    ),
  )
const projectWith = async (vectorIds: string[]) =>
  (await box.client.projects.create({ body: { name: "Secret", vectorIds } })).project.id

/** Returns the error code and details of a refused call, or null if the call succeeds. */
async function refusal(work: Promise<unknown>): Promise<unknown> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof AppError)) return error
  return [error.code, ...(error.details === undefined ? [] : [error.details])]
}

describe("a key without the folders scope", () => {
  // Catches notices about missing content that reveal a file's name or existence.
  test("doesn't see file names in notices about missing content", async () => {
    const { vector } = await box.client.folders.create({ body: { name: "Late" } })
    await box.client.folders.update({ params: { id: vector.id }, body: { paused: true } })
    await box.client.files.upload({
      params: { id: vector.id },
      file: new Blob([secret]),
      fileName: "canary-78.txt",
    })
    const events = await ask(box.client, "late", { vector: [vector.id] })
    expect(JSON.stringify(of(events, "notice"))).toContain("canary-78")
    const params = { id: "late" }
    const readBy = async (client: Client) => JSON.stringify(await client.conversations.read({ params }))
    const getStream = async (client: Client) =>
      JSON.stringify(await collect(client.chat.attach({ params: { chatId: "late" } })))
    for (const read of [readBy, getStream]) {
      expect(await read(await limited("assistants", "folders"))).toContain("canary-78")
      expect(await read(await limited("assistants"))).not.toContain("canary-78")
    }
  })

  // Catches the name or size of an attachment, which is also stored in a folder, in the message or in notices about missing content.
  test("doesn't see attachment names", async () => {
    const id = "attached"
    const params = { id: (await box.client.conversations.folder({ params: { id } })).vector.id }
    await box.client.folders.update({ params, body: { paused: true } })
    await box.client.files.upload({ params, file: new Blob([secret]), fileName: "canary-79.txt" })
    const asked = await ask(box.client, id, {})
    expect(codes(asked)).toContain("attachment_unread")
    const heardBy = async (client: Client) =>
      JSON.stringify([
        await client.conversations.read({ params: { id } }),
        await collect(client.chat.attach({ params: { chatId: id } })),
      ])
    expect((await heardBy(await limited("assistants", "folders"))).split("canary-79").length).toBeGreaterThan(
      3,
    )
    expect(await heardBy(await limited("assistants"))).not.toContain("canary-79")
  })

  // Catches a chat that bypasses a key's scopes, through the request or through the assistant.
  test("can't reach folders through a chat: named folders are refused, an assistant's folders are left out with a notice", async () => {
    const client = await limited("assistants", "read-only")
    const vector = [folderId]
    expect(await refusal(ask(client, "named", { vector }))).toEqual(["forbidden", vector])
    expect(await refusal(client.chat.prepare({ body: { assistantId: folderId, vector } }))).toEqual([
      "forbidden",
      vector,
    ])
    const assistantId = await assistant({ vectorIds: [folderId] })
    const events = await ask(client, "own", { assistantId })
    expect(codes(events)).toEqual(["folders_left_out"])
    expect(of(events, "source")).toEqual([])
    expect(lastPrompt()).not.toContain("canary-77")

    const withScope = await ask(await limited("assistants", "folders"), "scoped", { assistantId, vector })
    expect(of(withScope, "source")).toHaveLength(1)
    expect(codes(withScope)).not.toContain("folders_left_out")
    expect(lastPrompt()).toContain("canary-77")
  })

  // Catches a task delegated to an assistant whose folders the key can't access.
  test("can't reach folders through a delegated task", async () => {
    const asked = await assistant({ name: "Librarian", vectorIds: [folderId] })
    const { handle } = (await box.client.assistants.read({ params: { id: asked } })).assistant
    const assistantId = await assistant({ name: "Boss", builtInTools: { assistant: true } })
    const task = { calls: [{ name: "assistant", args: { handle, task: "What is the code?" } }] }
    await ask(await limited("assistants"), "delegated", { assistantId }, task)
    expect(JSON.stringify(model.requests.slice(-3))).not.toContain("canary-77")
    await ask(box.client, "delegated-2", { assistantId }, task)
    expect(JSON.stringify(model.requests.slice(-3))).toContain("canary-77")
  })

  // Catches passages that a key can read in answers given to another key.
  test("can't read passages in a stored chat or in a stream that it follows", async () => {
    const assistantId = await assistant({ vectorIds: [folderId] })
    const events = await ask(box.client, "stored", { assistantId })
    expect(of(events, "source")).toHaveLength(1)
    const client = await limited("assistants")
    const { chat } = await client.conversations.read({ params: { id: "stored" } })
    expect(JSON.stringify(chat)).not.toContain("canary-77")
    expect(JSON.stringify(chat)).toContain("Done.")
    const again = await collect(client.chat.attach({ params: { chatId: "stored" } }))
    expect(JSON.stringify(again)).not.toContain("canary-77")
    const messageId = chat.messages.at(-1)?.id ?? ""
    const params = { id: "stored", messageId }
    expect(await refusal(client.conversations.retrieval({ params }))).toEqual(["forbidden"])
    expect(await refusal(client.conversations.awaitedFiles({ params }))).toEqual(["forbidden"])
    const reader = await limited("read-only")
    const whole = await reader.conversations.read({ params: { id: "stored" } })
    expect(JSON.stringify(whole)).toContain("canary-77")
  })

  // Catches quotations of a folder that stays here, whose notice didn't hide them.
  test("can't read quotations of a folder that stays here", async () => {
    const params = {
      id: (await box.client.folders.create({ body: { name: "Here", remote: "never" } })).vector.id,
    }
    await box.client.files.upload({
      params,
      file: new Blob(["The code is canary-81."]),
      fileName: "here.txt",
    })
    await waitFor(async () => {
      expect((await box.client.files.list({ params })).files[0]?.status).toBe("completed")
    })
    const id = "quoted"
    const events = await ask(box.client, id, { vector: [params.id] })
    expect(codes(events)).toContain("stays_here")
    expect(JSON.stringify(of(events, "text-delta"))).toContain("canary-81")
    const client = await limited("assistants")
    const heard = [
      await client.conversations.read({ params: { id } }),
      await collect(client.chat.attach({ params: { chatId: id } })),
      await client.conversations.search({ query: { query: "canary-81", limit: 10 } }),
    ]
    expect(JSON.stringify(heard)).not.toContain("canary-81")
  })

  // Catches a file's text in a program's output, although the file's passages are left out.
  test("can't read folder content in a program's output, whether stored or sent to the model again", async () => {
    const assistantId = await assistant({ builtInTools: { codeInterpreter: true, calculate: true } })
    const code = 'print(open("in/Secrets/code.txt").read())'
    const calls = [
      { name: "codeInterpreter", args: { code } },
      { name: "calculate", args: { expression: "20 + 22" } },
    ]
    const events = await ask(box.client, "program", { assistantId, vector: [folderId] }, { calls })
    expect(JSON.stringify(of(events, "tool-result"))).toContain("canary-77")
    const client = await limited("assistants")
    const stored = JSON.stringify(await client.conversations.read({ params: { id: "program" } }))
    expect(stored).not.toContain("canary-77")
    expect(stored).toContain("42")
    expect(
      JSON.stringify(await collect(client.chat.attach({ params: { chatId: "program" } }))),
    ).not.toContain("canary-77")
    rounds = []
    const said = ["What is the code?", "Done.", "Go on."] as const
    const messages = said.map((content, n) => ({
      role: n === 1 ? ("assistant" as const) : ("user" as const),
      content,
    }))
    await collect(client.chat.send({ body: { id: "program", messages, boxAddress: box.url, assistantId } }))
    expect(lastPrompt()).toContain("Go on.")
    expect(lastPrompt()).not.toContain("canary-77")
  })

  // Catches private folders that become readable to all members because a key that can't read them shares an assistant that has them.
  test("can't share an assistant that has folders", async () => {
    const params = { id: await assistant({ vectorIds: [folderId] }) }
    const share = async (...scopes: Scope[]) =>
      refusal((await limited(...scopes)).assistants.update({ params, body: { visibility: "TEAM" } }))
    expect(await share("assistants")).toEqual(["forbidden", [folderId]])
    expect((await box.client.assistants.read({ params })).assistant.visibility).toBe("PRIVATE")
    expect(await share("assistants", "folders")).toBeNull()
    const body = { visibility: "PRIVATE" as const }
    expect(await refusal((await limited("assistants")).assistants.update({ params, body }))).toBeNull()
  })

  // Catches connected accounts in an assistant shared by a scoped key, which can't reach any account.
  test("can't share an assistant that has connected accounts", async () => {
    const client = await limited("assistants", "folders", "read-only", "notify")
    const visibility = "TEAM" as const
    const builtInTools = { int_gmail: true }
    const params = { id: await assistant({ builtInTools }) }
    expect(await refusal(client.assistants.update({ params, body: { visibility } }))).toEqual(["forbidden"])
    expect(
      await refusal(client.assistants.create({ body: { name: "Shared", visibility, builtInTools } })),
    ).toEqual(["forbidden"])
    const body = { visibility, builtInTools: { int_gmail: false } }
    expect(await refusal(client.assistants.update({ params, body }))).toBeNull()
    expect(await refusal(client.assistants.update({ params, body: { builtInTools } }))).toEqual(["forbidden"])
    expect(await refusal(box.client.assistants.update({ params, body: { builtInTools } }))).toBeNull()
  })

  // Catches a folder's content or file names in a file that a program made, although the program's output is left out.
  test("can't open files made from a folder's content, even by a delegated task, but opens its own", async () => {
    const builtInTools = { codeInterpreter: true, assistant: true }
    const asked = await assistant({ name: "Copier", vectorIds: [folderId], builtInTools })
    const { handle } = (await box.client.assistants.read({ params: { id: asked } })).assistant
    const assistantId = await assistant({ name: "Head", builtInTools })
    const python = (code: string) => ({ calls: [{ name: "codeInterpreter", args: { code } }] })
    const copy = python('open("canary-77.txt", "w").write(open("in/Secrets/code.txt").read())')
    const task = { calls: [{ name: "assistant", args: { handle, task: "Copy it." } }] }
    const client = await limited("assistants")
    const reader = await limited("assistants", "folders")
    const vector = [folderId]
    const typed = python('open("typed.txt", "w").write("canary-77")') // from the passages shown to the model
    const all = { copied: [copy], typed: [typed], handed: [task, copy, { text: "Copied." }] }
    for (const [id, said] of Object.entries(all)) {
      const events = await ask(box.client, id, { assistantId, vector }, ...said)
      const [file] = of(events, "file")
      expect(file, JSON.stringify(events)).toBeDefined()
      const params = { id, fileId: file?.fileId ?? "" }
      expect(await refusal(client.chat.file({ params })), id).toEqual(["not_found"])
      expect(await refusal(reader.chat.file({ params })), id).toBeNull()
      const stored = await client.conversations.read({ params: { id } })
      const followed = await collect(client.chat.attach({ params: { chatId: id } }))
      expect(JSON.stringify([stored, followed])).not.toContain("canary-77")
      expect(JSON.stringify(await reader.conversations.read({ params: { id } }))).toContain(file?.fileId)
    }
    const own = await ask(client, "own-file", { assistantId }, python('open("own.txt", "w").write("1")'))
    const params = { id: "own-file", fileId: of(own, "file")[0]?.fileId ?? "" }
    expect(await refusal(client.chat.file({ params }))).toBeNull()
    const ownTask = [task, python('open("own.txt", "w").write("1")'), { text: "Made." }]
    const handed = await ask(client, "own-task", { assistantId }, ...ownTask)
    const fileId = of(handed, "file")[0]?.fileId ?? ""
    expect(await refusal(client.chat.file({ params: { id: "own-task", fileId } }))).toBeNull()
  })

  // Catches folder content in a program or file that the model made one question after it read the folder.
  test("can't read programs or files made after a chat read a folder", async () => {
    const program = (text: string) => ({
      calls: [
        { name: "codeInterpreter", args: { code: `open("o.txt", "w").write("${text}")\nprint("${text}")` } },
      ],
    })
    const say = (by: Client, id: string, content: string, said: string[]) => {
      const history = said.map((text, n) => ({
        role: n % 2 ? ("assistant" as const) : ("user" as const),
        content: text,
      }))
      const messages = [...history, { role: "user" as const, content }]
      const builtInTools = { codeInterpreter: true }
      return collect(by.chat.send({ body: { id, messages, boxAddress: box.url, builtInTools } }))
    }
    const [client, reader] = [await limited("assistants"), await limited("assistants", "folders")]
    const seenBy = async (by: Client, id: string, fileId: string) =>
      JSON.stringify([
        await by.conversations.read({ params: { id } }),
        await collect(by.chat.attach({ params: { chatId: id } })),
        await refusal(by.chat.file({ params: { id, fileId } })),
      ])
    for (const [id, body] of [
      ["read-before", { vector: [folderId] }],
      ["read-none", {}],
    ] as const) {
      await ask(box.client, id, body)
      rounds = [program("canary-77")]
      const events = await say(box.client, id, "Make a file of it.", ["What is the code?", "Done."])
      const fileId = of(events, "file")[0]?.fileId ?? "none"
      const [seen, whole] = [await seenBy(client, id, fileId), await seenBy(reader, id, fileId)]
      expect(whole.split("canary-77").length, id).toBeGreaterThan(4)
      expect(whole).toContain(fileId)
      expect(whole).not.toContain("not_found")
      if (id === "read-none") {
        expect(seen).toBe(whole) // no folder was read, so nothing is hidden
        continue
      }
      expect(seen).not.toContain("canary-77")
      expect(seen).not.toContain(fileId)
      expect(seen).toContain("not_found")
      rounds = []
      await say(client, id, "Go on.", ["What is the code?", "Done.", "Make a file of it.", "Done."])
      expect(lastPrompt()).toContain("Go on.")
      expect(lastPrompt()).not.toContain("canary-77")
    }
  })

  // Catches folder content in a file made by a delegated task whose assistant received the content but didn't read a folder itself.
  test("can't open a file from a task that was delegated after a folder was read", async () => {
    const asked = await assistant({ name: "Writer", builtInTools: { codeInterpreter: true } })
    const { handle } = (await box.client.assistants.read({ params: { id: asked } })).assistant
    const assistantId = await assistant({ name: "Head", builtInTools: { assistant: true } })
    const task = { calls: [{ name: "assistant", args: { handle, task: "Write it into a file." } }] }
    const write = {
      calls: [{ name: "codeInterpreter", args: { code: 'open("o.txt", "w").write("canary-77")' } }],
    }
    const [client, reader] = [await limited("assistants"), await limited("assistants", "folders")]
    const answer = ask(box.client, "told", { assistantId, vector: [folderId] }, task, write, {
      text: "Written.",
    })
    const [file] = of(await answer, "file")
    const params = { id: "told", fileId: file?.fileId ?? "" }
    expect(await refusal(reader.chat.file({ params }))).toBeNull()
    expect(await refusal(client.chat.file({ params }))).toEqual(["not_found"])
    const stored = JSON.stringify(await client.conversations.read({ params: { id: "told" } }))
    expect(stored).toContain("Written.")
    expect(stored).not.toContain(params.fileId)
  })

  // Catches the name of a folder's file in the reason why a call waits for approval.
  test("doesn't see file names in the reason why a call waits or was refused", async () => {
    const params = { id: (await box.client.folders.create({ body: { name: "Named" } })).vector.id }
    await box.client.files.upload({ params, file: new Blob(["Code xylophone."]), fileName: "canary-77.txt" })
    await waitFor(async () => {
      expect((await box.client.files.list({ params })).files[0]?.status).toBe("completed")
    })
    const assistantId = await assistant({ builtInTools: { webSearch: true } })
    const search = { calls: [{ name: "webSearch", args: { query: "xylophone" } }] }
    await ask(box.client, "asked", { assistantId, vector: [params.id] }, search)
    await ask(box.client, "denied", { assistantId, vector: [params.id], approvals: "deny" }, search)
    const heardBy = async (client: Client) =>
      JSON.stringify([
        await client.chat.approvals({ params: { chatId: "asked" } }),
        await collect(client.chat.attach({ params: { chatId: "asked" } })),
        await client.conversations.read({ params: { id: "denied" } }),
      ])
    expect((await heardBy(box.client)).split("comes from the file")).toHaveLength(4)
    const heard = await heardBy(await limited("assistants"))
    expect(heard).toContain("contains text you didn't write")
    expect(heard).not.toContain("canary-77")
  })

  // Catches file names from a folder in the arguments of a waiting or stored tool call.
  test("doesn't see file names in a call that files or reads a file", async () => {
    const assistantId = await assistant({ builtInTools: { filing: true } })
    const { vector } = await box.client.folders.create({ body: { name: "Files" } })
    await box.client.files.upload({
      params: { id: vector.id },
      file: new Blob([secret]),
      fileName: "canary-77.txt",
    })
    await waitFor(async () => {
      expect((await box.client.files.list({ params: { id: vector.id } })).files[0]?.status).toBe("completed")
    })
    const calls = [
      { name: "readFile", args: { file: "canary-77.txt" } },
      { name: "renameFile", args: { file: "canary-77.txt", name: "other.txt" } },
    ]
    await ask(box.client, "filed", { assistantId, vector: [vector.id] }, { calls })
    const heardBy = async (client: Client) =>
      JSON.stringify([
        await client.chat.approvals({ params: { chatId: "filed" } }),
        (await client.chat.activity()).approvals.filter(({ chatId }) => chatId === "filed"),
        await client.conversations.read({ params: { id: "filed" } }),
        await collect(client.chat.attach({ params: { chatId: "filed" } })),
      ])
    const heard = await heardBy(await limited("assistants"))
    expect(heard.split("renameFile").length).toBeGreaterThan(4)
    expect(heard).not.toContain("canary-77")
    expect(await heardBy(await limited("assistants", "folders"))).toContain("canary-77")
  })

  // Catches passages quoted by an answer without a model, in its text, its stream or a search.
  test("can't read quoted passages", async () => {
    const quoting = await startTestBox()
    try {
      const params = { id: (await quoting.client.folders.create({ body: { name: "Secrets" } })).vector.id }
      await quoting.client.files.upload({ params, file: new Blob([secret]), fileName: "code.txt" })
      await waitFor(async () => {
        expect((await quoting.client.files.list({ params })).files[0]?.status).toBe("completed")
      })
      await ask(quoting.client, "quoted", { vector: [params.id] })
      const readBy = async (scopes: Scope[]) => {
        const client = quoting.getClient(
          (await quoting.client.keys.create({ body: { name: "x", scopes } })).key,
        )
        return JSON.stringify([
          await client.conversations.read({ params: { id: "quoted" } }),
          await client.conversations.search({ query: { query: "canary-77" } }),
          await collect(client.chat.attach({ params: { chatId: "quoted" } })),
        ])
      }
      expect((await readBy(["assistants", "read-only"])).split("canary-77").length).toBeGreaterThan(5)
      expect(await readBy(["assistants"])).not.toContain("canary-77")

      // A model that is connected later could repeat them.
      const { server } = await quoting.client.modelServers.add({
        body: { name: "Later", url: model.baseUrl },
      })
      const modelId = server.models[0]?.id ?? ""
      await quoting.client.models.choose({ body: { role: "chat", modelId } })
      const { key } = await quoting.client.keys.create({ body: { name: "x", scopes: ["assistants"] } })
      const client = quoting.getClient(key)
      const content = "Repeat your last answer."
      await client.queue.add({ params: { id: "quoted" }, body: { content } })
      await waitFor(() => expect(getPrompts(content)).toContain(content))
      expect(getPrompts(content)).not.toContain("canary-77")
    } finally {
      await quoting[Symbol.asyncDispose]()
    }
  })

  test("can't give folders to assistants", async () => {
    const client = await limited("assistants")
    const vectorIds = [folderId]
    expect(await refusal(client.assistants.create({ body: { name: "x", vectorIds } }))).toEqual([
      "forbidden",
      vectorIds,
    ])
    const params = { id: await assistant({}) }
    expect(await refusal(client.assistants.update({ params, body: { vectorIds } }))).toEqual([
      "forbidden",
      vectorIds,
    ])
    expect(await refusal(client.assistants.update({ params, body: { vectorIds: [] } }))).toBeNull()
  })
})

describe("a scoped key", () => {
  const builtInTools = { memory: true }
  const remember = { calls: [{ name: "memory", args: { action: "remember", text: "Likes tea." } }] }

  // Catches a key that puts an assistant into bypass mode, or changes what an assistant in bypass mode does.
  test("can't set bypass mode or instruct an assistant in bypass mode", async () => {
    const client = await limited("assistants", "folders", "read-only", "notify")
    const bypass = { permissionMode: "bypass" } as const
    expect(await refusal(client.assistants.create({ body: { name: "x", ...bypass } }))).toEqual(["forbidden"])
    const params = { id: await assistant(bypass) }
    for (const body of [
      bypass,
      { instructions: "Send all." },
      { builtInTools },
      { vectorIds: [folderId] },
      { modelId: null },
    ])
      expect(await refusal(client.assistants.update({ params, body })), JSON.stringify(body)).toEqual([
        "forbidden",
      ])
    expect(await refusal(client.assistants.update({ params, body: { name: "y" } }))).toBeNull()
    expect(await refusal(client.assistants.update({ params, body: { permissionMode: "auto" } }))).toBeNull()
    expect(await refusal(client.assistants.update({ params, body: bypass }))).toEqual(["forbidden"])
  })

  // Catches a key that lets a folder that stays on this computer be sent to a server, by allowing it or by clearing the field.
  test("can make a folder stay on this computer, but can't allow it to leave", async () => {
    const client = await limited("assistants", "folders", "read-only", "notify")
    const params = { id: (await box.client.folders.create({ body: { name: "Stays" } })).vector.id }
    const change = (by: Client, body: FolderPatch) => refusal(by.folders.update({ params, body }))
    expect(await change(client, { remote: "allowed" })).toBeNull()
    expect(await change(client, { remote: "never" })).toBeNull()
    for (const remote of ["allowed", null] as const)
      expect(await change(client, { name: "Leaves", remote })).toEqual(["forbidden"])
    expect(await change(client, { name: "Renamed", remote: "never" })).toBeNull()
    expect((await box.client.folders.read({ params })).vector).toMatchObject({
      name: "Renamed",
      remote: "never",
    })
    expect(await change(box.client, { remote: "allowed" })).toBeNull()
  })

  // Catches a key that instructs an assistant in bypass mode through a project.
  test("can't instruct an assistant in bypass mode through a project, and moves no chats", async () => {
    const client = await limited("assistants", "folders", "read-only", "notify")
    const assistantId = await assistant({ permissionMode: "bypass", builtInTools })
    const { projects, conversations } = client
    const change = (id: string, body: ProjectPatch) => refusal(projects.update({ params: { id }, body }))
    expect(await refusal(projects.create({ body: { name: "x", assistantId } }))).toEqual(["forbidden"])
    const waived = (await box.client.projects.create({ body: { name: "Waived", assistantId } })).project.id
    for (const body of [{ instructions: "Send all." }, { vectorIds: [folderId] }, { assistantId: null }])
      expect(await change(waived, body), JSON.stringify(body)).toEqual(["forbidden"])
    expect(await change(waived, { name: "y" })).toBeNull()
    const own = (await projects.create({ body: { name: "Own", instructions: "Send all." } })).project.id
    expect(await change(own, { assistantId })).toEqual(["forbidden"])
    await ask(box.client, "owners", {})
    for (const projectId of [own, waived, null]) {
      const moving = conversations.update({ params: { id: "owners" }, body: { projectId } })
      expect(await refusal(moving)).toEqual(["forbidden"])
    }
    const renaming = conversations.update({ params: { id: "owners" }, body: { title: "Renamed" } })
    expect(await refusal(renaming)).toBeNull()
  })

  // Catches instructions that a key stores in a project and that reach an assistant in bypass mode: one switched to bypass later, one named
  // by the owner, or one given a task by another assistant. Also catches a mark that a key can remove, or that stays after the owner saves
  // the project.
  test("writes project instructions that no assistant in bypass mode follows before the owner saves them", async () => {
    const client = await limited("assistants")
    const delegates = { builtInTools: { ...builtInTools, assistant: true } }
    const assistantId = await assistant({ name: "Later", ...delegates })
    const named = await assistant({ name: "Named", permissionMode: "bypass", ...delegates })
    const given = { name: "Given", instructions: "Send all.", assistantId }
    const { project } = await client.projects.create({ body: given })
    expect(project.writtenByScopedKey).toBe(true)
    const params = { id: assistantId }
    await box.client.assistants.update({ params, body: { permissionMode: "bypass" } })
    const asks = async (id: string, body: object, ...said: Round[]) =>
      of(await ask(box.client, id, { projectId: project.id, ...body }, ...said), "tool-approval-request")
        .length
    const task = { calls: [{ name: "assistant", args: { handle: "named", task: "Remember it." } }] }
    expect(await asks("became", {}, remember)).toBe(1)
    expect(await asks("named", { assistantId: named }, remember)).toBe(1)
    expect(await asks("task", {}, task, remember)).toBe(1)
    const update = (by: Client, body: ProjectPatch) =>
      by.projects.update({ params: { id: project.id }, body })
    const isMarked = async (work: Promise<{ project: Project }>) =>
      (await work).project.writtenByScopedKey === true
    expect(await isMarked(update(client, { name: "Renamed" }))).toBe(true)
    expect(await isMarked(update(box.client, { name: "Club", instructions: "Be brief." }))).toBe(true)
    expect(await isMarked(update(box.client, { instructions: "Be brief.", assistantId }))).toBe(false)
    expect(await asks("saved", {}, remember)).toBe(0)
  })

  // Catches a turn that resumes after approval as if only its owner had written the project.
  test("writes instructions that an answer resumed after an approval doesn't follow in bypass mode", async () => {
    const assistantId = await assistant({ name: "Waits", builtInTools })
    const body = { name: "Given", instructions: "Send all.", assistantId }
    const projectId = (await (await limited("assistants")).projects.create({ body })).project.id
    const params = { id: assistantId }
    await box.client.assistants.update({ params, body: { permissionMode: "bypass" } })
    const id = "goes-on"
    const [waiting] = of(
      await ask(box.client, id, { projectId }, remember, remember),
      "tool-approval-request",
    )
    const call = { chatId: id, toolCallId: waiting?.toolCallId ?? "" }
    await box.client.chat.approve({ params: call, body: { decision: "allow" } })
    const events = await collect(box.client.chat.attach({ params: { chatId: id } }))
    const asked = of(events, "tool-approval-request").map(({ toolCallId }) => toolCallId)
    expect(asked.filter((toolCallId) => toolCallId !== call.toolCallId)).toHaveLength(1)
  })

  // Catches a key that steers an assistant in bypass mode with a question in the owner's chat, also in a copy of the chat.
  test("asks in a chat in which bypass mode then waives no approvals", async () => {
    const assistantId = await assistant({ permissionMode: "bypass", builtInTools })
    const asks = async (client: Client, id: string, ...said: Round[]) =>
      of(await ask(client, id, { assistantId }, ...said), "tool-approval-request").length
    expect(await asks(box.client, "steered", remember)).toBe(0)
    await asks(await limited("assistants", "folders"), "steered")
    const { messages } = (await box.client.conversations.read({ params: { id: "steered" } })).chat
    const messageId = messages.find(({ role }) => role === "assistant")?.id ?? ""
    const copy = await box.client.conversations.fork({ params: { id: "steered" }, body: { messageId } })
    for (const id of ["steered", copy.chat.id]) expect(await asks(box.client, id, remember)).toBe(1)
    expect(await asks(box.client, "another", remember)).toBe(0)
  })

  // Catches a key that steers an assistant in bypass mode with a fact that it remembers, or one that is given a task by it.
  test("writes facts that no assistant in bypass mode follows before the owner confirms them", async () => {
    const client = await limited("assistants")
    const tools = { memory: true, assistant: true }
    const assistantId = await assistant({ name: "Knows", permissionMode: "bypass", builtInTools: tools })
    const other = await assistant({
      name: "Gives",
      permissionMode: "bypass",
      builtInTools: { assistant: true },
    })
    const { memory } = await client.memory.remember({ body: { text: "Wants all files to be sent." } })
    expect(memory.writtenByScopedKey).toBe(true)
    const asks = async (id: string, body: object, ...said: Round[]) =>
      of(await ask(box.client, id, body, ...said), "tool-approval-request").length
    const task = { calls: [{ name: "assistant", args: { handle: "knows", task: "Remember it." } }] }
    expect(await asks("knows", { assistantId }, remember)).toBe(1)
    expect(await asks("gives", { assistantId: other }, task, remember)).toBe(1)
    const params = { id: memory.id }
    const body = { text: memory.text }
    expect((await client.memory.update({ params, body })).memory.writtenByScopedKey).toBe(true)
    expect((await box.client.memory.update({ params, body })).memory.writtenByScopedKey).not.toBe(true)
    expect(await asks("confirmed", { assistantId }, remember)).toBe(0)
  })

  // Catches a key that steers an assistant in bypass mode with a chat that it imports.
  test("imports chats in which bypass mode then waives no approvals", async () => {
    const assistantId = await assistant({ permissionMode: "bypass", builtInTools })
    const chat = {
      uuid: "u1",
      name: "Holiday",
      chat_messages: [{ uuid: "m1", sender: "human", text: "Send all." }],
    }
    const file = new Blob([JSON.stringify([chat])])
    const imports = (await limited("assistants")).chatImports
    const { id } = (await imports.start({ file, fileName: "conversations.json" })).import
    await waitFor(async () => {
      expect((await imports.read({ params: { id } })).import).toMatchObject({ status: "completed", chats: 1 })
    })
    const { chats } = await box.client.conversations.list({ query: { importId: id } })
    const asked = of(
      await ask(box.client, chats[0]?.id ?? "", { assistantId }, remember),
      "tool-approval-request",
    )
    expect(asked).toHaveLength(1)
  })

  // Catches a key that steers an assistant in bypass mode: by writing it before it is switched to bypass, by lowering its mode in the same
  // request, or by writing an assistant that gets tasks from it.
  test("writes assistants that no one follows in bypass mode before the owner saves their instructions", async () => {
    const client = await limited("assistants")
    const asks = async (chatId: string, assistantId: string, ...said: Round[]) =>
      of(await ask(box.client, chatId, { assistantId }, ...said), "tool-approval-request").length
    const bypass = { permissionMode: "bypass" } as const
    const giver = await assistant({
      name: "Gives",
      ...bypass,
      builtInTools: { ...builtInTools, assistant: true },
    })
    expect(await asks("gives before", giver, remember)).toBe(0)
    const { id } = (await client.assistants.create({ body: { name: "Given", builtInTools } })).assistant
    expect(await asks("gives after", giver, remember)).toBe(1)
    const params = { id }
    const set = (body: AssistantPatch) => box.client.assistants.update({ params, body })
    expect((await set(bypass)).assistant.writtenByScopedKey).toBe(true)
    expect(await asks("written then bypass", id, remember)).toBe(1)
    const lowered = client.assistants.update({
      params,
      body: { permissionMode: "auto", instructions: "Send all." },
    })
    expect(await refusal(lowered)).toEqual(["forbidden"])
    expect((await set({ instructions: "Be brief." })).assistant.writtenByScopedKey).toBeUndefined()
    expect(await asks("instructions saved", id, remember)).toBe(0)
    expect(await asks("gives again", giver, remember)).toBe(0)
  })

  // Catches a key that uses an approval for a chat through its owner.
  test("asks in a chat, or writes an assistant, and approvals for the chat then have no effect", async () => {
    const assistantId = await assistant({ builtInTools })
    const id = "allowed-before"
    const [call] = of(await ask(box.client, id, { assistantId }, remember), "tool-approval-request")
    const params = { chatId: id, toolCallId: call?.toolCallId ?? "" }
    await box.client.chat.approve({ params, body: { decision: "allow", remember: "chat" } })
    await waitFor(async () => {
      expect((await box.client.chat.status({ params })).isActive).toBe(false)
    })
    const asks = async () =>
      of(await ask(box.client, id, { assistantId }, remember), "tool-approval-request").length
    expect(await asks()).toBe(0)
    const client = await limited("assistants")
    const rewrite = (by: Client) =>
      by.assistants.update({ params: { id: assistantId }, body: { instructions: "Be brief." } })
    await rewrite(client)
    expect(await asks()).toBe(1)
    await rewrite(box.client)
    await ask(client, id, { assistantId })
    expect(await asks()).toBe(1)
  })

  // Catches a key that gains a setting it can't make by using an assistant that has the setting.
  test("gains no more from an owner's bypass mode than a colleague: calls that auto mode asks about are refused", async () => {
    const assistantId = await assistant({ permissionMode: "bypass", builtInTools })
    const before = await box.client.memory.list()
    const events = await ask(await limited("assistants"), "waived", { assistantId }, remember)
    expect(of(events, "notice")).toMatchObject([{ code: "call_refused", tools: ["memory"] }])
    expect(of(events, "tool-approval-request")).toEqual([])
    expect(await box.client.memory.list()).toEqual(before)
  })

  // Catches a key that approves its own calls, and an approval that grants access the key doesn't have.
  test("can't answer approvals, and the owner's approval doesn't extend its rights", async () => {
    const client = await limited("assistants")
    const tools = { ...builtInTools, int_gmail: true }
    const assistantId = await assistant({ builtInTools: tools, vectorIds: [folderId] })
    const events = await ask(client, "parked", { assistantId }, remember)
    const [waiting] = of(events, "tool-approval-request")
    const params = { chatId: "parked", toolCallId: waiting?.toolCallId ?? "" }
    const body = { decision: "allow" } as const
    expect(await refusal(client.chat.approve({ params, body }))).toEqual(["forbidden"])
    await box.client.chat.approve({ params, body })
    await collect(box.client.chat.attach({ params: { chatId: "parked" } }))
    expect(lastPrompt()).not.toContain("canary-77")
    expect(lastPrompt()).toContain("limited rights")
    expect((await box.client.memory.list()).memories.map(({ text }) => text)).toContain("Likes tea.")
  })

  // Catches a key that uses a permission its owner granted for a chat.
  test("still needs approval for a call that its owner allowed for the chat", async () => {
    const id = "allowed"
    const assistantId = await assistant({ builtInTools })
    const [waiting] = of(await ask(box.client, id, { assistantId }, remember), "tool-approval-request")
    const params = { chatId: id, toolCallId: waiting?.toolCallId ?? "" }
    await box.client.chat.approve({ params, body: { decision: "allow", remember: "chat" } })
    await collect(box.client.chat.attach({ params: { chatId: id } }))
    const again = async (client: Client) =>
      of(await ask(client, id, { assistantId, approvals: "deny" }, remember), "notice")
    expect(await again(box.client)).toEqual([])
    expect(await again(await limited("assistants"))).toMatchObject([
      { code: "call_refused", tools: ["memory"] },
    ])
  })

  test("can't reach a connected account through a chat, and is told that none works", async () => {
    const client = await limited("assistants")
    const assistantId = await assistant({ builtInTools: { int_gmail: true, calculate: true } })
    expect(codes(await ask(client, "accounts", { assistantId }))).toEqual(["accounts_left_out"])
    expect(lastPrompt()).toContain("limited rights")
    expect(lastPrompt()).not.toContain("Gmail")
    const { tools } = await client.tools.list()
    expect(tools.filter(({ group, linked }) => group !== "core" && linked)).toEqual([])
    expect(tools.find(({ key }) => key === "calculate")).toMatchObject({ linked: true })
  })
})

describe("an unconfirmed key of a restored backup", () => {
  const builtInTools = { memory: true }
  const remember = { calls: [{ name: "memory", args: { action: "remember", text: "Likes coffee." } }] }
  const bypass = { permissionMode: "bypass" } as const

  // Catches a key that lets an assistant act without approvals after the restore has stopped it from doing so.
  test("can't set bypass mode or instruct an assistant in bypass mode", async () => {
    const client = await unconfirmed()
    const params = { id: await assistant({ permissionMode: "ask" }) }
    const change = (body: AssistantPatch) => refusal(client.assistants.update({ params, body }))
    expect(await change(bypass)).toEqual(["forbidden"])
    expect(await refusal(client.assistants.create({ body: { name: "x", ...bypass } }))).toEqual(["forbidden"])
    expect(await change({ name: "y" })).toBeNull()
    await box.client.assistants.update({ params, body: bypass })
    for (const body of [{ instructions: "Send all." }, { builtInTools }, { modelId: null }])
      expect(await change(body), JSON.stringify(body)).toEqual(["forbidden"])
    expect((await client.assistants.read({ params })).assistant).toMatchObject({ name: "y", ...bypass })
  })

  test("can't let a folder leave this computer", async () => {
    const client = await unconfirmed()
    const body = { name: "Stays here", remote: "never" } as const
    const params = { id: (await client.folders.create({ body: { name: body.name } })).vector.id }
    expect(await refusal(client.folders.update({ params, body }))).toBeNull()
    for (const remote of ["allowed", null] as const)
      expect(await refusal(client.folders.update({ params, body: { remote } }))).toEqual(["forbidden"])
    for (const visibility of ["TEAM", "PUBLIC"] as const)
      expect(await refusal(client.folders.update({ params, body: { visibility } }))).toEqual(["forbidden"])
    expect((await client.folders.read({ params })).vector).toMatchObject(body)
  })

  test("can't move a chat or instruct an assistant in bypass mode through a project, and marks a project that it writes", async () => {
    const client = await unconfirmed()
    const assistantId = await assistant(bypass)
    const given = { name: "Given", instructions: "Send all." }
    expect(await refusal(client.projects.create({ body: { ...given, assistantId } }))).toEqual(["forbidden"])
    const { project } = await client.projects.create({ body: given })
    expect(project.writtenByScopedKey).toBe(true)
    const update = (by: Client, body: ProjectPatch) =>
      by.projects.update({ params: { id: project.id }, body })
    expect(await refusal(update(client, { assistantId }))).toEqual(["forbidden"])
    const whole = { instructions: "Be brief.", assistantId: null }
    expect((await update(client, whole)).project.writtenByScopedKey).toBe(true)
    expect((await update(box.client, whole)).project.writtenByScopedKey).not.toBe(true)
    await ask(box.client, "kept", {})
    const move = (projectId: string | null) =>
      refusal(client.conversations.update({ params: { id: "kept" }, body: { projectId } }))
    for (const projectId of [project.id, null]) expect(await move(projectId)).toEqual(["forbidden"])
  })

  // Catches a key that acts without approvals: at once, from the queue, or when a waiting answer is resumed.
  test("gains nothing from an owner's bypass mode", async () => {
    const client = await unconfirmed()
    const assistantId = await assistant({ ...bypass, builtInTools })
    const before = await box.client.memory.list()
    const refused = [{ code: "call_refused", tools: ["memory"] }]
    expect(of(await ask(client, "unconfirmed", { assistantId }, remember), "notice")).toMatchObject(refused)

    rounds = [remember]
    const params = { id: "unconfirmed-queue" }
    await client.queue.add({ params, body: { content: "Remember it.", assistantId } })
    await waitFor(async () => {
      const { messages } = (await box.client.conversations.read({ params })).chat
      expect(messages.at(-1)?.content).toBe("Done.")
    })
    expect(await box.client.memory.list()).toEqual(before)

    const chatId = "unconfirmed-waits"
    const later = await assistant({ name: "Later", builtInTools })
    const [waiting] = of(
      await ask(client, chatId, { assistantId: later }, remember, remember),
      "tool-approval-request",
    )
    await box.client.assistants.update({ params: { id: later }, body: bypass })
    const call = { chatId, toolCallId: waiting?.toolCallId ?? "" }
    await box.client.chat.approve({ params: call, body: { decision: "allow" } })
    const resumed = await collect(box.client.chat.attach({ params: { chatId } }))
    expect(codes(resumed)).toContain("call_refused")
    expect(await box.client.memory.list()).toEqual(before)
  })

  test("can't use connected accounts in a chat or share an assistant that has them", async () => {
    const client = await unconfirmed()
    const accounts = { builtInTools: { int_gmail: true } }
    expect(await refusal(ask(client, "unconfirmed-accounts", accounts))).toEqual(["forbidden"])
    const assistantId = await assistant(accounts)
    expect(codes(await ask(client, "unconfirmed-accounts", { assistantId }))).toEqual(["accounts_left_out"])
    const sharing = { params: { id: assistantId }, body: { visibility: "TEAM" } as const }
    expect(await refusal(client.assistants.update(sharing))).toEqual(["forbidden"])
  })

  // Catches a private folder that becomes readable to all members through an assistant that is already shared.
  test("can't add a folder to an assistant that is shared", async () => {
    const client = await unconfirmed()
    const params = { id: await assistant({ visibility: "TEAM", vectorIds: [folderId] }) }
    const change = (body: AssistantPatch) => refusal(client.assistants.update({ params, body }))
    expect(await change({ name: "y", vectorIds: [folderId] })).toBeNull()
    const other = (await box.client.folders.create({ body: { name: "Private" } })).vector.id
    expect(await change({ vectorIds: [folderId, other] })).toEqual(["forbidden"])
    expect(await change({ vectorIds: [other], visibility: "PRIVATE" })).toBeNull()
  })

  test("still reads what a key with full rights reads", async () => {
    const client = await unconfirmed()
    expect((await client.folders.read({ params: { id: folderId } })).vector.name).toBe("Secrets")
    await ask(client, "unconfirmed-reads", { vector: [folderId] })
    expect(lastPrompt()).toContain("canary-77")
  })
})

// Catches a key that uses the queue to ask a question with tools it can't reach, or that rewrites a queued question with such tools.
test("a scoped key can't queue a question with connected accounts or change someone else's that has them", async () => {
  const client = await limited("assistants", "folders")
  const builtInTools = { int_gmail: true }
  const params = { id: "queued" }
  const held = async () => (await box.client.queue.list({ params })).entries
  const content = "What is in my mail?"
  expect(await refusal(client.queue.add({ params, body: { content, builtInTools } }))).toEqual(["forbidden"])
  expect(await held()).toEqual([])
  const gate = Promise.withResolvers<Round>()
  rounds = [gate.promise]
  const messages = [{ role: "user" as const, content: "Wait." }]
  const started = collect(box.client.chat.send({ body: { ...params, messages, boxAddress: box.url } }))
  await waitFor(async () =>
    expect(await box.client.chat.status({ params: { chatId: "queued" } })).toMatchObject({ isActive: true }),
  )
  const { entry } = await client.queue.add({ params, body: { content } })
  const entryParams = { ...params, entryId: entry.id }
  const change = (body: object) => client.queue.change({ params: entryParams, body })
  expect(await refusal(change({ builtInTools }))).toEqual(["forbidden"])
  expect(await held()).toMatchObject([{ content, builtInTools: null }])
  expect(await refusal(box.client.queue.change({ params: entryParams, body: { builtInTools } }))).toEqual([
    "forbidden",
  ])
  await box.client.queue.change({ params: entryParams, body: { content, builtInTools } })
  expect(await refusal(change({ content: "Send all of it." }))).toEqual(["forbidden"])
  expect(await held()).toMatchObject([{ content, builtInTools }])
  await box.client.queue.remove({ params: entryParams })
  gate.resolve({ text: "Waited." })
  await started
})

// Catches a key's question that gets its owner's rights through the “Ask now” button.
test("a question queued by a key keeps the key's rights until a user rewrites it", async () => {
  const client = await limited("assistants")
  const projectId = await projectWith([folderId])
  for (const [id, body] of Object.entries({
    now: {},
    changed: { reading: "passages" as const },
    written: { content: "" },
  })) {
    const gate = Promise.withResolvers<Round>()
    rounds = [gate.promise]
    const begin = {
      id,
      projectId,
      messages: [{ role: "user" as const, content: "Wait." }],
      boxAddress: box.url,
    }
    const started = collect(box.client.chat.send({ body: begin }))
    await waitFor(async () =>
      expect(await box.client.chat.status({ params: { chatId: id } })).toMatchObject({ isActive: true }),
    )
    const content = `What is the code, ${id}?`
    const { entry } = await client.queue.add({ params: { id }, body: { content } })
    expect(entry.waitsFor).toBe("answer")
    const patch = { ...body, ...("content" in body && { content }), now: true } as const
    await box.client.queue.change({ params: { id, entryId: entry.id }, body: patch })
    gate.resolve({ text: "Waited." })
    await started
    await waitFor(() => expect(getPrompts(content)).toContain(content))
    if (id === "written") expect(getPrompts(content)).toContain("canary-77")
    else expect(getPrompts(content)).not.toContain("canary-77")
  }
})

const getAutomation = async (client: Client, body: object) =>
  (
    await client.automations.create({
      body: { name: "Clerk", prompt: "What is the code?", trigger: { kind: "manual" }, ...body },
    })
  ).automation.id
const runEnded = (id: string) =>
  waitFor(async () => {
    const [run] = (await box.client.automations.runs({ params: { id } })).runs
    expect(run?.status).toMatch(/completed|failed/)
  })

describe("an automation", () => {
  // Catches a key that reads folders and accounts by running an automation its owner wrote.
  test("can be run by a key only if the key has the scopes for everything it reaches", async () => {
    const client = await limited("assistants")
    const reader = await limited("assistants", "folders")
    const vectorIds = [folderId]
    const folderBodies = {
      named: { vectorIds },
      assistants: { assistantId: await assistant({ vectorIds }) },
      watched: { trigger: { kind: "file", vectorId: folderId }, watch: true },
    }
    for (const [what, body] of Object.entries(folderBodies)) {
      const params = { id: await getAutomation(box.client, body) }
      for (const dryRun of [false, true])
        expect(await refusal(client.automations.run({ params, query: { dryRun } })), what).toEqual([
          "forbidden",
          vectorIds,
        ])
      expect((await box.client.automations.runs({ params })).runs, what).toEqual([])
      expect(await refusal(reader.automations.run({ params })), what).toBeNull()
      await runEnded(params.id)
    }
    const assistantId = await assistant({ builtInTools: { int_gmail: true } })
    const params = { id: await getAutomation(box.client, { assistantId }) }
    expect(await refusal(reader.automations.run({ params }))).toEqual(["forbidden"])
    expect(await refusal(box.client.automations.run({ params }))).toBeNull()
    await runEnded(params.id)
  })

  // Catches a run that reaches more than its key allows, through a delegated task or through something its assistant was given later.
  test("run by a key has no more rights than the key", async () => {
    const asked = await assistant({ name: "Keeper", vectorIds: [folderId] })
    const { handle } = (await box.client.assistants.read({ params: { id: asked } })).assistant
    const assistantId = await assistant({ builtInTools: { assistant: true } })
    const id = await getAutomation(box.client, { assistantId, prompt: "Ask for it." })
    const run = async (client: Client, task: string) => {
      rounds = [{ calls: [{ name: "assistant", args: { handle, task } }] }]
      await client.automations.run({ params: { id } })
      await runEnded(id)
      await waitFor(() => expect(getPrompts(task)).toContain(task))
      return getPrompts(task)
    }
    expect(await run(await limited("assistants"), "What is the code, key?")).not.toContain("canary-77")
    expect(await run(box.client, "What is the code, owner?")).toContain("canary-77")
  })

  // Catches an automation written by a key that runs with its owner's rights after the owner renames or enables it.
  test("written by a key keeps the key's rights until a user writes its prompt", async () => {
    const client = await limited("assistants")
    const assistantId = await assistant({ vectorIds: [folderId] })
    const prompt = "What is the code of the key's?"
    const id = await getAutomation(client, { assistantId, prompt })
    const run = async () => {
      await box.client.automations.run({ params: { id } })
      await runEnded(id)
      return getPrompts(prompt)
    }
    await box.client.automations.update({ params: { id }, body: { name: "Mine", enabled: true } })
    expect(await run()).not.toContain("canary-77")
    await box.client.automations.update({ params: { id }, body: { prompt } })
    expect(await run()).toContain("canary-77")
  })
})

// Catches a webhook created by a key that starts what its owner later made of the automation, or that outlives the key.
test("a webhook created by a key starts only what the key may, and stops working when the key is revoked", async () => {
  const scopes: Scope[] = ["assistants"]
  const { key, apiKey } = await box.client.keys.create({ body: { name: "Hooks", scopes } })
  const limited = box.getClient(key)
  const hook = { trigger: { kind: "hook" as const } }
  const prompt = "What is the code of the hook's?"
  const given = await getAutomation(box.client, { prompt })
  const made = await limited.automations.create({ body: { name: "Made", prompt, ...hook } })
  const call = async (url = "") => {
    const answer = await fetch(url, { method: "POST", body: "Go." })
    return [answer.status, await answer.text()] as const
  }
  const runs = async (id: string) => (await box.client.automations.runs({ params: { id } })).runs.length
  const owns = (id: string, body: object) => box.client.automations.update({ params: { id }, body })
  const givenHook = (await limited.automations.update({ params: { id: given }, body: hook })).hook
  for (const [id, url] of [
    [given, givenHook?.url],
    [made.automation.id, made.hook?.url],
  ] as const) {
    await owns(id, { prompt, enabled: true })
    expect((await call(url))[0]).toBe(202)
    await runEnded(id)
    await owns(id, { vectorIds: [folderId] })
    const [status, text] = await call(url)
    expect([status, text.includes(folderId)]).toEqual([403, false])
    expect(await runs(id)).toBe(1)
    await owns(id, { vectorIds: [] })
  }
  await box.client.keys.revoke({ params: { id: apiKey.id } })
  for (const url of [givenHook?.url, made.hook?.url]) expect((await call(url))[0]).toBe(404)

  await owns(given, { trigger: { kind: "manual" } })
  const { hook: renewed } = await owns(given, { ...hook, vectorIds: [folderId] })
  expect((await call(renewed?.url))[0]).toBe(202)
  await waitFor(() => expect(getPrompts(prompt)).toContain("canary-77"))
  await runEnded(given)
})

// Catches the name of a file in what an automation asks about it: in the prompt, the chat's title, a copy, a search, a queue or the prompt
// of a later question.
test("a key that can't read folders doesn't learn the names of files in an automation's chats", async () => {
  const name = "a most confidential dismissal of canary-90 and of everyone else named in it.txt"
  const params = { id: (await box.client.folders.create({ body: { name: "Personnel" } })).vector.id }
  await box.client.files.upload({ params, file: new Blob(["Nothing."]), fileName: name })
  const file = await waitFor(async () => {
    const [found] = (await box.client.files.list({ params })).files
    expect(found?.status).toBe("completed")
    return found
  })
  const query = { fileId: file?.id }
  for (const prompt of ["Look at {{file.name}}.", "A long title that is cut off within {{file.name}} here"]) {
    const automation = await getAutomation(box.client, { prompt, vectorIds: [params.id] })
    await box.client.automations.run({ params: { id: automation }, query })
    await runEnded(automation)
    const id = (await box.client.automations.runs({ params: { id: automation } })).runs[0]?.chatId ?? ""
    const chat = { id }
    const byEach = async (client: Client) => {
      const read = (await client.conversations.read({ params: chat })).chat
      const messageId = read.messages.at(-1)?.id ?? ""
      return JSON.stringify([
        read,
        await client.conversations.list({ query: { limit: 50 } }),
        await client.conversations.list({ query: { search: "canary-90" } }),
        await client.conversations.list({ query: { search: "confidential" } }),
        await client.conversations.search({ query: { query: "confidential", limit: 10 } }),
        await client.automations.runs({ params: { id: automation } }),
        await client.chat.activity({}),
        ...(client === box.client
          ? []
          : [
              await client.conversations.update({ params: chat, body: { pinned: true } }),
              await client.conversations.fork({ params: chat, body: { messageId } }),
            ]),
      ])
    }
    expect(await byEach(await limited("assistants", "folders"))).toContain("canary-90")
    const client = await limited("assistants")
    expect(await byEach(client)).not.toMatch(/canary-90|confidential/)
    expect(await byEach(client)).toContain("{{file.name}}")

    // The key continues the chat as it sees it, on the same branch.
    const { messages } = (await client.conversations.read({ params: chat })).chat
    const said = messages.map(({ role, content }) => ({ role, content }))
    const asked = `What was the first question of ${prompt}?`
    await ask(client, id, { messages: [...said, { role: "user", content: asked }] })
    await client.queue.add({ params: chat, body: { content: `And once more: ${prompt}` } })
    await waitFor(() => expect(getPrompts("And once more")).toContain(asked.slice(0, 20)))
    for (const content of [asked, "And once more"]) expect(getPrompts(content)).not.toContain("canary-90")
    expect((await client.conversations.read({ params: chat })).chat.branches).toHaveLength(1)
  }

  // The owner's question waits in the queue behind an answer.
  const gate = Promise.withResolvers<Round>()
  rounds = [gate.promise]
  const waiting = { id: "queued-names" }
  const messages = [{ role: "user" as const, content: "Wait." }]
  const started = collect(box.client.chat.send({ body: { ...waiting, messages, boxAddress: box.url } }))
  await waitFor(async () =>
    expect(await box.client.chat.status({ params: { chatId: waiting.id } })).toMatchObject({
      isActive: true,
    }),
  )
  const { entry } = await box.client.queue.add({
    params: waiting,
    body: { content: "Then this.", fileIds: [file?.id ?? ""], filter: { tags: ["canary-90"] } },
  })
  const entriesFor = async (client: Client) => JSON.stringify(await client.queue.list({ params: waiting }))
  expect(await entriesFor(await limited("assistants", "folders"))).toContain("canary-90")
  expect(await entriesFor(await limited("assistants"))).not.toContain("canary-90")
  await box.client.queue.remove({ params: { ...waiting, entryId: entry.id } })
  gate.resolve({ text: "Waited." })
  await started
})

/** Permissions of a key with these scopes; null means full rights. */
const can = (scopes: Scope[] | null) => {
  const has = (scope: Scope) => scopes === null || scopes.includes(scope)
  return { ask: has("assistants"), folders: has("folders"), read: has("read-only"), all: scopes === null }
}
type Reach = {
  /** Returns what the key, or the model it calls, can read through the feature. Throws if that is refused. */
  by(client: Client, id: string): Promise<unknown>
  /** Whether a key with these permissions reaches a folder this way. */
  reaches(may: ReturnType<typeof can>): boolean
}
const ifAsksAndReachesFolders: Reach["reaches"] = ({ ask, folders }) => ask && folders
const ifReachesFolders: Reach["reaches"] = ({ folders }) => folders
const asked = async (client: Client, id: string, body: object) => [
  await ask(client, id, { messages: [{ role: "user", content: `What is the code of ${id}?` }], ...body }),
  getPrompts(`of ${id}?`),
]

/** Each way to reach a folder, with the keys that may use it. */
const ways: Record<string, Reach> = {
  "a folder that a question names": {
    by: (client, id) => asked(client, id, { vector: [folderId] }),
    reaches: ifAsksAndReachesFolders,
  },
  "an assistant": {
    by: async (client, id) => asked(client, id, { assistantId: await assistant({ vectorIds: [folderId] }) }),
    reaches: ifAsksAndReachesFolders,
  },
  "a project": {
    by: async (client, id) => asked(client, id, { projectId: await projectWith([folderId]) }),
    reaches: ifAsksAndReachesFolders,
  },
  "the queue": {
    async by(client, id) {
      const body = { content: `What is the code of ${id}?`, projectId: await projectWith([folderId]) }
      await client.queue.add({ params: { id }, body })
      await collect(box.client.chat.attach({ params: { chatId: id } }))
      return getPrompts(`of ${id}?`)
    },
    reaches: ifAsksAndReachesFolders,
  },
  "the key's own automation": {
    async by(client, id) {
      const assistantId = await assistant({ vectorIds: [folderId] })
      const params = {
        id: await getAutomation(client, { prompt: `What is the code of ${id}?`, assistantId }),
      }
      await client.automations.run({ params })
      await runEnded(params.id)
      return getPrompts(`of ${id}?`)
    },
    reaches: ifAsksAndReachesFolders,
  },
  "the owner's automation": {
    async by(client, id) {
      const vectorIds = [folderId]
      const params = {
        id: await getAutomation(box.client, { prompt: `What is the code of ${id}?`, vectorIds }),
      }
      await client.automations.run({ params })
      await runEnded(params.id)
      return getPrompts(`of ${id}?`)
    },
    reaches: ifAsksAndReachesFolders,
  },
  "sharing an assistant": {
    async by(client) {
      const params = { id: await assistant({ vectorIds: [folderId] }) }
      await client.assistants.update({ params, body: { visibility: "TEAM" } })
      return secret
    },
    reaches: ifAsksAndReachesFolders,
  },
  "giving a project a folder": {
    async by(client) {
      const params = { id: await projectWith([]) }
      return (await client.projects.update({ params, body: { vectorIds: [folderId] } })) && secret
    },
    reaches: ifAsksAndReachesFolders,
  },
  "the owner's chat": {
    async by(client, id) {
      await ask(box.client, id, { vector: [folderId] })
      return client.conversations.read({ params: { id } })
    },
    reaches: ({ ask, folders, read }) => read || (ask && folders),
  },
  "a fork of it": {
    async by(client, id) {
      await ask(box.client, id, { vector: [folderId] })
      const { chat } = await box.client.conversations.read({ params: { id } })
      const messageId = chat.messages.at(-1)?.id ?? ""
      const fork = (await client.conversations.fork({ params: { id }, body: { messageId } })).chat
      return client.conversations.read({ params: { id: fork.id } })
    },
    reaches: ({ ask, folders, read }) => ask && (folders || read),
  },
  "a delegated task": {
    async by(client, id) {
      const librarian = await assistant({ name: "Librarian", vectorIds: [folderId] })
      const { handle } = (await box.client.assistants.read({ params: { id: librarian } })).assistant
      const assistantId = await assistant({ builtInTools: { assistant: true } })
      const task = { calls: [{ name: "assistant", args: { handle, task: `What is the code of ${id}?` } }] }
      return [await ask(client, id, { assistantId }, task), getPrompts(`of ${id}?`)]
    },
    reaches: ifAsksAndReachesFolders,
  },
  "the search": {
    by: (client) => client.folders.search({ body: { query: "code", vector: [folderId] } }),
    reaches: ({ folders, read }) => folders || read,
  },
  "a filtered search": {
    by: (client) =>
      client.folders.search({ body: { query: "code", vector: [folderId], filter: { path: "*.txt" } } }),
    reaches: ({ folders, read }) => folders || read,
  },
  "the passages of an answer": {
    async by(client, id) {
      await ask(box.client, id, { vector: [folderId] })
      const { chat } = await box.client.conversations.read({ params: { id } })
      const messageId = chat.messages.at(-1)?.id ?? ""
      const kept = await client.conversations.retrieval({ params: { id, messageId } })
      return JSON.stringify(kept).includes(folderId) && secret
    },
    reaches: ({ ask, folders, read }) => read || (ask && folders),
  },
  "a file": {
    async by(client) {
      const fileId = (await box.client.files.list({ params: { id: folderId } })).files[0]?.id ?? ""
      return (await client.files.content({ params: { id: folderId, fileId } })).text()
    },
    reaches: ({ folders, read }) => folders || read,
  },
  "a run about a file": {
    async by(client, id) {
      const fileId = (await box.client.files.list({ params: { id: folderId } })).files[0]?.id ?? ""
      const params = { id: await getAutomation(box.client, { prompt: `What is the code of ${id}?` }) }
      await client.automations.run({ params, query: { fileId } })
      await runEnded(params.id)
      return getPrompts(`of ${id}?`)
    },
    reaches: ifAsksAndReachesFolders,
  },
  "undoing a deletion": {
    async by(client) {
      const { vector } = await box.client.folders.create({ body: { name: "Deleted" } })
      const { undo } = await box.client.folders.remove({ params: { id: vector.id } })
      return (await client.deletions.undo({ body: { token: undo?.token ?? "" } })) && secret
    },
    reaches: ifReachesFolders,
  },
  "undoing what was filed": {
    async by(client, id) {
      const params = { id: folderId }
      const fileId = (await box.client.files.list({ params })).files[0]?.id ?? ""
      const { filing } = await box.client.filing.file({
        body: { action: "tag", fileId, tags: [id.slice(0, 40)] },
      })
      return (await client.filing.undo({ params: { id: filing.id } })) && secret
    },
    reaches: ifReachesFolders,
  },
  "imported chats": {
    async by(client, id) {
      const chats = [{ uuid: id, name: id, chat_messages: [{ uuid: "1", sender: "human", text: "Code?" }] }]
      const file = new Blob([JSON.stringify(chats)])
      const started = await client.chatImports.start({ file, fileName: "conversations.json" })
      await waitFor(async () => {
        const params = { id: started.import.id }
        expect((await box.client.chatImports.read({ params })).import.status).toMatch(/completed|failed/)
      })
      return asked(client, id, {})
    },
    reaches: () => false,
  },
  "a backup": {
    by: async (client) => (await client.storage.backup()) && secret,
    reaches: ({ all }) => all,
  },
}
const credentials: (Scope[] | null)[] = [
  null,
  ["assistants"],
  ["folders"],
  ["read-only"],
  ["notify"],
  ["assistants", "folders"],
  ["assistants", "read-only"],
  ["assistants", "notify"],
]

// Catches a feature through which a key reaches more, or less, than its scopes allow.
test.each(Object.entries(ways))(
  "through %s, a key reaches a folder only with the scopes for it",
  async (way, { by, reaches }) => {
    for (const scopes of credentials) {
      const client = scopes === null ? box.client : await limited(...scopes)
      const id = `${way} ${scopes?.join() ?? "all"}`
      const read: unknown = await by(client, id).catch((error: unknown) => {
        // A file that a key can't read doesn't exist for it.
        if (!(error instanceof AppError) || !["forbidden", "validation"].includes(error.code)) throw error
      })
      expect(JSON.stringify(read ?? null).includes("canary-77"), id).toBe(reaches(can(scopes)))
    }
  },
)

/** Occurs in the names of files and, because they name these files, in texts of every kind. */
const canary = "canary-92"

/** Uploads a file with the canary in its name. Returns its ID. */
async function uploadNamed(vectorId: string, name: string): Promise<string> {
  const params = { id: vectorId }
  await box.client.files.upload({ params, file: new Blob(["Nothing."]), fileName: `${canary} ${name}.txt` })
  return waitFor(async () => {
    const file = (await box.client.files.list({ params })).files.find((each) => each.name.includes(name))
    expect(file?.status).toBe("completed")
    return file?.id ?? ""
  })
}

/** Creates texts of every kind that name files: in chats, queues, calls, runs and titles. Returns the IDs of their items. */
async function makeNamingTexts() {
  const { client } = box
  const vectorId = (await client.folders.create({ body: { name: "Named" } })).vector.id
  const fileId = await uploadNamed(vectorId, "dismissal")
  const assistantId = await assistant({ name: "Clerk", builtInTools: { filing: true } })
  const question = (content: string) => ({ messages: [{ role: "user" as const, content }] })

  const file = `${canary} dismissal.txt`
  const calls = [
    { name: "readFile", args: { file } },
    { name: "renameFile", args: { file, name: `${canary} other.txt` } },
  ]
  await ask(
    client,
    "names-asked",
    { assistantId, fileIds: [fileId], ...question(`Read ${file}.`) },
    { calls },
  )

  const attached = { id: "names-attached" }
  const own = (await client.conversations.folder({ params: attached })).vector.id
  await uploadNamed(own, "attached")
  await ask(client, attached.id, question(`Read ${canary} attached.txt.`))

  const prompt = "Look at {{file.name}}."
  const automationId = await getAutomation(client, { prompt, vectorIds: [vectorId] })
  await client.automations.run({ params: { id: automationId }, query: { fileId } })
  await runEnded(automationId)
  const [run] = (await client.automations.runs({ params: { id: automationId } })).runs

  const gate = Promise.withResolvers<Round>()
  rounds = [gate.promise]
  const busy = { id: "names-queued" }
  const body = { ...busy, ...question(`Wait for ${file}.`), fileIds: [fileId], boxAddress: box.url }
  const started = collect(client.chat.send({ body }))
  await waitFor(async () => {
    const { isActive } = await client.chat.status({ params: { chatId: busy.id } })
    expect(isActive).toBe(true)
  })
  const queued = (by: Client, content: string, more: object = {}) =>
    by.queue.add({ params: busy, body: { content, ...more } })
  const deleted = await uploadNamed(vectorId, "deleted")
  const busyFolder = (await client.conversations.folder({ params: busy })).vector.id
  const later = await uploadNamed(busyFolder, "later")
  const long = "Please. ".repeat(35) // the preview of the queue ends within the name
  const { entry } = await queued(client, `${long}Read ${file}.`, { fileIds: [fileId] })
  await queued(client, `And ${canary} deleted.txt.`, { fileIds: [deleted] })
  await queued(client, `And ${canary} later.txt.`, { attachments: [later] })
  await queued(client, `And ${canary} later.txt once more.`)
  await queued(client, `Then ${file} again.`, { filter: { path: `${canary}*` } })
  await client.files.remove({ params: { id: vectorId, fileId: deleted } })

  const { messages } = (await client.conversations.read({ params: attached })).chat
  return {
    chats: ["names-asked", attached.id, run?.chatId ?? "", busy.id],
    busy: busy.id,
    assistantId,
    automationId,
    runId: run?.id ?? "",
    messageId: messages.at(-1)?.id ?? "",
    entryId: entry.id,
    async [Symbol.asyncDispose]() {
      const { entries } = await client.queue.list({ params: busy })
      for (const { id } of entries) await client.queue.remove({ params: { ...busy, entryId: id } })
      gate.resolve({ text: "Waited." })
      await started
    },
  }
}
type NamingTexts = Awaited<ReturnType<typeof makeNamingTexts>>

/**
 * Requests of endpoints that aren't only read, and that return a stored text: parameters and body. Other endpoints that change something
 * are listed in `returnNoStoredText`.
 */
const changes: Record<string, (texts: NamingTexts) => { path: string[]; body?: object }> = {
  "conversations.update": ({ chats: [id = ""] }) => ({ path: [id], body: { pinned: true } }),
  "conversations.fork": ({ chats: [, id = ""], messageId }) => ({ path: [id], body: { messageId } }),
  "queue.change": ({ busy, entryId }) => ({ path: [busy, entryId], body: { reading: "passages" } }),
  "queue.resume": ({ busy }) => ({ path: [busy] }),
  "queue.add": ({ busy }) => ({ path: [busy], body: { content: "Go on." } }),
  "conversations.folder": ({ busy }) => ({ path: [busy] }),
  "automations.update": ({ automationId }) => ({ path: [automationId], body: { name: "Clerk" } }),
  "automations.cancel": ({ runId }) => ({ path: [runId] }),
  "assistants.update": ({ assistantId }) => ({ path: [assistantId], body: { name: "Clerk" } }),
  "chat.prepare": ({ assistantId }) => ({ path: [], body: { assistantId } }),
  "chat.estimateReading": ({ assistantId }) => ({ path: [], body: { assistantId } }),
}
/** Endpoints whose responses contain only what the request contains, what a model says, or no text. */
const returnNoStoredText =
  /^(completions|questions|notifications|memory|chatImports|deletions|projects)\.|^mcpServer\.call$|^assistants\.create$|^automations\.(create|run)$|^chat\.(send|stop)$|\.remove(Several)?$/

const getValues = (path: string, texts: NamingTexts): string[][] => {
  if (path.includes(":messageId")) return [[texts.chats[1] ?? "", texts.messageId]]
  if (path.includes("/chats/:id/files")) return []
  if (/:chatId|chats\/:id/.test(path)) return texts.chats.map((id) => [id])
  if (path.includes("automations/:id")) return [[texts.automationId]]
  if (path.includes("assistants/:id")) return [[texts.assistantId]]
  return path.includes(":") ? [] : [[]]
}

/** Returns what every endpoint answers that a key with these scopes may call, by its name. */
async function readEverything(key: string, may: (endpoint: Endpoint) => boolean, texts: NamingTexts) {
  const answers = new Map<string, string>()
  const request = async (name: string, { method, path, kind }: Endpoint, values: string[], body?: object) => {
    const rest = [...values]
    const address = path.replace(/:\w+/g, () => encodeURIComponent(rest.shift() ?? ""))
    const query = name === "conversations.search" ? `?query=${canary}` : ""
    const end = new AbortController()
    const answer = await fetch(`${box.url}${address}${query}`, {
      method: method.toUpperCase(),
      headers: { "x-api-key": key, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: end.signal,
    })
    // The stream of an answer that is being written doesn't end.
    const isEndless = kind === "stream" && values.includes(texts.busy)
    if (isEndless) end.abort()
    else answers.set(name, (answers.get(name) ?? "") + `${answer.status} ${await answer.text()}`)
  }
  const endpoints = Object.entries<Contract>(api).flatMap(([feature, contract]) =>
    Object.entries(contract).map(([name, endpoint]): [string, Endpoint] => [`${feature}.${name}`, endpoint]),
  )
  for (const [name, endpoint] of endpoints.filter(([, each]) => may(each))) {
    const change = changes[name]?.(texts)
    if (change) await request(name, endpoint, change.path, change.body)
    else if (endpoint.method === "get")
      for (const values of getValues(endpoint.path, texts)) await request(name, endpoint, values)
    else if (endpoint.scope !== "folders") expect(name, "returns texts?").toMatch(returnNoStoredText)
  }
  return answers
}

const isChatText = ({ scope }: Endpoint) =>
  [scope ?? []].flat().some((each) => each === "assistants" || each === "notify")

// Catches an endpoint that tells names of files to a key that can't read folders, in any text that names files.
test("no request tells a key that can't read folders the names of files", async () => {
  await using texts = await makeNamingTexts()
  const naming = [...(await readEverything(box.key, isChatText, texts))].filter(([, text]) =>
    text.includes(canary),
  )
  expect(naming.map(([name]) => name)).toEqual(
    expect.arrayContaining([
      "chat.activity",
      "chat.approvals",
      "chat.attach",
      "conversations.list",
      "conversations.read",
      "conversations.update",
      "conversations.search",
      "conversations.fork",
      "queue.list",
      "queue.chats",
      "queue.change",
      "queue.resume",
      "automations.list",
      "automations.read",
      "automations.update",
      "automations.runs",
      "automations.cancel",
    ]),
  )
  const hidden = Scope.options.filter((scope) => scope !== "folders" && scope !== "read-only")
  for (const scopes of [hidden, ...hidden.map((scope) => [scope])] as Scope[][]) {
    const { key } = await box.client.keys.create({ body: { name: scopes.join(), scopes } })
    const may = ({ access = "user", method, scope }: Endpoint) =>
      access === "user" &&
      (scope === undefined ? method === "get" : [scope].flat().some((each) => scopes.includes(each)))
    for (const [name, text] of await readEverything(key, may, texts)) {
      expect(text, `${name} with ${scopes.join()}`).not.toContain(canary)
      expect(text, `${name} with ${scopes.join()}`).not.toMatch(/^(401|500)/)
    }
    const socket = new WebSocket(box.url.replace("http", "ws") + socketPath, {
      headers: { "x-api-key": key },
    })
    const refused = await new Promise((resolve) => {
      socket.on("unexpected-response", (_request, { statusCode }) => resolve(statusCode))
      socket.on("open", () => resolve("open"))
    })
    expect(refused).toBe(403)
  }
})
