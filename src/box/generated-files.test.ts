import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import {
  settled,
  startReadingTalk,
  echo,
  type Folder,
  type ReadingTalk,
} from "./testing/model-servers/reading-talk.ts"

const manual = "The canary kettle must be descaled every three months."
const saved = "The canary kettle must be descaled every nine months."
const question = "How often must the canary kettle be descaled?"

let talk: ReadingTalk
let folder: Folder
let generated: string
beforeAll(async () => {
  talk = await startReadingTalk()
  folder = await talk.makeFolder({ "manual.md": manual })
  generated = await save()
})
afterAll(() => talk[Symbol.asyncDispose]())
beforeEach(() => {
  talk.speak = (request) => echo(request)
})

/** Saves an answer as the app does. */
async function save(): Promise<string> {
  const generatedBy = { chatId: "talk", assistantId: null, modelId: "test" }
  const receipt = await talk.box.client.files.upload({
    params: { id: folder.id },
    file: new Blob([saved]),
    fileName: "kettle.md",
    generatedBy: JSON.stringify(generatedBy),
  })
  await settled(talk.box, folder.id)
  return receipt.files[0]?.id ?? ""
}

const include = (includeGenerated: boolean) =>
  talk.box.client.folders.update({ params: { id: folder.id }, body: { includeGenerated } })

/** Names of the files that are found. */
async function found(more: { includeGenerated?: boolean } = {}): Promise<string[]> {
  const { results } = await talk.box.client.folders.search({
    body: { query: question, vector: [folder.id], ...more },
  })
  return results.map(({ fileName }) => fileName).toSorted()
}

test("a saved answer is listed, marked and opened like any file", async () => {
  const { files } = await talk.box.client.files.list({ params: { id: folder.id }, query: {} })
  expect(files.map(({ name, status, generatedBy }) => ({ name, status, generatedBy }))).toEqual([
    { name: "manual.md", status: "completed", generatedBy: null },
    {
      name: "kettle.md",
      status: "completed",
      generatedBy: { chatId: "talk", assistantId: null, modelId: "test" },
    },
  ])
  const content = await talk.box.client.files.content({ params: { id: folder.id, fileId: generated } })
  expect(await content.text()).toBe(saved)
})

// Would catch: an answer that is evidence for the next one.
test("search finds it only where that is set, in the request or on the folder", async () => {
  const both = ["kettle.md", "manual.md"]
  expect(await found()).toEqual(["manual.md"])
  expect(await found({ includeGenerated: true })).toEqual(both)
  expect((await include(true)).vector.includeGenerated).toBe(true)
  expect(await found()).toEqual(both)
  expect((await include(false)).vector.includeGenerated).toBe(false)
  expect(await found()).toEqual(["manual.md"])
})

test.each(["passages", "whole"] as const)(
  "a chat that reads %s doesn't read it unless it is asked to",
  async (reading) => {
    const ask = async (more: object) => {
      const { sources, coverage } = await talk.ask({
        content: question,
        vector: [folder.id],
        reading,
        ...more,
      })
      const names = [...sources, ...(coverage?.files ?? []).map(({ name }) => ({ fileName: name }))]
      return [...new Set(names.map(({ fileName }) => fileName))].toSorted()
    }
    const before = talk.server.requests.length
    expect(await ask({})).toEqual(["manual.md"])
    expect(JSON.stringify(talk.server.requests.slice(before))).not.toContain("nine months")
    expect(await ask({ includeGenerated: true })).toEqual(["kettle.md", "manual.md"])
  },
)

test("a question that names it reads it", async () => {
  const { coverage } = await talk.ask({ content: question, fileIds: [generated], reading: "whole" })
  expect(coverage?.files).toMatchObject([{ name: "kettle.md" }])
})

// Would catch: a model that opens its own answer by its id, or finds it in a list.
test("a model's tools neither list nor read it", async () => {
  const rounds = [
    { calls: [{ name: "listFiles", args: {} }] },
    { calls: [{ name: "readFile", args: { fileId: generated } }] },
    { calls: [{ name: "searchFolder", args: { query: "canary kettle descaled" } }] },
  ]
  const ask = async (more: object) => {
    const left = [...rounds]
    const before = talk.server.requests.length
    talk.speak = () => left.shift() ?? { text: "Done." }
    await talk.ask({ content: question, vector: [folder.id], reading: "passages", ...more })
    return JSON.stringify(talk.server.requests.slice(before))
  }
  const sent = await ask({})
  expect(sent).toContain("manual.md")
  expect(sent).not.toContain("kettle.md")
  expect(sent).not.toContain("nine months")
  expect(await ask({ includeGenerated: true })).toContain("nine months")
})

test("it is still marked when its deletion is undone", async () => {
  const { client } = talk.box
  const params = { id: folder.id, fileId: generated }
  const { undo } = await client.files.remove({ params })
  await client.deletions.undo({ body: { token: undo.token } })
  await settled(talk.box, folder.id)
  expect((await client.files.read({ params })).file.generatedBy).toMatchObject({ chatId: "talk" })
  expect(await found()).toEqual(["manual.md"])
})

test("what isn't such a mark is refused", async () => {
  const file = new Blob(["x"])
  for (const generatedBy of ["yes", "{}", '{"chatId":"","assistantId":null,"modelId":null}']) {
    const upload = talk.box.client.files.upload({
      params: { id: folder.id },
      file,
      fileName: "x.md",
      generatedBy,
    })
    await expect(upload).rejects.toMatchObject({ code: "validation" })
  }
})
