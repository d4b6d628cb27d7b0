import type { FolderPatch } from "../shared/contract/folders.ts"
import { getRows } from "./testing/test-box.ts"
import { afterEach, beforeEach, expect, test } from "vitest"
import { ensureTestModel } from "./engines/llama/testing/test-models.ts"
import { canary, startWalledBox, type WalledBox } from "./testing/model-servers/sandboxed-box.ts"

/** Repeats the canary as if it had read it, and delegates questions to the keeper. */
const reader = {
  reply: `It is the ${canary}.`,
  replies: {
    "?": { call: { name: "assistant", args: { handle: "keeper", task: "Who sleeps in the harbour." } } },
    "\n": `The keeper says ${canary}!`,
  },
}

let sandboxed: WalledBox
let reading: string
beforeEach(async () => {
  sandboxed = await startWalledBox(0)
  reading = await sandboxed.addModel(ensureTestModel(reader))
})
afterEach(() => sandboxed[Symbol.asyncDispose]())

const addAssistant = async (name: string, modelId: string, vectorIds: string[], tools: string[]) => {
  const builtInTools = Object.fromEntries(tools.map((key) => [key, true]))
  const body = { name, handle: name, modelId, vectorIds, builtInTools }
  return (await sandboxed.box.client.assistants.create({ body })).assistant.id
}
const update = (id: string, remote: "allowed" | "never") =>
  sandboxed.box.client.folders.update({ params: { id }, body: { remote } })

async function hasFolder(id: string): Promise<boolean> {
  await using database = await getRows(sandboxed.box.dataDir)
  const row = await database.db.selectFrom("folders").select("id").where("id", "=", id).executeTakeFirst()
  return row !== undefined
}

// Catches text that leaves in an answer containing what another assistant read.
test("doesn't send a chat after a task in it read a folder that stays on this computer", async () => {
  const closed = await sandboxed.makeFolder("never")
  await addAssistant("keeper", reading, [closed], [])
  const clerk = await addAssistant("clerk", reading, [], ["assistant"])
  const answer = await sandboxed.ask({ id: "a", assistantId: clerk, content: "Who is it?" })
  expect(answer.text).toContain(canary)
  const asked = sandboxed.ask({ id: "a", content: "And then.", modelId: sandboxed.far })
  await expect(asked).rejects.toMatchObject({ code: "forbidden" })
  expect(sandboxed.leaked()).toEqual([])
})

// Catches a saved answer from such a chat in a folder that remote models read.
test("refuses to save an answer of a local chat in a folder that may leave", async () => {
  const [closed, open] = [await sandboxed.makeFolder("never"), await sandboxed.makeFolder("allowed")]
  await sandboxed.ask({ id: "a", vector: [closed], modelId: reading })
  await sandboxed.ask({ id: "b", content: "Hello.", modelId: reading })
  const save = (chatId: string, folderId: string) =>
    sandboxed.box.client.files.upload({
      params: { id: folderId },
      file: new Blob(["An answer."]),
      fileName: "answer.md",
      generatedBy: JSON.stringify({ chatId, assistantId: null, modelId: null }),
    })
  await expect(save("a", open)).rejects.toMatchObject({ code: "forbidden" })
  await save("a", closed)
  await save("b", open)
})

// Catches text that reaches a remote model through a local one.
test("returns nothing to a remote model from a task that was delegated twice", async () => {
  const closed = await sandboxed.makeFolder("never")
  await addAssistant("keeper", reading, [closed], [])
  await addAssistant("middle", reading, [], ["assistant"])
  const outer = await addAssistant("outer", sandboxed.far, [], ["assistant"])
  sandboxed.speak = ({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? { text: "Done." }
      : { call: { name: "assistant", args: { handle: "middle", task: "Who is it?" } } }
  const answer = await sandboxed.ask({ id: "a", assistantId: outer, content: "Go." })
  expect(answer).toEqual({ text: "Done.", notices: [] })
  sandboxed.speak = () => ({ text: "Done." })
  // The outer chat hasn't read the folder, so it may continue.
  expect((await sandboxed.ask({ id: "a", content: "On.", modelId: sandboxed.far })).text).toBe("Done.")
})

// Catches folder text that is sent again with a tool result after the folder was marked.
test("stops sending an answer in progress when its folder must stay on this computer", async () => {
  const folder = await sandboxed.makeFolder("allowed")
  const clerk = await addAssistant("clerk", sandboxed.far, [folder], ["calculate"])
  let marked = 0
  sandboxed.speak = async ({ messages }) => {
    if (messages.at(-1)?.role === "tool") return { text: "Done." }
    await update(folder, "never")
    marked = sandboxed.sent.length
    return { call: { name: "calculate", args: { expression: "2+2" } } }
  }
  const answer = await sandboxed.ask({ id: "a", assistantId: clerk })
  expect(marked).toBeGreaterThan(0)
  expect(sandboxed.sent.slice(marked)).toEqual([])
  expect(answer.notices).toContain("stays_here")
})

// Catches a mark that is lost when its folder is deleted.
test("keeps a chat on this computer if it read a folder before the folder was marked and deleted", async () => {
  const folder = await sandboxed.makeFolder("allowed")
  await sandboxed.choose("chat", reading)
  await sandboxed.ask({ id: "a", vector: [folder] })
  await update(folder, "never")
  await sandboxed.box.client.folders.remove({ params: { id: folder } })
  await expect.poll(() => hasFolder(folder)).toBe(false)
  const asked = sandboxed.ask({ id: "a", content: "And then.", modelId: sandboxed.far })
  await expect(asked).rejects.toMatchObject({ code: "forbidden" })
})

// Catches questions of a chat that stays on this computer being sent to an embedding server.
test("doesn't embed questions about local content on a server", async () => {
  await sandboxed.choose("embedding", sandboxed.far)
  await sandboxed.choose("chat", reading)
  const [open, closed] = [await sandboxed.makeFolder("allowed"), await sandboxed.makeFolder("never")]
  const embedded = () => sandboxed.sent.filter((request) => request.includes("said so"))
  await sandboxed.ask({ id: "a", vector: [closed], content: `${canary} said so.` })
  await sandboxed.ask({ id: "a", vector: [open], content: "Why has he said so." })
  expect(embedded()).toEqual([])
  await sandboxed.ask({ id: "b", vector: [open], content: "He said so." })
  expect(embedded()).not.toEqual([])
})

// Catches a folder that can never be searched by meaning again.
test("embeds a folder again when it may be sent again", async () => {
  await sandboxed.choose("embedding", sandboxed.far)
  const folder = await sandboxed.makeFolder("never")
  expect(sandboxed.leaked()).toEqual([])
  await update(folder, "allowed")
  await expect.poll(() => sandboxed.leaked().length).toBe(1)
})

/** Attaches a file with the canary to a chat. Returns the folder that contains it after the file has been read. */
async function attach(chatId: string, settings: FolderPatch = {}): Promise<string> {
  const { client } = sandboxed.box
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
      (await sandboxed.box.client.files.list({ params: { id } })).files.map((file) => file.status),
    )
    .toEqual(["completed"])

/** Forks a chat after its last answer. Returns the folder of the fork's attachments. */
async function forkFolder(id: string) {
  const { client } = sandboxed.box
  const { chat } = await client.conversations.read({ params: { id } })
  const messageId = chat.messages.at(-1)?.id ?? ""
  const fork = (await client.conversations.fork({ params: { id }, body: { messageId } })).chat
  const { vector } = await client.conversations.folder({ params: { id: fork.id } })
  await isRead(vector.id)
  return vector
}

// Catches attachments that must stay on this computer but are sent for embedding when their chat is forked, and settings that a fork loses.
test("keeps a fork's attachments on this computer like those of its chat", async () => {
  await sandboxed.choose("embedding", sandboxed.far)
  await sandboxed.choose("chat", reading)
  const settings = {
    remote: "never",
    topK: 3,
    filter: 5,
    strategy: "semantic",
    includeGenerated: true,
  } as const
  await attach("a", settings)
  await sandboxed.ask({ id: "a" })
  expect(await forkFolder("a")).toMatchObject(settings)
  expect(sandboxed.leaked()).toEqual([])
})

// Catches attachments that are sent when a chat that stays on this computer is forked. The attachments folder existed before the chat read
// a folder that stays.
test("gives the fork of a local chat a folder that stays on this computer", async () => {
  await sandboxed.choose("chat", reading)
  const closed = await sandboxed.makeFolder("never")
  await attach("a")
  await sandboxed.ask({ id: "a", vector: [closed] })
  await sandboxed.choose("embedding", sandboxed.far)
  expect((await forkFolder("a")).remote).toBe("never")
})

// Catches attachments that are sent from a chat in a project with a folder that stays on this computer, before any question has read the
// folder.
test("keeps attachments on this computer in a project with a folder that does", async () => {
  await sandboxed.choose("embedding", sandboxed.far)
  await sandboxed.choose("chat", reading)
  const { client } = sandboxed.box
  const vectorIds = [await sandboxed.makeFolder("never")]
  const projectId = (await client.projects.create({ body: { name: "Closed", vectorIds } })).project.id
  const getRemote = async (id: string, query = {}) =>
    (await client.conversations.folder({ params: { id }, query })).vector.remote
  await sandboxed.ask({ id: "moved", content: "Hello." })
  await client.conversations.update({ params: { id: "moved" }, body: { projectId } })
  expect(await getRemote("moved")).toBe("never")
  expect(await getRemote("new", { projectId })).toBe("never")
  const open = (await client.projects.create({ body: { name: "Open" } })).project.id
  expect(await getRemote("open", { projectId: open })).toBe("allowed")
  await sandboxed.ask({ id: "elsewhere", content: "Hello." })
  expect(await getRemote("elsewhere", { projectId })).toBe("allowed")
})

// Catches attachments added later to a chat that stays on this computer, whose attachments folder is created with the default settings.
test("keeps the first attachment of a local chat on this computer", async () => {
  await sandboxed.choose("embedding", sandboxed.far)
  await sandboxed.choose("chat", reading)
  const folder = await sandboxed.makeFolder("allowed")
  await sandboxed.ask({ id: "a", vector: [folder] })
  await sandboxed.ask({ id: "b", content: "Hello." })
  await update(folder, "never")
  sandboxed.sent.length = 0
  await attach("a")
  expect(sandboxed.leaked()).toEqual([])
  await attach("b")
  await expect.poll(() => sandboxed.leaked().length).toBe(1)
})
