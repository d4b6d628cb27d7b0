import { afterEach, beforeEach, expect, test } from "vitest"
import type { Client } from "../shared/client/http-client.ts"
import type { ChatEvent, ChatRequest } from "../shared/contract/chat.ts"
import {
  startHeldEmbedder,
  type HeldEmbedder,
  startModelServer,
  type ModelServer,
} from "./testing/model-servers/model-server.ts"
import { settled } from "./testing/model-servers/reading-talk.ts"
import { addUser, startTestBox, type TestBox } from "./testing/test-box.ts"
import { waitFor } from "../shared/testing/wait-for.ts"

let model: ModelServer
let embedder: HeldEmbedder
let box: TestBox
beforeEach(async () => {
  model = await startModelServer(() => ({ text: "It says so [1]." }))
  embedder = await startHeldEmbedder("slowly")
  box = await startTestBox({ model: model.baseUrl, embeddingModel: embedder.url })
})
afterEach(async () => {
  embedder.release()
  await box[Symbol.asyncDispose]()
  await embedder[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

const ready = "The heron nests on the crane."
const late = "The harbour fills slowly in the morning."

async function upload(folderId: string, fileName: string, content: string): Promise<string> {
  const { files } = await box.client.files.upload({
    params: { id: folderId },
    file: new Blob([content]),
    fileName,
  })
  return files[0]?.id ?? ""
}

/** Creates a folder with an indexed file, and one that is being indexed until the embedder is released. */
async function makeFolder() {
  const { vector } = await box.client.folders.create({ body: { name: "Papers" } })
  const readyId = await upload(vector.id, "ready.md", ready)
  await settled(box, vector.id)
  const lateId = await upload(vector.id, "late.md", late)
  return { id: vector.id, readyId, lateId }
}

async function ask(id: string, content: string, more: Partial<ChatRequest> = {}, client = box.client) {
  const body = { id, messages: [{ role: "user" as const, content }], boxAddress: box.url, ...more }
  const events: ChatEvent[] = []
  for await (const event of client.chat.send({ body })) events.push(event)
  return events.filter((event) => event.type === "notice" && event.files !== undefined)
}

// Catches an answer that lacks a file of its folder without a notice, a notice about an irrelevant or indexed file, and one that is gone
// when the chat is read back.
test("an answer names its folders' files that were still being indexed", async () => {
  const folder = await makeFolder()
  const files = [{ fileId: folder.lateId, vectorId: folder.id, name: "late.md" }]
  const vector = [folder.id]
  const said = { type: "notice", code: "files_being_read", files }
  expect(await ask("a", "Where does the heron nest?", { vector })).toMatchObject([said])
  const { chat } = await box.client.conversations.read({ params: { id: "a" } })
  expect(chat.messages[1]?.parts).toContainEqual(expect.objectContaining(said))
  expect(await ask("b", "Where does the heron nest?", { vector, fileIds: [folder.readyId] })).toEqual([])
  expect(
    await ask("c", "Where does the heron nest?", { vector, fileIds: [folder.readyId, folder.lateId] }),
  ).toMatchObject([said])

  await upload(folder.id, "later.md", late)
  expect(await ask("d", "Where does the heron nest?", { vector })).toMatchObject([
    { code: "files_being_read", message: expect.stringContaining("2 files") as string },
  ])
  embedder.release()
  await settled(box, folder.id)
  expect(await ask("e", "Where does the heron nest?", { vector })).toEqual([])
})

// Catches a summary of everything that mentions the file only in its coverage, so that it is never offered again.
test("an answer from whole documents names files that were still being indexed", async () => {
  const folder = await makeFolder()
  const asked = { vector: [folder.id], reading: "whole" as const }
  expect(await ask("a", "Summarise", asked)).toMatchObject([
    { code: "files_being_read", files: [{ fileId: folder.lateId }] },
  ])
  embedder.release()
  await settled(box, folder.id)
  expect(await ask("b", "Summarise", asked)).toEqual([])
})

// Catches an attachment that is reported twice or without its status, and a failed one that is waited for.
test("an attachment that is being indexed is named in its own notice", async () => {
  const { vector } = await box.client.conversations.folder({ params: { id: "a" } })
  await upload(vector.id, "broken.pdf", "%PDF-1.7\nnothing of a PDF")
  await settled(box, vector.id)
  const fileId = await upload(vector.id, "late.md", late)
  await waitFor(async () => {
    const { file } = await box.client.files.read({ params: { id: vector.id, fileId } })
    expect(file.status).toBe("processing")
  })
  expect(await ask("a", "What does this say?")).toMatchObject([
    { code: "attachment_unread", files: [{ fileId, vectorId: vector.id, name: "late.md" }] },
  ])
})

const getState = async (client: Client, id: string) => {
  const { chat } = await client.conversations.read({ params: { id } })
  const params = { id, messageId: chat.messages.at(-1)?.id ?? "" }
  return (await client.conversations.awaitedFiles({ params })).state
}

// Catches a user who never learns that a shared assistant's files are ready, and one who still does after it is no longer shared.
test("files accessible only through a shared assistant are reported as ready while it is shared", async () => {
  const folder = await makeFolder()
  const shared = { name: "Librarian", vectorIds: [folder.id], visibility: "TEAM" as const }
  const { assistant } = await box.client.assistants.create({ body: shared })
  const hers = await addUser(box, "ann@example.com")
  const said = await ask("hers", "Where does the heron nest?", { assistantId: assistant.id }, hers)
  expect(said).toMatchObject([{ files: [{ fileId: folder.lateId, name: "late.md" }] }])
  expect(await getState(hers, "hers")).toBe("reading")
  embedder.release()
  await settled(box, folder.id)
  expect(await getState(hers, "hers")).toBe("read")
  await box.client.assistants.update({ params: { id: assistant.id }, body: { visibility: "PRIVATE" } })
  expect(await getState(hers, "hers")).toBe("unread")
})

// Catches an offer to ask again about failed or deleted files.
test("failed or deleted files are no reason to ask again", async () => {
  const folder = await makeFolder()
  await ask("a", "Where does the heron nest?", { vector: [folder.id] })
  expect(await getState(box.client, "a")).toBe("reading")
  embedder.release()
  await settled(box, folder.id)
  expect(await getState(box.client, "a")).toBe("read")
  await box.client.files.remove({ params: { id: folder.id, fileId: folder.lateId } })
  expect(await getState(box.client, "a")).toBe("unread")
})
