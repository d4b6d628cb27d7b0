import { once } from "node:events"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { z } from "zod"
import { api } from "../shared/contract/api.ts"
import { Scope, type Contract, type Endpoint } from "../shared/contract/endpoint.ts"
import { socketPath } from "../shared/contract/socket.ts"
import {
  callTool,
  connectMcp,
  getKey,
  getSocket,
  signIn,
  tokenIn,
  type AppSession,
} from "./testing/clients.ts"
import { startModelServer, type ModelServer } from "./testing/model-servers/model-server.ts"
import { makeWorld, worldModel } from "./testing/owned-world.ts"
import { startTestBox, type TestBox } from "./testing/test-box.ts"

/** Occurs in everything that the owner has, and in nothing else. */
const canary = "canary-7d21"

const endpoints: [string, Endpoint][] = Object.entries<Contract>(api).flatMap(([feature, contract]) =>
  Object.entries(contract).map(([name, endpoint]): [string, Endpoint] => [`${feature}.${name}`, endpoint]),
)

const question = {
  messages: [{ role: "user" as const, content: "What?" }],
  boxAddress: "http://127.0.0.1:8484",
}

let model: ModelServer
let box: TestBox
/** The owner's items: values for path parameters and body fields. */
let owned: Record<string, string>
/** The second user's items, to which their requests try to add the owner's. */
let mine: Record<string, string>
/** Key of a second user with full rights. */
let otherKey: string
let otherSession: AppSession
/** Keys of both users with one scope each, and with none. */
let limited: { of: "owner" | "other"; scope: Scope; key: string }[]
/** Everything that was sent in the meantime to the second user's WebSockets, one for each credential that may open one. */
let heard: string

beforeAll(async () => {
  heard = ""
  model = await startModelServer(worldModel(canary))
  box = await startTestBox({ model: model.baseUrl })
  otherSession = await signInOther()
  otherKey = await getKey(box.url, otherSession)
  const body = { name: "Socket", scopes: ["read-only" as const] }
  const { key } = await box.getClient(otherKey).keys.create({ body })
  const { protocols, ...app } = getSocket(otherSession)
  for (const options of [app, { headers: { "x-api-key": otherKey } }, { headers: { "x-api-key": key } }]) {
    const address = box.url.replace("http", "ws") + socketPath
    const socket = new WebSocket(address, options === app ? protocols : [], options)
    socket.on("message", (message: Buffer) => (heard += message.toString()))
    await once(socket, "open")
  }
  owned = await makeWorld(box, canary)
  mine = await makeItems()
  limited = []
  for (const of of ["owner", "other"] as const) {
    const client = box.getClient(of === "owner" ? box.key : otherKey)
    for (const scope of Scope.options) {
      const { key } = await client.keys.create({ body: { name: scope, scopes: [scope] } })
      limited.push({ of, scope, key })
    }
  }
})
afterEach(expectNothingHeard)
afterAll(async () => {
  await box[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

/** Applies whatever the test did. */
function expectNothingHeard(): void {
  expect(heard).not.toContain(canary)
  for (const id of Object.values(owned)) expect(heard).not.toContain(id)
}

/** Signs in a colleague who owns nothing. */
async function signInOther(): Promise<AppSession> {
  const { client } = box
  const { links } = await client.people.add({ body: { email: "other@example.com", name: "Other" } })
  return signIn(box.url, tokenIn(links.local))
}

/** Creates the second user's items, which hold nothing of the owner's. */
async function makeItems(): Promise<Record<string, string>> {
  const client = box.getClient(otherKey)
  const { vector } = await client.folders.create({ body: { name: "Mine" } })
  const { files } = await client.files.upload({
    params: { id: vector.id },
    file: new Blob(["Mine."]),
    fileName: "mine.txt",
  })
  const { assistant } = await client.assistants.create({ body: { name: "Mine" } })
  const { project } = await client.projects.create({ body: { name: "Mine" } })
  const { automation } = await client.automations.create({
    body: { name: "Mine", prompt: "Mine", trigger: { kind: "manual" } },
  })
  const id = "myChat"
  const body = { ...question, id, builtInTools: { memory: true } }
  for await (const event of client.chat.send({ body })) if (event.type === "finish") break
  // It waits for the approval, so that it can be changed.
  const { entry } = await client.queue.add({ params: { id }, body: { content: "Mine" } })
  return {
    myFile: files[0]?.id ?? "",
    myAssistant: assistant.id,
    myProject: project.id,
    myAutomation: automation.id,
    myQuestion: entry.id,
  }
}

interface Attempt {
  /** Names of the values for the path parameters, in order. */
  path: readonly string[]
  body?: unknown
  query?: string
  /** Status returned instead of a refusal, because the request concerns the caller's own, empty namespace. */
  answers?: number
}

const unlimited = { files: null, bytes: null, answers: null, tokens: null }

/** Requests that another user might try with the owner's ids, for every endpoint that accepts an id. */
const attempts: Record<string, () => Attempt[]> = {
  "keys.revoke": () => [{ path: ["key"] }],
  "people.update": () => [
    { path: ["user"], body: { name: "Mallory" } },
    { path: ["user"], body: { email: "mallory@example.com" } },
    { path: ["user"], body: { disabled: true } },
    { path: ["user"], body: { role: "member" } },
    { path: ["other"], body: { role: "owner" } },
  ],
  "people.signInLinks": () => [{ path: ["user"] }, { path: ["other"] }],
  "quotas.setPerson": () => [
    { path: ["user"], body: unlimited },
    { path: ["other"], body: unlimited },
  ],
  "quotas.setWorkspace": () => [{ path: ["any"], body: unlimited }],
  "models.remove": () => [{ path: ["any"] }],
  "modelServers.update": () => [{ path: ["any"], body: { name: "Mine" } }],
  "modelServers.refresh": () => [{ path: ["any"] }],
  "modelServers.remove": () => [{ path: ["any"] }],
  "modelOptions.read": () => [{ path: ["any"] }],
  "modelOptions.update": () => [{ path: ["any"], body: { temperature: 2 } }],
  "models.pauseDownload": () => [{ path: ["any"] }],
  "models.resumeDownload": () => [{ path: ["any"] }],
  "models.cancelDownload": () => [{ path: ["any"] }],
  "assistants.create": () => [{ path: [], body: { name: "Thief", vectorIds: [owned["folder"]] } }],
  "assistants.handle": () => [
    { path: [], query: `?wanted=${canary}&assistantId=${owned["assistant"]}`, answers: 200 },
  ],
  "assistants.read": () => [{ path: ["assistant"] }],
  "assistants.update": () => [
    { path: ["assistant"], body: { visibility: "PUBLIC" } },
    { path: ["myAssistant"], body: { vectorIds: [owned["folder"]] } },
  ],
  "assistants.remove": () => [{ path: ["assistant"] }],
  "assistants.image": () => [{ path: ["assistant"] }],
  "folders.search": () => [{ path: [], body: { query: canary, vector: [owned["folder"]] } }],
  "folders.read": () => [{ path: ["folder"] }],
  "folders.update": () => [{ path: ["folder"], body: { visibility: "PUBLIC" } }],
  "folders.forgetMissing": () => [{ path: ["folder"] }],
  "folders.imageCosts": () => [{ path: ["folder"] }],
  "folders.remove": () => [{ path: ["folder"] }],
  "folders.passage": () => [{ path: ["folder", "passage"] }],
  "facts.overview": () => [{ path: ["folder", "file"] }],
  "facts.list": () => [{ path: ["folder"] }],
  "facts.terms": () => [{ path: ["folder"] }],
  "tables.list": () => [{ path: ["folder"] }],
  "tables.query": () => [{ path: ["folder"], body: { sql: "SELECT 1" } }],
  "files.upload": () => [{ path: ["folder"] }],
  "files.list": () => [{ path: ["folder"] }],
  "files.read": () => [{ path: ["folder", "file"] }],
  "files.replace": () => [{ path: ["folder", "file"] }],
  "files.remove": () => [{ path: ["folder", "file"] }],
  "files.content": () => [{ path: ["folder", "file"] }],
  "files.text": () => [{ path: ["folder", "file"] }],
  "files.preview": () => [{ path: ["folder", "file"] }],
  "files.pages": () => [{ path: ["folder", "file"] }],
  "files.page": () => [{ path: ["folder", "file", "one"] }],
  "files.addUrl": () => [{ path: ["folder"], body: { url: "https://example.com/" } }],
  "files.update": () => [{ path: ["folder", "file"], body: { leftOut: true } }],
  "files.putBack": () => [{ path: ["any"] }],
  "files.removeTrashed": () => [{ path: ["any"] }],
  "files.retry": () => [{ path: ["folder", "file"] }],
  "files.retryFailed": () => [{ path: ["folder"] }],
  "chat.send": () => [
    { path: [], body: { ...question, id: "mine", vector: [owned["folder"]] } },
    { path: [], body: { ...question, id: "mine", assistantId: owned["assistant"] } },
    { path: [], body: { ...question, id: "mine", projectId: owned["project"] }, answers: 400 },
    { path: [], body: { ...question, id: "mine", fileIds: [owned["file"]] } },
    { path: [], body: { ...question, id: "mine", attachments: [owned["file"]] }, answers: 400 },
  ],
  "chat.prepare": () => [
    { path: [], body: { vector: [owned["folder"]] }, answers: 202 }, // only the number of folders matters
    { path: [], body: { assistantId: owned["assistant"] } },
  ],
  "chat.estimateReading": () => [
    { path: [], body: { vector: [owned["folder"]] } },
    { path: [], body: { fileIds: [owned["file"]] } },
    { path: [], body: { assistantId: owned["assistant"] } },
  ],
  "chat.attach": () => [{ path: ["citedChat"] }, { path: ["waitingChat"] }],
  "chat.stop": () => [{ path: ["waitingChat"], answers: 200 }],
  "chat.status": () => [{ path: ["waitingChat"], answers: 200 }],
  "chat.approvals": () => [{ path: ["waitingChat"], answers: 200 }],
  "chat.approve": () => [{ path: ["waitingChat", "call_that_waits"], body: { decision: "allow" } }],
  "chat.file": () => [{ path: ["waitingChat", "madeFile"] }],
  "queue.list": () => [{ path: ["waitingChat"], answers: 200 }],
  "queue.add": () => [
    { path: ["mine"], body: { content: "Mine", vector: [owned["folder"]] } },
    { path: ["mine"], body: { content: "Mine", assistantId: owned["assistant"] } },
    { path: ["newChat"], body: { content: "Mine", projectId: owned["project"] }, answers: 400 },
    { path: ["mine"], body: { content: "Mine", fileIds: [owned["file"]] } },
    { path: ["mine"], body: { content: "Mine", attachments: [owned["file"]] }, answers: 400 },
  ],
  "queue.change": () => [
    { path: ["myChat", "myQuestion"], body: { vector: [owned["folder"]] } },
    { path: ["myChat", "myQuestion"], body: { assistantId: owned["assistant"] } },
    { path: ["myChat", "myQuestion"], body: { fileIds: [owned["file"]] } },
    { path: ["myChat", "myQuestion"], body: { attachments: [owned["file"]] }, answers: 400 },
    { path: ["waitingChat", "waitingQuestion"], body: { content: "Mine" } },
    { path: ["mine", "waitingQuestion"], body: { now: true } },
  ],
  "queue.remove": () => [{ path: ["waitingChat", "waitingQuestion"] }],
  "queue.resume": () => [{ path: ["waitingChat"], answers: 200 }],
  "conversations.read": () => [
    { path: ["citedChat"] },
    { path: ["citedChat"], query: `?branch=${owned["citedMessage"]}` },
  ],
  "chatImports.read": () => [{ path: ["any"] }],
  "chatImports.confirm": () => [{ path: ["any"] }],
  "chatImports.stop": () => [{ path: ["any"] }],
  "keys.calls": () => [{ path: ["key"] }],
  "automations.create": () => [
    {
      path: [],
      body: { name: "Thief", prompt: "Read", trigger: { kind: "manual" }, vectorIds: [owned["folder"]] },
    },
    {
      path: [],
      body: { name: "Thief", prompt: "Read", trigger: { kind: "file", vectorId: owned["folder"] } },
    },
    {
      path: [],
      body: { name: "Thief", prompt: "Read", trigger: { kind: "manual" }, assistantId: owned["assistant"] },
      answers: 400,
    },
  ],
  "automations.read": () => [{ path: ["automation"] }],
  "automations.update": () => [
    { path: ["automation"], body: { name: "Mine" } },
    { path: ["myAutomation"], body: { vectorIds: [owned["folder"]] } },
    { path: ["myAutomation"], body: { trigger: { kind: "file", vectorId: owned["folder"] } } },
    { path: ["myAutomation"], body: { assistantId: owned["assistant"] }, answers: 400 },
  ],
  "automations.remove": () => [{ path: ["automation"] }],
  "automations.runs": () => [{ path: ["automation"] }],
  "automations.run": () => [
    { path: ["automation"] },
    { path: ["myAutomation"], query: `?fileId=${owned["file"]}`, answers: 400 },
  ],
  "automations.cancel": () => [{ path: ["any"] }],
  "automations.hook": () => [{ path: ["automation"] }],
  "filing.list": () => [{ path: [], query: `?fileId=${owned["file"]}`, answers: 200 }],
  "filing.file": () => [
    { path: [], body: { action: "rename", fileId: owned["file"], name: "mine.txt" } },
    { path: [], body: { action: "move", fileId: owned["file"], vectorId: owned["folder"], folder: "mine" } },
    { path: [], body: { action: "tag", fileId: owned["file"], tags: ["mine"] } },
    { path: [], body: { action: "note", fileId: owned["file"], content: "Mine" } },
    { path: [], body: { action: "move", fileId: mine["myFile"], vectorId: owned["folder"], folder: "mine" } },
  ],
  "filing.undo": () => [{ path: ["filing"] }],
  "filing.history": () => [{ path: ["folder", "file"] }],
  "questions.read": () => [{ path: ["question"] }],
  "questions.answer": () => [{ path: ["question"], body: { choice: "No" } }],
  "projects.create": () => [
    { path: [], body: { name: "Thief", vectorIds: [owned["folder"]] } },
    { path: [], body: { name: "Thief", assistantId: owned["assistant"] }, answers: 400 },
  ],
  "projects.read": () => [{ path: ["project"] }],
  "projects.update": () => [
    { path: ["project"], body: { name: "Mine" } },
    { path: ["myProject"], body: { vectorIds: [owned["folder"]] } },
    { path: ["myProject"], body: { assistantId: owned["assistant"] }, answers: 400 },
  ],
  "projects.remove": () => [{ path: ["project"] }],
  "conversations.update": () => [
    { path: ["citedChat"], body: { title: "Mine" } },
    { path: ["citedChat"], body: { projectId: null } },
    { path: ["myChat"], body: { projectId: owned["project"] }, answers: 400 },
  ],
  "conversations.list": () => [
    { path: [], query: `?projectId=${owned["project"]}`, answers: 200 },
    { path: [], query: `?importId=${owned["project"]}`, answers: 200 },
  ],
  "conversations.remove": () => [{ path: ["citedChat"] }],
  "conversations.removeSeveral": () => [{ path: [], body: { ids: [owned["waitingChat"]] } }],
  "conversations.retrieval": () => [{ path: ["citedChat", "citedMessage"] }],
  "conversations.awaitedFiles": () => [{ path: ["citedChat", "citedMessage"] }],
  "conversations.fork": () => [
    { path: ["citedChat"], body: { messageId: owned["citedMessage"] } },
    { path: ["mine"], body: { messageId: owned["citedMessage"] } },
  ],
  "conversations.folder": () => [
    { path: ["citedChat"], answers: 201 },
    { path: ["newChat"], query: `?projectId=${owned["project"]}`, answers: 201 },
  ],
  "memory.update": () => [{ path: ["memory"], body: { text: "Mine" } }],
  "memory.forget": () => [{ path: ["memory"] }],
  "integrations.read": () => [{ path: ["server"] }],
  "integrations.update": () => [{ path: ["server"], body: { token: "mine" } }],
  "integrations.remove": () => [{ path: ["server"] }],
  "integrations.link": () => [{ path: ["server"], body: { consent: owned["consent"] } }],
  "integrations.unlink": () => [{ path: ["server"] }],
  "integrations.check": () => [{ path: ["server"] }],
  "integrations.approve": () => [{ path: ["server"], body: { hashes: ["any"] } }],
  "integrations.mark": () => [{ path: ["server"], body: { name: canary, effect: "read" } }],
  "notifications.send": () => [{ path: [], body: { title: "Hello", userId: owned["user"] } }],
  "notifications.markSeen": () => [{ path: [], body: { ids: [owned["notification"]] }, answers: 200 }],
  "notifications.read": () => [{ path: ["notification"] }],
  "notifications.avatar": () => [{ path: ["notification"] }],
  "notifications.update": () => [{ path: ["notification"], body: { read: true } }],
  "notifications.remove": () => [{ path: ["notification"] }],
  "support.read": () => [{ path: ["report"] }],
  "support.change": () => [{ path: ["report"], body: { title: "Mine", description: "Mine" } }],
  "support.retry": () => [{ path: ["report"] }],
  "support.remove": () => [{ path: ["report"] }],
  "deletions.undo": () => [{ path: [], body: { token: owned["undo"] } }],
  "storage.removeCopy": () => [{ path: ["any"] }],
}

function send(
  key: string,
  endpoint: Endpoint,
  { path, body, query = "" }: Attempt,
  more: Record<string, string> = {},
): Promise<Response> {
  const values = path.map((name) => owned[name] ?? mine[name] ?? name)
  const address = endpoint.path.replace(/:\w+/g, () => encodeURIComponent(values.shift() ?? ""))
  const form = new FormData()
  form.set("file", new Blob(["stolen"]), "stolen.txt")
  const json = { "content-type": "application/json" }
  return fetch(`${box.url}${address}${query}`, {
    method: endpoint.method.toUpperCase(),
    headers: { "x-api-key": key, ...more, ...(body === undefined ? {} : json) },
    ...(endpoint.kind === "upload" ? { body: form } : {}),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

/** Returns everything that the owner can read of their own, except what changes by itself. */
async function readOwnData(): Promise<string> {
  const readable = endpoints.filter(([name, { method }]) => method === "get" && !moving.has(name))
  const seen: Record<string, string> = {}
  for (const [name, endpoint] of readable) {
    const tries = attempts[name]?.() ?? [{ path: [] }]
    for (const attempt of tries)
      seen[`${name} ${attempt.path.join()}`] = await (await send(box.key, endpoint, attempt)).text()
  }
  return JSON.stringify(seen, null, 1)
}
const moving = new Set([
  "logs.read",
  "auditLog.list", // Records the failed attempts of others.
  "auditLog.file",
  "storage.read",
  "keys.list",
  "storage.downloadBackup",
  "models.catalogue",
  "operation.metrics",
])

/** Whether a key with one scope may call an endpoint, according to the contract. */
function isGranted({ access = "user", method, reads, scope }: Endpoint, held: Scope): boolean {
  if (access !== "user") return access === "public"
  const changesNothing = method === "get" || reads === true
  if (changesNothing && (held === "read-only" || scope === undefined)) return true
  return [scope ?? []].flat().includes(held)
}

// Catches an endpoint that answers without a key, or with a key of another scope, for the caller's ids or others.
it("answers no one without the scope that an endpoint requires, whatever the id", async () => {
  const before = await readOwnData()
  for (const [name, endpoint] of endpoints) {
    if (endpoint.access === "public") continue
    const tries = attempts[name]?.() ?? [{ path: ["any", "any", "any"] }]
    for (const attempt of tries) {
      expect((await send("", endpoint, attempt)).status, name).toBe(401)
      for (const { of, scope, key } of limited) {
        if (isGranted(endpoint, scope)) continue
        const answer = await send(key, endpoint, attempt)
        expect(answer.status, `${name} by ${of} with ${scope}`).toBe(403)
        expect(await answer.text()).not.toContain(canary)
      }
    }
  }
  expect(await readOwnData()).toBe(before)
})

/**
 * Fields whose values aren't items of a user: models, catalogue entries and clients of other services belong to the whole box, and the chat
 * of a notification is only a link.
 */
const sharedFields = /^(modelId|catalogueId|clientId|chatId)$/

/** Returns the names of the fields that take ids, at any depth of a JSON schema. */
function findIdFields(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) => [
    ...(key === "properties" ? Object.keys(value as object).filter(isIdField) : []),
    ...findIdFields(value),
  ])
}
const isIdField = (name: string) =>
  /(Ids?|^ids|^vector|^attachments|^branch)$/.test(name) && !sharedFields.test(name)

const toSchema = (type: z.ZodType | undefined) =>
  type && z.toJSONSchema(type, { io: "input", unrepresentable: "any" })

// Catches an operation or a field that is new, and that no test tries with another user's ids.
it("tries every operation and every field that takes an id", () => {
  const untried = endpoints.flatMap(([name, endpoint]) => {
    if (endpoint.access === "public" || endpoint.access === "owner") return []
    const fields = new Set([
      ...findIdFields(toSchema(endpoint.query)),
      ...findIdFields("body" in endpoint ? toSchema(endpoint.body) : undefined),
    ])
    const tried = JSON.stringify(attempts[name]?.() ?? [])
    return [...fields].flatMap((field) =>
      tried.includes(`"${field}":`) || tried.includes(`${field}=`) ? [] : [`${name} ${field}`],
    )
  })
  expect(untried).toEqual([])
})

describe("Another user of the box", () => {
  // Catches an endpoint that looks up an item by its id without checking its owner.
  it("can't access or change anything by its id", async () => {
    const before = await readOwnData()
    expect(before).toContain(canary)
    const keys = [otherKey, ...limited.flatMap(({ of, key }) => (of === "other" ? [key] : []))]
    for (const [name, endpoint] of endpoints) {
      if (endpoint.path.includes("/:")) expect(attempts, `${name} takes an id`).toHaveProperty([name])
      for (const attempt of attempts[name]?.() ?? [])
        for (const key of keys) {
          const answer = await send(key, endpoint, attempt)
          const text = await answer.text()
          const what = `${name} ${JSON.stringify(attempt)} → ${answer.status} ${text}`
          const isOwnNamespace =
            attempt.answers !== undefined && [attempt.answers, 200].includes(answer.status)
          expect(isOwnNamespace || [403, 404].includes(answer.status), what).toBe(true)
          if (key === otherKey && attempt.answers !== undefined) expect(isOwnNamespace, what).toBe(true)
          expect(text, what).not.toContain(canary)
        }
    }
    expect(await readOwnData()).toBe(before)
    expect(Object.keys(attempts).filter((name) => !endpoints.some(([known]) => known === name))).toEqual([])
  })

  // Catches access to another user's items by naming a shared workspace.
  it("gains no access by naming the workspace that both belong to", async () => {
    const { workspaces } = await box.client.account.me()
    const organization = { "x-organization-id": workspaces[0]?.id ?? "" }
    const before = await readOwnData()
    for (const [name, endpoint] of endpoints) {
      if (name === "notifications.send") continue // Colleagues in a workspace may send notifications; tested below.
      for (const attempt of attempts[name]?.() ?? []) {
        const answer = await send(otherKey, endpoint, attempt, organization)
        const text = await answer.text()
        const what = `${name} ${JSON.stringify(attempt)} → ${answer.status} ${text}`
        // Items that earlier attempts created are found now, and belong to the caller.
        expect(attempt.answers === undefined ? [403, 404] : [attempt.answers, 200], what).toContain(
          answer.status,
        )
        expect(text, what).not.toContain(canary)
      }
    }
    expect(await readOwnData()).toBe(before)

    const params = { id: owned["notification"] ?? "" }
    const read = async () => JSON.stringify(await box.client.notifications.read({ params }))
    const own = await read()
    const body = { title: "Hello", userId: owned["user"] }
    const sent = await send(otherKey, api.notifications.send, { path: [], body }, organization)
    expect(sent.status).toBe(201)
    expect(await sent.text()).not.toContain(canary)
    expect(await read()).toBe(own)
  })

  // Catches an event that is published to everyone, or to everyone with one kind of credential.
  it("receives none of the owner's events", () => {
    expect(heard.split('"hello"')).toHaveLength(4)
    expectNothingHeard()
  })

  // Catches a tool for other programs, or a resource, that reads an item without checking whose it is.
  it("can't read anything through MCP by its id", async () => {
    const calls: Record<string, () => Record<string, unknown>> = {
      list_folders: () => ({}),
      list_files: () => ({ folderId: owned["folder"] }),
      search: () => ({ query: canary, folderIds: [owned["folder"]] }),
      read_file: () => ({ fileId: owned["file"] }),
      ask: () => ({ question: "What is the word?", folderIds: [owned["folder"]] }),
      notify: () => ({ title: "Hello" }),
      ask_person: () => ({ title: "Really?", choices: ["Yes", "No"], expiresInSeconds: 0 }),
    }
    const uri = `casella://folders/${owned["folder"]}/files/${owned["file"]}`
    const readAll = async (key: string) => {
      const { client } = await connectMcp(box.url, { "x-api-key": key })
      try {
        const texts = [JSON.stringify(await client.listResources())]
        for (const { name } of (await client.listTools()).tools) {
          expect(calls, `${name} is tried`).toHaveProperty([name])
          texts.push(JSON.stringify(await callTool(client, name, calls[name]?.())))
        }
        const read = client.readResource({ uri }).catch((error: unknown) => `refused: ${String(error)}`)
        return { texts, resource: JSON.stringify(await read) }
      } finally {
        await client.close()
      }
    }
    const own = await readAll(box.key)
    expect(own.resource).toContain(canary)
    expect(own.texts.filter((text) => text.includes(canary)).length).toBeGreaterThan(4)
    const other = await readAll(otherKey)
    expect(other.texts).toHaveLength(own.texts.length)
    expect(JSON.stringify(other)).not.toContain(canary)
    expect(other.resource).toContain("refused")
  })

  // Catches a download ticket that replaces the rights of the session that it was issued to.
  it("can't download anything with a ticket", async () => {
    const open = async (session: AppSession, path: string) => {
      const { cookie } = session
      const headers = { cookie, "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate" }
      const answer = await fetch(`${box.url}${path}`, { headers })
      return { status: answer.status, text: await answer.text() }
    }
    const issue = async (session: AppSession, path: string) => {
      const answer = await fetch(`${box.url}${api.account.download.path}`, {
        method: "POST",
        headers: { ...session, "content-type": "application/json" },
        body: JSON.stringify({ path }),
      })
      return ((await answer.json()) as { path: string }).path
    }
    const ownSession = await signIn(box.url, await box.box.signInToken())
    const downloads = endpoints.filter(([, { kind, method }]) => kind === "bytes" && method === "get")
    let downloaded = 0
    for (const [name, endpoint] of downloads)
      for (const { path, query = "" } of attempts[name]?.() ?? []) {
        const values = path.map((value) => owned[value] ?? value)
        const address = endpoint.path.replace(/:\w+/g, () => encodeURIComponent(values.shift() ?? "")) + query
        const refused = await open(otherSession, await issue(otherSession, address))
        expect([403, 404], `${name} → ${refused.status}`).toContain(refused.status)
        expect(refused.text, name).not.toContain(canary)
        const lent = await open(otherSession, await issue(ownSession, address))
        expect(lent.status, name).toBe(401)
        if ((await open(ownSession, await issue(ownSession, address))).text.includes(canary)) downloaded++
      }
    expect(downloaded).toBeGreaterThan(2)
  })

  // Catches a list or a public event that contains one user's own items.
  it("finds nothing of the owner's in lists, searches, exports and logs", async () => {
    for (const [name, endpoint] of endpoints) {
      if (endpoint.path.includes("/:") || endpoint.method !== "get") continue
      const query =
        { "conversations.search": `?query=${canary}`, "assistants.handle": "?wanted=x" }[name] ?? ""
      const answer = await send(otherKey, endpoint, { path: [], query })
      expect(await answer.text(), name).not.toContain(canary)
      expect([200, 403, 404], `${name} → ${answer.status}`).toContain(answer.status)
    }
  })

  // Catches rights over the computer for a user who only has an account on it.
  it("can't use what is reserved for owners", async () => {
    const bodies: Record<string, unknown> = {
      "people.add": { name: "X", email: "x@example.com", role: "owner" },
      "settings.update": { modelMirror: "https://evil.example" },
      "models.add": { path: "/etc/passwd" },
      "modelServers.add": { name: "Thief", url: "http://127.0.0.1:9/v1" },
      "modelServers.update": { url: "http://127.0.0.1:9/v1" },
      "modelOptions.update": { temperature: 2 },
      "models.choose": { role: "chat", modelId: null },
      "models.download": { repo: "a/b", file: "c.gguf", revision: "main" },
      "folders.create": { name: "All", folder: "/srv/documents" },
      "integrations.add": { name: "Shell", target: { kind: "command", command: "sh" } },
    }
    const owners = endpoints.filter(
      ([name]) =>
        name in bodies ||
        /^(storage|logs|auditLog)\./.test(name) ||
        /^(models\.(list|catalogue|found|downloads)|modelServers\.(list|refresh|remove)|modelOptions\.read|privacy\.clear)$/.test(
          name,
        ),
    )
    expect(owners.length).toBeGreaterThan(18)
    for (const [name, endpoint] of owners) {
      const answer = await send(otherKey, endpoint, { path: ["any"], body: bodies[name] })
      expect(answer.status, `${name} → ${await answer.text()}`).toBe(403)
    }
  })
})

/** Attempts that the owner can't make either: there is no such item, or it needs the app, or a token instead of an id. */
const neverPossible = new Set([
  "assistants.image",
  "files.page",
  "notifications.avatar",
  "integrations.mark",
  "questions.answer",
  "automations.hook",
])

/** Operations that end an item come last, those on the item's parts first. */
function getOrder(name: string, path: string): number {
  if (/^(queue\.remove|filing\.undo|deletions\.undo)$/.test(name)) return 1
  if (/^(chat\.approve|queue\.resume)$/.test(name)) return 2
  return /\.(remove|revoke|forget)/.test(name) ? 1_000 - path.length : 0
}

// Catches attempts that are refused only because they are wrong themselves, for example with an id of another kind.
it("lets the owner do what it refuses to others", async () => {
  const before = owned
  owned = await makeWorld(box, "control-5b20")
  try {
    const refused: string[] = []
    const inOrder = endpoints.toSorted(
      ([name, { path }], [other, { path: otherPath }]) => getOrder(name, path) - getOrder(other, otherPath),
    )
    let count = 0
    for (const [name, endpoint] of inOrder) {
      const access = /^(people|quotas)\./.test(name) || neverPossible.has(name)
      for (const attempt of access ? [] : (attempts[name]?.() ?? [])) {
        const isOfOther =
          attempt.path.some((value) => value in mine || /^(any|mine|myChat|newChat)$/.test(value)) ||
          Object.values(mine).some((id) => JSON.stringify(attempt).includes(id))
        if (isOfOther) continue
        count++
        const { status } = await send(box.key, endpoint, attempt)
        if (status === 401 || status === 403 || status === 404)
          refused.push(`${name} ${JSON.stringify(attempt)} → ${status}`)
      }
    }
    expect(refused).toEqual([])
    expect(count).toBeGreaterThan(80)
  } finally {
    owned = before
  }
})
