import type { Client } from "@modelcontextprotocol/client"
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest"
import { callTool, connectMcp } from "./testing/clients.ts"
import type { Round } from "./testing/model-servers/model-server.ts"
import {
  settled,
  startReadingTalk,
  echo,
  type Folder,
  type ReadingTalk,
} from "./testing/model-servers/reading-talk.ts"
import { getRows } from "./testing/test-box.ts"
import { waitFor } from "../shared/testing/wait-for.ts"

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

/** Returns the names of the files found. */
async function found(more: { includeGenerated?: boolean } = {}): Promise<string[]> {
  const { results } = await talk.box.client.folders.search({
    body: { query: question, vector: [folder.id], ...more },
  })
  return results.map(({ fileName }) => fileName).toSorted()
}

test("lists, marks and opens a saved answer like any file", async () => {
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

// Catches an answer that is used as evidence for the next one.
test("finds it in search only when the request or the folder includes it", async () => {
  const both = ["kettle.md", "manual.md"]
  expect(await found()).toEqual(["manual.md"])
  expect(await found({ includeGenerated: true })).toEqual(both)
  expect((await include(true)).vector.includeGenerated).toBe(true)
  expect(await found()).toEqual(both)
  expect((await include(false)).vector.includeGenerated).toBe(false)
  expect(await found()).toEqual(["manual.md"])
})

test.each(["passages", "whole"] as const)(
  "reads it in a chat that reads %s only when the request includes it",
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

test("reads it for a question that names it", async () => {
  const { coverage } = await talk.ask({ content: question, fileIds: [generated], reading: "whole" })
  expect(coverage?.files).toMatchObject([{ name: "kettle.md" }])
})

/** Files with different words, which show which of them were read: one by a person and two by a model, one of these with a damaged mark. */
const words = { "report.csv": "three", "answer.csv": "nine", "damaged.csv": "eleven" }
type Name = keyof typeof words
const names = Object.keys(words) as Name[]

/** All ways in which a model gets files. Each returns the content that it got; `more` is added to the request where there is one. */
const readers: Record<string, (files: Folder, more: object) => Promise<string>> = {
  listFiles: withTools(() => [{ name: "listFiles", args: {} }]),
  readFile: withTools(({ files }) =>
    names.map((name) => ({ name: "readFile", args: { fileId: files[name] } })),
  ),
  searchFolder: withTools(() => [{ name: "searchFolder", args: { query: "canary kettle" } }]),
  "queryTable, tables": withTools(() => [{ name: "queryTable", args: { sql: "SHOW TABLES" } }]),
  "queryTable, rows": withTools(() =>
    names.map((name) => ({
      name: "queryTable",
      args: { sql: `SELECT months AS "${name}" FROM ${name.slice(0, -".csv".length)}` },
    })),
  ),
  codeInterpreter: withTools(() => [{ name: "codeInterpreter", args: { code: program } }]),
  "chat, passages": async ({ id }, more) => JSON.stringify((await askPapers(id, more)).sources),
  "chat, whole": async ({ id }, more) =>
    JSON.stringify((await askPapers(id, { reading: "whole", ...more })).coverage),
  "MCP list_files": ({ id }) =>
    overMcp(async (client) => (await callTool(client, "list_files", { folderId: id })).text),
  "MCP read_file": ({ files }) =>
    overMcp(async (client) => {
      const read = names.map(async (name) => callTool(client, "read_file", { fileId: files[name] }))
      return (await Promise.all(read)).map(({ text }) => text).join("\n")
    }),
  "MCP search": ({ id }) =>
    overMcp(async (client) => (await callTool(client, "search", { query: "canary", folderIds: [id] })).text),
  "MCP resources": ({ id }) =>
    overMcp(async (client) => {
      const { resources } = await client.listResources()
      return JSON.stringify(resources.filter(({ uri }) => uri.includes(id)))
    }),
  "MCP resource": ({ id, files }) =>
    overMcp(async (client) => {
      const read = names.map((name) =>
        client.readResource({ uri: `casella://folders/${id}/files/${files[name]}` }).catch(() => null),
      )
      return JSON.stringify(await Promise.all(read))
    }),
  "MCP ask": ({ id }) =>
    overMcp(async (client) => (await callTool(client, "ask", { question, folderIds: [id] })).text),
}

const program = `import glob
[(path, open(path).read()) for path in glob.glob("in/**/*.csv", recursive=True)]`

const askPapers = (id: string, more: object) =>
  talk.ask({ content: question, vector: [id], reading: "passages", ...more })

/** Returns the results of the calls that a model makes. */
function withTools(getCalls: (files: Folder) => NonNullable<Round["calls"]>) {
  return async (files: Folder, more: object): Promise<string> => {
    const calls = getCalls(files)
    talk.speak = ({ messages }) => (messages.at(-1)?.role === "user" ? { calls } : { text: "Done." })
    const { events } = await askPapers(files.id, { assistantId: programmer, ...more })
    const results = events.flatMap((event) => (event.type === "tool-result" ? [event.result] : []))
    expect(results).toHaveLength(calls.length)
    return JSON.stringify(results)
  }
}

async function overMcp(read: (client: Client) => Promise<string>): Promise<string> {
  const { client } = await connectMcp(talk.box.url, { "x-api-key": talk.box.key })
  try {
    return await read(client)
  } finally {
    await client.close()
  }
}

let papers: Folder
let programmer: string
beforeAll(async () => {
  const getContent = (name: Name) => `kettle,months\ncanary,${words[name]}\n`
  papers = await talk.makeFolder({ "report.csv": getContent("report.csv") })
  const generatedBy = JSON.stringify({ chatId: "talk", assistantId: null, modelId: "test" })
  for (const fileName of names.slice(1)) {
    const file = new Blob([getContent(fileName)])
    const { files } = await talk.box.client.files.upload({
      params: { id: papers.id },
      file,
      fileName,
      generatedBy,
    })
    papers.files[fileName] = files[0]?.id ?? ""
  }
  await settled(talk.box, papers.id)
  await using rows = await getRows(talk.box.dataDir)
  const damaged = rows.db.updateTable("files").set({ generatedBy: '{"chatId":1}' })
  await damaged.where("id", "=", papers.files["damaged.csv"] ?? "").execute()
  const builtInTools = { codeInterpreter: true }
  const body = { name: "Programmer", builtInTools, permissionMode: "bypass" as const }
  programmer = (await talk.box.client.assistants.create({ body })).assistant.id
})

/** Returns the files whose name or content appears in the text. */
const shownIn = (read: string) => names.filter((name) => read.includes(name) || read.includes(words[name]))

// Catches an answer that is used as evidence for the next one, by any way in which a model gets files.
describe.each(Object.entries(readers))("%s", (reader, read) => {
  test("excludes files that a model wrote", async () => {
    expect(shownIn(await read(papers, {}))).toEqual(["report.csv"])
  })

  test("includes them when the folder does", async () => {
    const params = { id: papers.id }
    await talk.box.client.folders.update({ params, body: { includeGenerated: true } })
    onTestFinished(async () => {
      await talk.box.client.folders.update({ params, body: { includeGenerated: false } })
    })
    expect(shownIn(await read(papers, {}))).toEqual(names)
  })

  if (reader.startsWith("MCP")) return // Other programs have no option for it.

  test("includes them when the request does", async () => {
    expect(shownIn(await read(papers, { includeGenerated: true }))).toEqual(names)
  })

  test("includes a file that the question names", async () => {
    const shown = shownIn(await read(papers, { fileIds: [papers.files["answer.csv"]] }))
    expect(shown).toContain("answer.csv")
    expect(shown).not.toContain("damaged.csv")
  })
})

// Catches a file that a user attaches but the answer's tools don't find.
test("reads a file attached to the question, also through tools", async () => {
  const id = "attached"
  const { vector } = await talk.box.client.conversations.folder({ params: { id } })
  const { files } = await talk.box.client.files.upload({
    params: { id: vector.id },
    file: new Blob([saved]),
    fileName: "kettle.md",
    generatedBy: JSON.stringify({ chatId: "talk", assistantId: null, modelId: "test" }),
  })
  await settled(talk.box, vector.id)
  const calls = [{ name: "readFile", args: { fileId: files[0]?.id } }]
  talk.speak = ({ messages }) => (messages.at(-1)?.role === "user" ? { calls } : { text: "Done." })
  const { sources, events } = await talk.ask({
    id,
    content: question,
    vector: [vector.id],
    reading: "passages",
  })
  expect(sources.map(({ fileName }) => fileName)).toContain("kettle.md")
  expect(events).toContainEqual(
    expect.objectContaining({ type: "tool-result", result: expect.objectContaining({ text: saved }) }),
  )
})

// Catches a queued question that is asked with other settings than it was added with.
test("keeps the setting of a question that waits in the queue", async () => {
  const { client } = talk.box
  const reading = Promise.withResolvers<Round>()
  talk.speak = () => reading.promise
  const params = { id: "queued" }
  const add = async (more: object) => {
    const body = { content: question, vector: [folder.id], reading: "passages" as const, ...more }
    return (await client.queue.add({ params, body })).entry
  }
  await add({})
  expect(await add({ includeGenerated: true })).toMatchObject({ includeGenerated: true })
  const changed = await add({})
  expect(changed).toMatchObject({ includeGenerated: false })
  const patch = { params: { ...params, entryId: changed.id }, body: { includeGenerated: true } }
  expect((await client.queue.change(patch)).entry).toMatchObject({ includeGenerated: true })
  await add({})
  reading.resolve({ text: "Every three months." })
  const both = ["kettle.md", "manual.md"]
  await waitFor(async () => {
    const { chat } = await client.conversations.read({ params })
    const sources = chat.messages
      .filter(({ role }) => role === "assistant")
      .map(({ parts }) => parts.flatMap((part) => (part.type === "source" ? [part.fileName] : [])).toSorted())
    expect(sources).toEqual([["manual.md"], both, both, ["manual.md"]])
  })
})

test("keeps the mark when a deletion is undone", async () => {
  const { client } = talk.box
  const params = { id: folder.id, fileId: generated }
  const { undo } = await client.files.remove({ params })
  await client.deletions.undo({ body: { token: undo.token } })
  await settled(talk.box, folder.id)
  expect((await client.files.read({ params })).file.generatedBy).toMatchObject({ chatId: "talk" })
  expect(await found()).toEqual(["manual.md"])
})

test("rejects an invalid mark", async () => {
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
