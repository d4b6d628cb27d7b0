import { afterAll, beforeAll, expect, test } from "vitest"
import { connectApp, getKey, signIn, tokenIn } from "../../testing/clients.ts"
import { startModelServer, type ModelServer } from "../../testing/model-servers/model-server.ts"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"
import { waitFor } from "../../../shared/testing/wait-for.ts"

let model: ModelServer
let box: TestBox
beforeAll(async () => {
  model = await startModelServer(() => ({ text: "Done." }))
  box = await startTestBox({ model: model.baseUrl })
})
afterAll(async () => {
  await box[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

async function ask(id: string, more: { projectId?: string } = {}) {
  const messages = [{ role: "user" as const, content: "What is the fee?" }]
  for await (const event of box.client.chat.send({ body: { id, messages, boxAddress: box.url, ...more } }))
    if (event.type === "finish") break
  return (await box.client.conversations.read({ params: { id } })).chat
}

const prompt = () => JSON.stringify(model.requests.at(-1)?.messages)

async function folderWith(text: string): Promise<string> {
  const { vector } = await box.client.folders.create({ body: { name: "Fees" } })
  await box.client.files.upload({ params: { id: vector.id }, file: new Blob([text]), fileName: "fees.txt" })
  await waitFor(async () => {
    const { files } = await box.client.files.list({ params: { id: vector.id } })
    expect(files[0]?.status).toBe("completed")
  })
  return vector.id
}

// Catches a project that is only a label.
test("a chat in a project uses its current instructions and folders for each question", async () => {
  const { client } = box
  const folder = await folderWith("The fee is 40 euros.")
  const { project } = await client.projects.create({
    body: { name: "Club", instructions: "Speak like a pirate.", vectorIds: [folder] },
  })
  const chat = await ask("of-project", { projectId: project.id })
  expect(chat.projectId).toBe(project.id)
  expect(chat.vectorIds).toEqual([folder])
  expect(prompt()).toContain("Speak like a pirate.")
  expect(prompt()).toContain("40 euros")
  await client.projects.update({ params: { id: project.id }, body: { instructions: "Speak like a judge." } })
  await ask("of-project")
  expect(prompt()).toContain("Speak like a judge.")
  // Catches a removed folder that makes every chat of its project fail.
  await client.folders.remove({ params: { id: folder } })
  expect((await client.projects.read({ params: { id: project.id } })).project.vectorIds).toEqual([])
  expect((await ask("of-project-2", { projectId: project.id })).messages.at(-1)?.finishReason).toBe("stop")
})

// Catches chats that are deleted with their project, or that don't return to it.
test("deleting a project keeps its chats; undo returns them to it, except those moved since", async () => {
  const { client } = box
  const { project } = await client.projects.create({ body: { name: "One" } })
  const { project: other } = await client.projects.create({ body: { name: "Two" } })
  await ask("stays", { projectId: project.id })
  await ask("moves", { projectId: project.id })
  const getProject = async (id: string) =>
    (await client.conversations.read({ params: { id } })).chat.projectId
  const { undo } = await client.projects.remove({ params: { id: project.id } })
  expect(await getProject("stays")).toBeNull()
  await client.conversations.update({ params: { id: "moves" }, body: { projectId: other.id } })
  await client.deletions.undo({ body: { token: undo.token } })
  expect(await getProject("stays")).toBe(project.id)
  expect(await getProject("moves")).toBe(other.id)
  const { chats, pagination } = await client.conversations.list({ query: { projectId: other.id } })
  expect(chats.map(({ id }) => id)).toEqual(["moves"])
  expect(pagination.total).toBe(1)
  await client.conversations.update({ params: { id: "moves" }, body: { projectId: null } })
  expect(await getProject("moves")).toBeNull()
})

// Catches chats in other people's projects, or in projects that don't exist.
test("an unknown project, or another person's, is refused", async () => {
  const { client } = box
  const { links } = await client.people.add({ body: { email: "other@example.com", name: "Other" } })
  const key = await getKey(box.url, await signIn(box.url, tokenIn(links.local)))
  const { project } = await client.projects.create({ body: { name: "Mine" } })
  await ask("mine")
  for (const projectId of ["unknown", "01900000-0000-7000-8000-000000000000"]) {
    await expect(ask("new", { projectId })).rejects.toMatchObject({ status: 400 })
    const moving = client.conversations.update({ params: { id: "mine" }, body: { projectId } })
    await expect(moving).rejects.toMatchObject({ status: 400 })
  }
  const headers = { "x-api-key": key, "content-type": "application/json" }
  const body = JSON.stringify({
    id: "theirs",
    messages: [{ role: "user", content: "?" }],
    boxAddress: box.url,
    projectId: project.id,
  })
  const answer = await fetch(`${box.url}/api/ai/chat`, { method: "POST", headers, body })
  expect(answer.status).toBe(400)
})

// Catches a second window or a script that sees changes of projects only after it is reopened, and other people who are notified of them.
test("each change of projects, or of their chats, is reported only to their owner's apps", async () => {
  const { client } = box
  const { links } = await client.people.add({ body: { email: "deaf@example.com", name: "Deaf" } })
  using others = await connectApp(box.url, await getKey(box.url, await signIn(box.url, tokenIn(links.local))))
  using app = await connectApp(box.url, box.key)
  await ask("told")
  const { project } = await client.projects.create({ body: { name: "New" } })
  await app.next("projects")
  const params = { id: project.id }
  await client.projects.update({ params, body: { name: "Renamed" } })
  await app.next("projects")
  for (const projectId of [project.id, null, project.id]) {
    await client.conversations.update({ params: { id: "told" }, body: { projectId } })
    await app.next("projects")
  }
  const { undo } = await client.projects.remove({ params })
  await app.next("projects")
  await client.deletions.undo({ body: { token: undo.token } })
  await app.next("projects")
  await client.conversations.update({ params: { id: "told" }, body: { title: "Kept where it is" } })
  expect(app.messages.filter(({ type }) => type === "projects")).toHaveLength(7)
  expect(others.messages.map(({ type }) => type)).not.toContain("projects")
})
