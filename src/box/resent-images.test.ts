import { afterEach, beforeEach, expect, test } from "vitest"
import { jpegBytes, pngBytes, quarteredPicture } from "./parsers/testing/picture-bytes.ts"
import { startPictureTalk, type PictureTalk } from "./testing/model-servers/picture-talk.ts"
import { picturesSeen } from "./testing/model-servers/model-server.ts"

const photograph = jpegBytes(quarteredPicture(400, 200))
const other = pngBytes(quarteredPicture(60, 60))

let talk: PictureTalk
beforeEach(async () => {
  talk = await startPictureTalk()
})
afterEach(() => talk[Symbol.asyncDispose]())
const lastSeen = () => picturesSeen(talk.server.requests.at(-1)).length

// Catches a chat whose images are only kept in memory, and images that are lost with another answer or question.
test("sends images again after a restart, for another answer, and for a changed question", async () => {
  const { box, attach, ask, lastPrompt } = talk
  const fileId = await attach("a", photograph, "walk.jpg")
  await ask("a", { attachments: [fileId] })
  await box.restart()
  await ask("a", { content: "And the sky?" })
  expect(lastSeen()).toBe(1)
  await ask("a", { kept: 0 })
  expect(lastSeen()).toBe(1)
  await ask("a", { content: "What is the weather?", kept: 0, attachments: [fileId] })
  expect(lastSeen()).toBe(1)
  expect(lastPrompt()).not.toContain("What do you see?")
  await ask("a", { content: "No picture this time.", kept: 0, attachments: [] })
  expect(lastSeen()).toBe(0)
})

// Catches a chat that bypasses a key's scopes to access images in a folder.
test("sends the model no images with a key without the folder scope", async () => {
  const { box, attach, ask } = talk
  await ask("a", { attachments: [await attach("a", photograph, "walk.jpg")] })
  const body = { name: "Chats only", scopes: ["assistants" as const] }
  const client = box.getClient((await box.client.keys.create({ body })).key)
  expect(await ask("a", { content: "And the sky?", client })).toMatchObject({ text: "I see.", notices: [] })
  expect(lastSeen()).toBe(0)
  await ask("a", { content: "And the sky?" })
  expect(lastSeen()).toBe(1)
})

// Catches a model whose server doesn't declare vision and that always or never receives images.
test("lets an owner declare that a model supports images", async () => {
  const { box, attach, ask, ids } = talk
  const fileId = await attach("a", photograph, "walk.jpg")
  const blind = await ask("a", { attachments: [fileId], modelId: ids.unsaid })
  expect(blind.notices).toEqual(["no_vision"])
  expect(lastSeen()).toBe(0)
  await box.client.modelOptions.update({ params: { modelId: ids.unsaid }, body: { vision: true } })
  expect(await ask("a", { content: "And now?", modelId: ids.unsaid })).toMatchObject({ notices: [] })
  expect(lastSeen()).toBe(1)
})

// Catches chats that fail because of their own images, as every question would be refused as too long.
test("leaves room in the context by omitting earlier images, and tells the model about them", async () => {
  const { attach, ask, ids, lastPrompt } = talk
  await ask("a", { attachments: [await attach("a", jpegBytes(quarteredPicture(900, 900)), "old.jpg")] })
  await ask("a", { attachments: [await attach("a", jpegBytes(quarteredPicture(1_500, 900)), "new.jpg")] })
  expect(lastSeen()).toBe(2)
  await ask("a", { content: "And the sky?", modelId: ids.small })
  expect(lastSeen()).toBe(1)
  expect(lastPrompt()).toContain("old.jpg")
  expect(lastPrompt()).not.toContain("new.jpg")
})

// Catches a notice that nothing matches a question about images, because their folder was searched.
test("gives no notice about images without text if nothing else is attached", async () => {
  const { box, attach, ask, ids } = talk
  const fileId = await attach("a", other, "plain.png")
  const { vector: own } = await box.client.conversations.folder({ params: { id: "a" } })
  expect(await ask("a", { attachments: [fileId], vector: [own.id] })).toMatchObject({ notices: [] })
  expect(await ask("a", { content: "And the sky?", vector: [own.id] })).toMatchObject({ notices: [] })
  const blind = await ask("a", { content: "And the sky?", vector: [own.id], modelId: ids.blind })
  expect(blind).toMatchObject({ notices: [] })
  const letter = await attach("a", Buffer.from("Dear all, the walrus is well."), "letter.txt")
  const asked = { content: "Xylophone?", attachments: [letter], vector: [own.id] }
  expect(await ask("a", asked)).not.toMatchObject({ notices: [] })
})

// Catches an answer that can't be stopped while its images are being prepared, or that then keeps its chat busy.
test("stops an answer while its images are being prepared", async () => {
  const { box, server, attach, ask } = talk
  const attachments: string[] = []
  const large = jpegBytes(quarteredPicture(3_000, 1_000))
  for (let index = 0; index < 12; index++)
    attachments.push(await attach("a", Buffer.concat([large, Buffer.of(index)]), `${index}.jpg`))
  const messages = [{ role: "user" as const, content: "What do you see?" }]
  const body = { id: "a", messages, boxAddress: box.url, attachments }
  for await (const event of box.client.chat.send({ body })) {
    if (event.type === "start") await box.client.chat.stop({ params: { chatId: "a" } })
    if (event.type === "finish") expect(event.finishReason).toBe("aborted")
    expect(event.type).not.toBe("error")
  }
  expect(server.requests).toEqual([])
  expect(await ask("a", { content: "Never mind.", attachments: [] })).toMatchObject({ text: "I see." })
})

// Catches images that are missing from the list of outgoing connections.
test("counts the bytes of images in the list of outgoing connections", async () => {
  const { box, server, attach, ask } = talk
  const url = server.url.replace("127.0.0.1", "0.0.0.0") // In this notation, it is treated as another computer.
  const { models } = (await box.client.modelServers.add({ body: { name: "Elsewhere", url } })).server
  const modelId = models.find(({ name }) => name === "sees")?.id ?? ""
  const fileId = await attach("a", jpegBytes(quarteredPicture(1_500, 900)), "walk.jpg")
  await ask("a", { attachments: [fileId], modelId })
  const { egress } = await box.client.privacy.list({ query: { purpose: "chat-model" } })
  const sent = Math.max(...egress.map(({ bytesSent }) => bytesSent ?? 0))
  expect(sent).toBeGreaterThan(picturesSeen(server.requests.at(-1))[0]?.byteLength ?? Infinity)
})
