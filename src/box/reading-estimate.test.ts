import { afterEach, beforeEach, expect, test } from "vitest"
import { startTestBox, getRows } from "./testing/test-box.ts"
import { settled, startReadingTalk, type ReadingTalk } from "./testing/model-servers/reading-talk.ts"

let talk: ReadingTalk
beforeEach(async () => {
  talk = await startReadingTalk()
})
afterEach(() => talk[Symbol.asyncDispose]())

const content = "Summarise everything"
const long = "Quiet water lies here. ".repeat(800)

// Catches an estimate that doesn't match what is read, and one that sends text to the model.
test("estimates reading everything for folders, for files, and for the chat's own files", async () => {
  const { client } = talk.box
  const folder = await talk.makeFolder({ "a.md": long, "b.md": "Short.", "empty.txt": "" })
  const estimate = (body: object) => client.chat.estimateReading({ body })
  const all = await estimate({ vector: [folder.id] })
  expect(all).toMatchObject({ files: 3, fits: true, isMeasured: false })
  expect(all.characters).toBeGreaterThan(long.length - 10)
  expect(all.estimatedTokens).toBeGreaterThan(all.characters / 6)
  const short = await estimate({ fileIds: [folder.files["b.md"]] })
  expect(short).toMatchObject({ files: 1, characters: "Short.".length, estimatedSeconds: 1 })
  expect(await estimate({})).toMatchObject({ files: 0, characters: 0 })
  const { vector: own } = await client.conversations.folder({ params: { id: "with-files" } })
  await client.files.upload({ params: { id: own.id }, file: new Blob(["Mine."]), fileName: "mine.md" })
  await settled(talk.box, own.id)
  expect(await estimate({ id: "with-files" })).toMatchObject({ files: 1, characters: "Mine.".length })
  await client.settings.update({ body: { wholeLimit: { characters: 1_000, minutes: 30 } } })
  expect(await estimate({ vector: [folder.id] })).toMatchObject({ fits: false })
  expect(talk.server.requests).toEqual([])
})

// Catches a page that announces a long reading although passages are used, or none although everything is read.
test("says whether the question itself would cause everything to be read", async () => {
  const { client } = talk.box
  const folder = await talk.makeFolder({ "a.md": long, "empty.txt": "" })
  const estimate = (more: object) => client.chat.estimateReading({ body: { vector: [folder.id], ...more } })
  expect(await estimate({})).toMatchObject({ isDecided: false })
  expect(await estimate({ content: "Where does quiet water lie?" })).toMatchObject({ isDecided: false })
  expect(await estimate({ content })).toMatchObject({ isDecided: true })
  expect(await estimate({ content, fileIds: [folder.files["empty.txt"]] })).toMatchObject({
    isDecided: false,
  })
  await client.settings.update({ body: { wholeLimit: { characters: 1_000, minutes: 30 } } })
  expect(await estimate({ content })).toMatchObject({ isDecided: false, fits: false })
})

// Catches a page that reports all folders although only attachments are read, or nothing although all attachments are.
test("covers what is attached to the next question, just as the question itself would be answered", async () => {
  const { client } = talk.box
  const folder = await talk.makeFolder({ "a.md": long })
  const id = "attached"
  const { vector: own } = await client.conversations.folder({ params: { id } })
  const attach = async (fileName: string, file: Blob) => {
    await client.files.upload({ params: { id: own.id }, file, fileName })
    await settled(talk.box, own.id)
  }
  await attach("mine.md", new Blob([long]))
  await attach("yours.md", new Blob([long]))
  const estimate = (question: string) =>
    client.chat.estimateReading({ body: { id, content: question, vector: [folder.id] } })
  const questions = {
    "Compare these": { isDecided: true, files: 2 },
    "Summarise this": { isDecided: true, files: 2 },
    "Summarise everything": { isDecided: true, files: 3 },
    "Where does quiet water lie?": { isDecided: false },
  }
  for (const [asked, expected] of Object.entries(questions))
    expect(await estimate(asked), asked).toMatchObject(expected)
  const answer = await talk.ask({ id, content: "Compare these", vector: [folder.id] })
  expect(answer.coverage?.files).toHaveLength(2)
  expect(await estimate("Compare these")).toMatchObject({ isDecided: false, files: 1 })
  expect(await estimate("Summarise everything")).toMatchObject({ isDecided: true, files: 1 })
  const picture = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  )
  await attach("one.png", new Blob([picture]))
  expect(await estimate("Summarise everything")).toMatchObject({ isDecided: false })
})

// Catches a question that is refused, or described as slow, although nearly all of it has already been read.
test("doesn't count again what the previous question read, unless a file has changed", async () => {
  const { client } = talk.box
  const folder = await talk.makeFolder({
    "a.md": `The canary one. ${long}`,
    "b.md": `The canary two. ${long}`,
  })
  const estimate = (question: string) =>
    client.chat.estimateReading({ body: { vector: [folder.id], content: question } })
  const before = await estimate(content)
  await talk.ask({ content, vector: [folder.id], reading: "whole" })
  expect(await estimate(content)).toMatchObject({ estimatedTokens: 0, isMeasured: true, files: 2 })
  const other = await estimate("Another question")
  expect(other.estimatedTokens).toBeGreaterThanOrEqual(before.estimatedTokens)
  const params = { id: folder.id, fileId: folder.files["b.md"] ?? "" }
  await client.files.replace({ params, file: new Blob([`The canary three. ${long}`]), fileName: "b.md" })
  await settled(talk.box, folder.id)
  const { estimatedTokens } = await estimate(content)
  expect(estimatedTokens).toBeGreaterThan(other.estimatedTokens / 3)
  expect(estimatedTokens).toBeLessThan((other.estimatedTokens * 2) / 3)
})

// Catches a slow model that reads without a result and is described as fast each time, because no measurement is kept.
test("measures a model's speed from parts without a result, and counts these parts again", async () => {
  const folder = await talk.makeFolder({ "a.md": long })
  talk.speak = () => ({ text: " " })
  const { coverage } = await talk.ask({ content, vector: [folder.id], reading: "whole" })
  expect(coverage?.files).toMatchObject([{ read: 0 }])
  const estimate = await talk.box.client.chat.estimateReading({ body: { vector: [folder.id], content } })
  expect(estimate).toMatchObject({ isMeasured: true })
  expect(estimate.estimatedTokens).toBeGreaterThan(0)
})

// Catches files of an older version of the box that are counted as empty, so that they can't be read.
test("counts texts once that were stored without a length", async () => {
  const folder = await talk.makeFolder({ "a.md": long })
  const count = async () => {
    const estimate = await talk.box.client.chat.estimateReading({ body: { vector: [folder.id] } })
    return estimate.characters
  }
  const characters = await count()
  await using database = await getRows(talk.box.dataDir)
  await database.db.updateTable("fileTexts").set({ characters: null }).execute()
  expect(await count()).toBe(characters)
  const stored = await database.db.selectFrom("fileTexts").select("characters").execute()
  expect(stored).toEqual([{ characters }])
})

// Catches minutes of reading without an estimated duration, and file names sent to a key that can't access folders.
test("reports the remaining time and the file while parts are read", async () => {
  const files = Object.fromEntries(
    ["a.md", "b.md", "c.md"].map((name) => [name, `The canary ${name}. ${long}`]),
  )
  const folder = await talk.makeFolder(files)
  const { events } = await talk.ask({ content, vector: [folder.id], reading: "whole", id: "told" })
  const estimates = events.flatMap((event) =>
    event.type === "progress" && event.stage === "reading" ? [event] : [],
  )
  expect(estimates[0]).toMatchObject({ done: 0, fileName: expect.stringMatching(/[.]md$/) })
  expect(estimates[0]?.secondsLeft).toBeGreaterThan(estimates.at(-1)?.secondsLeft ?? 0)
  expect(estimates.at(-1)).not.toHaveProperty("fileName")
  const { key } = await talk.box.client.keys.create({ body: { name: "Limited", scopes: ["assistants"] } })
  const seen: unknown[] = []
  const params = { chatId: "told" }
  for await (const event of talk.box.getClient(key).chat.attach({ params })) seen.push(event)
  expect(seen).toContainEqual(expect.objectContaining({ type: "progress", done: 0 }))
  expect(
    JSON.stringify(seen.filter((event) => (event as { type: string }).type === "progress")),
  ).not.toContain(".md")
})

// Catches texts that must stay on this computer and are counted for a model that may not receive them.
test("says why there is no estimate if no model may read the text", async () => {
  const { client } = talk.box
  const folder = await talk.makeFolder({ "a.md": long })
  await client.folders.update({ params: { id: folder.id }, body: { remote: "never" } })
  const estimate = () => client.chat.estimateReading({ body: { vector: [folder.id] } })
  await expect(estimate()).rejects.toMatchObject({ code: "forbidden" })
  await using other = await startTestBox()
  await expect(other.client.chat.estimateReading({ body: {} })).rejects.toMatchObject({ code: "no_model" })
})
