import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { ensureTestModel } from "./engines/llama/testing/test-models.ts"
import type { TestBox } from "./testing/test-box.ts"
import { canary, startWalledBox, type WalledBox } from "./testing/model-servers/sandboxed-box.ts"
import { waitFor } from "../shared/testing/wait-for.ts"

let sandboxed: WalledBox
let box: TestBox
let sent: string[]
let far: string
let localModel: string
beforeEach(async () => {
  sandboxed = await startWalledBox()
  ;({ box, sent, far } = sandboxed)
  localModel = await sandboxed.addModel(ensureTestModel())
})
afterEach(() => sandboxed[Symbol.asyncDispose]())

// Catches a folder that is sent to a server although it must stay on this computer, and one that isn't sent although it may be.
test("a server's model reads a folder that may be sent, but none that stays on this computer", async () => {
  await sandboxed.choose("chat", far)
  const [open, closed] = [await sandboxed.makeFolder("allowed"), await sandboxed.makeFolder("never")]
  expect((await sandboxed.ask({ id: "a", vector: [open] })).text).toBe("From afar.")
  expect(sandboxed.leaked()).not.toEqual([])
  sent.length = 0
  const answer = await sandboxed.ask({ id: "b", vector: [closed] })
  expect(answer.notices).toContain("stays_here")
  expect(answer.text).toContain(canary)
  expect(sent).toEqual([])
  expect((await sandboxed.ask({ id: "b", vector: [closed], modelId: localModel })).text).toContain(
    "scripted model",
  )
  await box.client.folders.update({ params: { id: open }, body: { remote: "never" } })
  await sandboxed.ask({ id: "a", vector: [open] })
  expect(sent).toEqual([])
})

// Catches folder text that leaves with the chat after a question about the folder.
test("doesn't send a chat that has read such a folder, even after the folder is deleted", async () => {
  await sandboxed.choose("chat", localModel)
  const closed = await sandboxed.makeFolder("never")
  await sandboxed.ask({ id: "a", vector: [closed] })
  const refused = { code: "forbidden", message: expect.stringContaining("far") as string }
  await expect(sandboxed.ask({ id: "a", modelId: far, content: "And then?" })).rejects.toMatchObject(refused)
  await sandboxed.choose("chat", far)
  await expect(sandboxed.ask({ id: "a", content: "And then?" })).rejects.toMatchObject(refused)
  await box.client.folders.remove({ params: { id: closed } })
  await expect(sandboxed.ask({ id: "a", content: "And then?" })).rejects.toMatchObject(refused)
  await box.restart()
  await expect(sandboxed.ask({ id: "a", content: "And then?" })).rejects.toMatchObject(refused)
  expect(sandboxed.leaked()).toEqual([])
})

// Catches an assistant that sends its folder to any model it uses.
test("keeps an assistant's folder on this computer too", async () => {
  const closed = await sandboxed.makeFolder("never")
  const { assistant } = await box.client.assistants.create({
    body: { name: "Clerk", vectorIds: [closed], modelId: far },
  })
  await sandboxed.choose("chat", localModel)
  expect((await sandboxed.ask({ id: "a", assistantId: assistant.id })).notices).toContain("stays_here")
  expect(sandboxed.leaked()).toEqual([])
})

// Catches files of a folder that stays on this computer being sent through another folder that follows a parent or child directory.
test("keeps a folder with the same files on this computer too", async () => {
  await sandboxed.choose("chat", far)
  await sandboxed.choose("embedding", far)
  await using temporary = await mkdtempDisposable(join(tmpdir(), "casella-walls-"))
  const follow = async (directory: string, remote?: "never") => {
    const body = { name: directory, folder: join(temporary.path, directory), remote }
    return (await box.client.folders.create({ body })).vector.id
  }
  const write = async (directory: string, words: string) => {
    await mkdir(join(temporary.path, directory), { recursive: true })
    await writeFile(
      join(temporary.path, directory, `${words}.txt`),
      `The ${words} sleeps in the harbour at noon.`,
    )
  }
  await write("kept/deep", canary)
  await write("kept-not", "walrus")
  const kept = await follow("kept", "never")
  const [around, within, outside] = [await follow("."), await follow("kept/deep"), await follow("kept-not")]
  await waitFor(async () => {
    const lists = [around, within, outside].map((id) => box.client.files.list({ params: { id } }))
    const files = (await Promise.all(lists)).flatMap((list) => list.files)
    expect(files.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => "completed"))
  })
  for (const id of [around, within])
    expect((await sandboxed.ask({ id, vector: [id] })).notices).toContain("stays_here")
  expect((await sandboxed.ask({ id: outside, vector: [outside] })).text).toBe("From afar.")
  expect(sandboxed.leaked()).toEqual([])
  await box.client.folders.update({ params: { id: kept }, body: { remote: "allowed" } })
  expect((await sandboxed.ask({ id: "free", vector: [around] })).text).toBe("From afar.")
})

// Catches passages that are embedded on a server when they are read, or later when the model is chosen.
test("doesn't embed its passages on a server", async () => {
  await sandboxed.choose("embedding", far)
  const [open, closed] = [await sandboxed.makeFolder("allowed"), await sandboxed.makeFolder("never")]
  const embedded = () => sandboxed.leaked().filter((request) => request.startsWith("/v1/embeddings"))
  await waitFor(() => expect(embedded()).toHaveLength(1))
  const found = await box.client.folders.search({ body: { query: canary, vector: [open, closed] } })
  expect(found.results.map(({ vectorId }) => vectorId)).toHaveLength(1)
  sent.length = 0
  await box.restart()
  await box.client.folders.update({ params: { id: open }, body: { remote: "never" } })
  await sandboxed.makeFolder("never")
  expect(embedded()).toEqual([])
})
