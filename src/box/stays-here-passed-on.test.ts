import type { FolderPatch } from "../shared/contract/folders.ts"
import { rowsOf } from "./testing/test-box.ts"
import { afterEach, beforeEach, expect, test } from "vitest"
import { ensureTestModel } from "./engines/llama/testing/test-models.ts"
import { canary, startWalledBox, type WalledBox } from "./testing/model-servers/walled-box.ts"

/** Says the canary as if it had read it, and hands questions on to the keeper. */
const reader = {
  reply: `It is the ${canary}.`,
  replies: {
    "?": { call: { name: "assistant", args: { handle: "keeper", task: "Who sleeps in the harbour." } } },
    "\n": `The keeper says ${canary}!`,
  },
}

let walled: WalledBox
let reading: string
beforeEach(async () => {
  walled = await startWalledBox(0)
  reading = await walled.addModel(ensureTestModel(reader))
})
afterEach(() => walled[Symbol.asyncDispose]())

const addAssistant = async (name: string, modelId: string, vectorIds: string[], tools: string[]) => {
  const builtInTools = Object.fromEntries(tools.map((key) => [key, true]))
  const body = { name, handle: name, modelId, vectorIds, builtInTools }
  return (await walled.box.client.assistants.create({ body })).assistant.id
}
const update = (id: string, remote: "allowed" | "never") =>
  walled.box.client.folders.update({ params: { id }, body: { remote } })

async function hasFolder(id: string): Promise<boolean> {
  await using database = await rowsOf(walled.box.dataDir)
  const row = await database.db.selectFrom("folders").select("id").where("id", "=", id).executeTakeFirst()
  return row !== undefined
}

// Catches words that leave with an answer that holds what another assistant has read.
test("a conversation isn't sent once a task in it has read a folder that stays", async () => {
  const closed = await walled.makeFolder("never")
  await addAssistant("keeper", reading, [closed], [])
  const clerk = await addAssistant("clerk", reading, [], ["assistant"])
  const answer = await walled.ask({ id: "a", assistantId: clerk, content: "Who is it?" })
  expect(answer.text).toContain(canary)
  const asked = walled.ask({ id: "a", content: "And then.", modelId: walled.far })
  await expect(asked).rejects.toMatchObject({ code: "forbidden" })
  expect(walled.leaked()).toEqual([])
})

// Catches text that reaches a model elsewhere by way of one that runs here.
test("a task that is handed on twice brings nothing back to a model elsewhere", async () => {
  const closed = await walled.makeFolder("never")
  await addAssistant("keeper", reading, [closed], [])
  await addAssistant("middle", reading, [], ["assistant"])
  const outer = await addAssistant("outer", walled.far, [], ["assistant"])
  walled.speak = ({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? { text: "Done." }
      : { call: { name: "assistant", args: { handle: "middle", task: "Who is it?" } } }
  const answer = await walled.ask({ id: "a", assistantId: outer, content: "Go." })
  expect(answer).toEqual({ text: "Done.", notices: [] })
  walled.speak = () => ({ text: "Done." })
  // Nothing in it has read the folder: it may be gone on with.
  expect((await walled.ask({ id: "a", content: "On.", modelId: walled.far })).text).toBe("Done.")
})

// Catches a folder's text that is sent once more after it was marked, with what a tool answered.
test("an answer that is being written isn't sent on once its folder stays", async () => {
  const folder = await walled.makeFolder("allowed")
  const clerk = await addAssistant("clerk", walled.far, [folder], ["calculate"])
  let marked = 0
  walled.speak = async ({ messages }) => {
    if (messages.at(-1)?.role === "tool") return { text: "Done." }
    await update(folder, "never")
    marked = walled.sent.length
    return { call: { name: "calculate", args: { expression: "2+2" } } }
  }
  const answer = await walled.ask({ id: "a", assistantId: clerk })
  expect(marked).toBeGreaterThan(0)
  expect(walled.sent.slice(marked)).toEqual([])
  expect(answer.notices).toContain("stays_here")
})

// Catches a mark that is lost with its folder.
test("a conversation that read a folder before it was marked stays here when the folder is gone", async () => {
  const folder = await walled.makeFolder("allowed")
  await walled.choose("chat", reading)
  await walled.ask({ id: "a", vector: [folder] })
  await update(folder, "never")
  await walled.box.client.folders.remove({ params: { id: folder } })
  await expect.poll(() => hasFolder(folder)).toBe(false)
  const asked = walled.ask({ id: "a", content: "And then.", modelId: walled.far })
  await expect(asked).rejects.toMatchObject({ code: "forbidden" })
})

// Catches questions of a conversation that stays here, sent to be embedded.
test("what is asked about what stays here is embedded by no server", async () => {
  await walled.choose("embedding", walled.far)
  await walled.choose("chat", reading)
  const [open, closed] = [await walled.makeFolder("allowed"), await walled.makeFolder("never")]
  const embedded = () => walled.sent.filter((request) => request.includes("said so"))
  await walled.ask({ id: "a", vector: [closed], content: `${canary} said so.` })
  await walled.ask({ id: "a", vector: [open], content: "Why has he said so." })
  expect(embedded()).toEqual([])
  await walled.ask({ id: "b", vector: [open], content: "He said so." })
  expect(embedded()).not.toEqual([])
})

// Catches a folder that is never searched by meaning again.
test("a folder that may be sent again is embedded again", async () => {
  await walled.choose("embedding", walled.far)
  const folder = await walled.makeFolder("never")
  expect(walled.leaked()).toEqual([])
  await update(folder, "allowed")
  await expect.poll(() => walled.leaked().length).toBe(1)
})

/** Attaches a file with the canary to a chat; answers the folder that holds it, once the file has been read. */
async function attach(chatId: string, settings: FolderPatch = {}): Promise<string> {
  const { client } = walled.box
  const { vector } = await client.conversations.folder({ params: { id: chatId } })
  const params = { id: vector.id }
  if (Object.keys(settings).length > 0) await client.folders.update({ params, body: settings })
  const file = new Blob([`The ${canary} sleeps in the harbour at noon.`])
  await client.files.upload({ params, file, fileName: "harbour.txt" })
  await isRead(vector.id)
  return vector.id
}
const isRead = (id: string) =>
  expect
    .poll(async () =>
      (await walled.box.client.files.list({ params: { id } })).files.map((file) => file.status),
    )
    .toEqual(["completed"])

/** Forks a chat after its last answer; answers the folder of the fork's attachments. */
async function forkFolder(id: string) {
  const { client } = walled.box
  const { chat } = await client.conversations.read({ params: { id } })
  const messageId = chat.messages.at(-1)?.id ?? ""
  const fork = (await client.conversations.fork({ params: { id }, body: { messageId } })).chat
  const { vector } = await client.conversations.folder({ params: { id: fork.id } })
  await isRead(vector.id)
  return vector
}

// Catches attachments that stay here, sent to be embedded as soon as their chat is forked; and settings that a fork forgets.
test("a fork's attachments stay here as those of its chat do", async () => {
  await walled.choose("embedding", walled.far)
  await walled.choose("chat", reading)
  const settings = {
    remote: "never",
    topK: 3,
    filter: 5,
    strategy: "semantic",
    includeGenerated: true,
  } as const
  await attach("a", settings)
  await walled.ask({ id: "a" })
  expect(await forkFolder("a")).toMatchObject(settings)
  expect(walled.leaked()).toEqual([])
})

// Catches attachments that are sent when a chat that stays here is forked: its own folder was made before it read another.
test("a fork of a chat that stays here has a folder that stays", async () => {
  await walled.choose("chat", reading)
  const closed = await walled.makeFolder("never")
  await attach("a")
  await walled.ask({ id: "a", vector: [closed] })
  await walled.choose("embedding", walled.far)
  expect((await forkFolder("a")).remote).toBe("never")
})

// Catches what is attached to a chat of a project with a folder that stays here, before a question has read the folder.
test("what is attached in a project with a folder that stays here stays too", async () => {
  await walled.choose("embedding", walled.far)
  await walled.choose("chat", reading)
  const { client } = walled.box
  const vectorIds = [await walled.makeFolder("never")]
  const projectId = (await client.projects.create({ body: { name: "Closed", vectorIds } })).project.id
  const remoteOf = async (id: string, query = {}) =>
    (await client.conversations.folder({ params: { id }, query })).vector.remote
  await walled.ask({ id: "moved", content: "Hello." })
  await client.conversations.update({ params: { id: "moved" }, body: { projectId } })
  expect(await remoteOf("moved")).toBe("never")
  expect(await remoteOf("new", { projectId })).toBe("never")
  const open = (await client.projects.create({ body: { name: "Open" } })).project.id
  expect(await remoteOf("open", { projectId: open })).toBe("allowed")
  await walled.ask({ id: "elsewhere", content: "Hello." })
  expect(await remoteOf("elsewhere", { projectId })).toBe("allowed")
})

// Catches what is attached later to a chat that stays here, whose folder is made by then with the usual settings.
test("what is first attached to a chat that stays here stays too", async () => {
  await walled.choose("embedding", walled.far)
  await walled.choose("chat", reading)
  const folder = await walled.makeFolder("allowed")
  await walled.ask({ id: "a", vector: [folder] })
  await walled.ask({ id: "b", content: "Hello." })
  await update(folder, "never")
  walled.sent.length = 0
  await attach("a")
  expect(walled.leaked()).toEqual([])
  await attach("b")
  await expect.poll(() => walled.leaked().length).toBe(1)
})
