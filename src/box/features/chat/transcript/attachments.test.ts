import { afterAll, beforeAll, expect, test } from "vitest"
import { startModelServer, type ModelServer } from "../../../testing/model-servers/model-server.ts"
import { addUser, startTestBox, type TestBox } from "../../../testing/test-box.ts"

let model: ModelServer
let box: TestBox
beforeAll(async () => {
  model = await startModelServer(() => ({ text: "Seen." }))
  box = await startTestBox({ model: model.baseUrl })
})
afterAll(async () => {
  await box[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

async function ask(id: string, questions: string[], attachments?: string[] | null): Promise<void> {
  const messages = questions.flatMap((content, index) => [
    ...(index === 0 ? [] : [{ role: "assistant" as const, content: "Seen." }]),
    { role: "user" as const, content },
  ])
  const body = { id, boxAddress: box.url, messages, ...(attachments === undefined ? {} : { attachments }) }
  for await (const event of box.client.chat.send({ body }))
    if (event.type === "error") throw new Error(event.error)
}

async function upload(chatId: string, fileName: string): Promise<string> {
  const { vector } = await box.client.conversations.folder({ params: { id: chatId } })
  const receipt = await box.client.files.upload({
    params: { id: vector.id },
    file: new Blob(["# Text"]),
    fileName,
  })
  return receipt.files[0]?.id ?? ""
}

const attachmentsIn = async (id: string) =>
  (await box.client.conversations.read({ params: { id } })).chat.messages.map(({ attachments }) =>
    attachments === null ? null : attachments.map(({ name }) => name),
  )

// Catches attachments that no message has, that every message has, or that a later message takes.
test("assigns uploaded files to the message they were uploaded for", async () => {
  const fileId = await upload("c", "notes.md")
  await ask("c", ["What do they say?"])
  const { chat } = await box.client.conversations.read({ params: { id: "c" } })
  expect(chat.messages.map(({ attachments }) => attachments)).toEqual([
    [{ fileId, name: "notes.md", mediaType: "text/markdown", size: 6 }],
    null,
  ])
  await ask("c", ["What do they say?", "And now?"])
  await upload("c", "more.txt")
  await ask("c", ["What do they say?", "And now?", "And this?"])
  expect(await attachmentsIn("c")).toEqual([["notes.md"], null, null, null, ["more.txt"], null])
})

test("accepts attachments named by a script, but only from the chat's own folder", async () => {
  const [first, second] = [await upload("named", "a.txt"), await upload("named", "b.txt")]
  const elsewhere = await upload("other", "c.txt")
  for (const attachments of [[elsewhere], [first, "0199a2d4-5b1e-7c3a-9f20-3a5d8e7b6c41"]]) {
    await expect(ask("named", ["Hm?"], attachments)).rejects.toMatchObject({
      code: "validation",
      details: [{ field: "attachments" }],
    })
  }
  await expect(box.client.conversations.read({ params: { id: "named" } })).rejects.toMatchObject({
    code: "not_found",
  })
  await ask("named", ["Read b."], [second])
  await ask("named", ["Read b.", "Nothing."], [])
  await ask("named", ["Read b.", "Nothing.", "Both."], [first, second])
  expect(await attachmentsIn("named")).toEqual([["b.txt"], null, null, null, ["a.txt", "b.txt"], null])
  const ann = await addUser(box, "ann@example.com")
  const body = { id: "named", boxAddress: box.url, messages: [{ role: "user" as const, content: "Hers?" }] }
  const hers = async () => {
    for await (const event of ann.chat.send({ body: { ...body, attachments: [first] } })) void event
  }
  await expect(hers()).rejects.toMatchObject({ code: "validation" })
})
