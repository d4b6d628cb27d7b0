import { getRows } from "./testing/test-box.ts"
import { afterEach, beforeEach, expect, test } from "vitest"
import { encodePng } from "./parsers/pages/encode-png.ts"
import { drawPicture } from "./parsers/testing/make-picture.ts"
import {
  gifBytes,
  jpegBytes,
  pngClaiming,
  quarteredPicture,
  quartersIn,
} from "./parsers/testing/picture-bytes.ts"
import { startPictureTalk, type PictureTalk } from "./testing/model-servers/picture-talk.ts"
import { settled } from "./testing/model-servers/reading-talk.ts"
import { picturesSeen } from "./testing/model-servers/model-server.ts"

const secret = "N45.4642-E9.1900"
/** The photo is rotated and contains its location. */
const photograph = jpegBytes(quarteredPicture(400, 200), secret, 6)
const upright = ["blue", "red", "green", "grey"]

let talk: PictureTalk
beforeEach(async () => {
  talk = await startPictureTalk()
})
afterEach(() => talk[Symbol.asyncDispose]())

// Catches an image that isn't sent, is sent unchanged, or is stored with the message, and one that later questions omit.
test("an attached image is sent to a model with vision, with this question and the next", async () => {
  const { box, server, attach, ask } = talk
  const fileId = await attach("a", photograph, "walk.jpg")
  expect(await ask("a", { attachments: [fileId] })).toMatchObject({ text: "I see.", notices: [] })
  const [picture = Buffer.alloc(0), ...others] = picturesSeen(server.requests.at(-1))
  expect(others).toEqual([])
  expect(quartersIn(picture)).toEqual(upright)
  expect(server.received.some((text) => text.includes(secret))).toBe(false)
  const { chat } = await box.client.conversations.read({ params: { id: "a" } })
  expect(chat.messages[0]?.attachments).toEqual([
    { fileId, name: "walk.jpg", mediaType: "image/jpeg", size: photograph.byteLength },
  ])
  await ask("a", { content: "And the sky?" })
  expect(picturesSeen(server.requests.at(-1))).toHaveLength(1)
  const first = server.requests.at(-1)?.messages.find(({ role }) => role === "user")
  expect(Array.isArray(first?.content) && first.content.map(({ type }) => type)).toEqual([
    "image_url",
    "text",
  ])
})

// Catches an image that is ignored because the text next to it was read whole.
test("a question about whole documents includes its attached image", async () => {
  const { box, server, attach, ask } = talk
  await attach("a", Buffer.from("The harbour closes at noon."), "note.txt")
  const fileId = await attach("a", photograph, "walk.jpg")
  const { vector } = await box.client.conversations.folder({ params: { id: "a" } })
  await settled(box, vector.id)
  const asked = { content: "Summarise it", vector: [vector.id] }
  expect((await ask("a", { ...asked, attachments: [fileId] })).notices).not.toContain("reading_whole")
  expect(picturesSeen(server.requests.at(-1))).toHaveLength(1)
  expect((await ask("b", asked)).notices).toContain("reading_whole")
})

// Catches a model that is sent unsupported images, and one that doesn't get their recognised text.
test("a model without vision gets the text recognised in the image", async () => {
  const { server, ids, attach, ask, lastPrompt } = talk
  const { width, height, pixels } = await drawPicture("The harbour closes at noon.")
  const colours = new Uint8Array(pixels.length * 4)
  for (const [index, value] of pixels.entries()) colours.set([value, value, value, 255], index * 4)
  const fileId = await attach("a", encodePng({ width, height, pixels: colours }, "rgba"), "sign.png")
  const answer = await ask("a", { attachments: [fileId], modelId: ids.blind })
  expect(answer.notices).toEqual(["no_vision"])
  expect(picturesSeen(server.requests.at(-1))).toEqual([])
  expect(lastPrompt()).toContain("harbour closes at noon")
  expect(lastPrompt()).toContain("sign.png")
  await ask("a", { content: "And then?", modelId: ids.blind })
  expect(lastPrompt()).toContain("harbour closes at noon")
})

// Catches answers about an image that the model wasn't shown, and a chat that can't continue because of it.
test.each([
  ["bomb.png", pngClaiming(60_000, 60_000)],
  ["cut.jpg", photograph.subarray(0, 700)],
  ["moving.gif", gifBytes(2)],
  ["letter.png", Buffer.from("%PDF-1.7 with nothing in it")],
  ["large.jpg", Buffer.concat([photograph, Buffer.alloc(21_000_000)])],
])("%s ends the answer with the reason, and the chat can continue", async (name, bytes) => {
  const { server, attach, ask } = talk
  const fileId = await attach("a", bytes, name)
  const { error, text } = await ask("a", { attachments: [fileId] })
  expect(error).toMatchObject({ code: "unsupported_content", error: expect.stringContaining(name) as string })
  expect(text).toBe("")
  expect(server.requests).toEqual([])
  expect(await ask("a", { content: "Never mind." })).toMatchObject({ text: "I see." })
})

// Catches an image that is sent although its folder must stay local, also after it was sent earlier.
test("an image in a folder that stays local is sent to no server", async () => {
  const { box, server, attach, ask } = talk
  const fileId = await attach("a", photograph, "walk.jpg")
  const { vector: own } = await box.client.conversations.folder({ params: { id: "a" } })
  await box.client.folders.update({ params: { id: own.id }, body: { remote: "never" } })
  await expect(ask("a", { attachments: [fileId] })).rejects.toMatchObject({ code: "forbidden" })
  const quoted = await ask("a", { attachments: [fileId], vector: [own.id] })
  expect(quoted.notices).toContain("stays_here")
  expect(server.requests).toEqual([])

  const sent = await attach("b", photograph, "walk.jpg")
  await ask("b", { attachments: [sent] })
  expect(server.requests).toHaveLength(1)
  const { vector: later } = await box.client.conversations.folder({ params: { id: "b" } })
  await box.client.folders.update({ params: { id: later.id }, body: { remote: "never" } })
  await expect(ask("b", { content: "And the sky?" })).rejects.toMatchObject({ code: "forbidden" })
  await box.client.folders.remove({ params: { id: later.id } })
  await expect(ask("b", { content: "And the sky?" })).rejects.toMatchObject({ code: "forbidden" })
  expect(server.requests).toHaveLength(1)
})

// Catches chats whose images fill every request, and questions that omit some without a notice.
test("the newest images are sent, and a notice reports those omitted from a question", async () => {
  const { server, attach, ask } = talk
  const old = await attach("a", jpegBytes(quarteredPicture(20, 20)), "old.jpg")
  await ask("a", { attachments: [old] })
  const many: string[] = []
  for (let index = 0; index < 14; index++)
    many.push(await attach("a", jpegBytes(quarteredPicture(30 + index, 30)), `new-${index}.jpg`))
  expect((await ask("a", { attachments: many })).notices).toEqual(["pictures_left_out"])
  expect(picturesSeen(server.requests.at(-1))).toHaveLength(12)
})

// Catches an image that isn't labelled as private, so that an assistant's tools could exfiltrate its content.
test("an assistant that was shown an image has read private content", async () => {
  const { box, attach, ask } = talk
  const { assistant } = await box.client.assistants.create({
    body: { name: "Guide", builtInTools: { fetch: true } },
  })
  const fileId = await attach("a", photograph, "walk.jpg")
  await ask("a", { attachments: [fileId], assistantId: assistant.id })
  await using database = await getRows(box.dataDir)
  const rows = await database.db
    .selectFrom("messages")
    .select("readLabels")
    .where("role", "=", "assistant")
    .execute()
  const labels = rows.map(({ readLabels }) => JSON.parse(readLabels ?? "null") as unknown)
  expect(labels).toEqual([expect.arrayContaining([{ trusted: false, private: true }])])
})

// Catches questions about a screenshot that wait for its text to be recognised, which the model doesn't need.
test("a queued question doesn't wait for images to be indexed", async () => {
  const { box, server, ids, attach } = talk
  await attach("b", encodePng(quarteredPicture(2_000, 2_000), "rgba"), "being-read.png")
  await attach("a", photograph, "walk.jpg")
  const { vector: own } = await box.client.conversations.folder({ params: { id: "a" } })
  const { entry } = await box.client.queue.add({
    params: { id: "a" },
    body: { content: "What do you see?", modelId: ids.sees, vector: [own.id] },
  })
  expect(entry.waitsFor).toBeNull()
  const notices: string[] = []
  for await (const event of box.client.chat.attach({ params: { chatId: "a" } }))
    if (event.type === "notice") notices.push(event.code)
  expect(notices).toEqual([])
  expect(picturesSeen(server.requests[0])).toHaveLength(1)
  expect(JSON.stringify(server.requests[0]?.messages)).not.toContain("passage")
})
