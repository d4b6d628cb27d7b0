import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { FileFilter } from "../shared/contract/file-filter.ts"
import { waitFor } from "../shared/testing/wait-for.ts"
import { callTool, connectMcp } from "./testing/clients.ts"
import { makePdf } from "./parsers/testing/make-pdf.ts"
import type { Round } from "./testing/model-servers/model-server.ts"
import {
  settled,
  startReadingTalk,
  echo,
  type Folder,
  type ReadingTalk,
} from "./testing/model-servers/reading-talk.ts"
import { getRows } from "./testing/test-box.ts"

const line = (words: string) => `The canary kettle costs ${words} euro.`
const mail = (from: string, to: string, date: string, words: string) =>
  `From: ${from}\r\nTo: ${to}\r\nDate: ${date}\r\nSubject: Kettle\r\n\r\n${line(words)}`
const question = "What does the canary kettle cost?"

let talk: ReadingTalk
let folder: Folder
beforeAll(async () => {
  talk = await startReadingTalk()
  folder = await talk.makeFolder({
    "Contracts/2024/offer.pdf": makePdf([{ lines: [{ text: line("one") }] }], "D:20240305103000Z"),
    "Contracts/notes.md": line("two"),
    "anna.eml": mail(
      '"Rossi, Anna" <anna@example.org>',
      "bo@example.org",
      "Wed, 31 Jan 2024 23:59:00 +0000",
      "three",
    ),
    "joanna.eml": mail("joanna@example.net", "Bo <bo@example.org>", "Thu, 1 Feb 2024 00:00:00 +0000", "four"),
    "damaged.eml": mail("x@example.net", "y@example.net", "Sat, 1 Jan 99999 00:00:00 +0000", "five"),
  })
  await using rows = await getRows(talk.box.dataDir)
  const setModified = rows.db.updateTable("files").set({ modifiedMs: Date.UTC(2020, 4, 1, 12) })
  await setModified.where("contentMs", "is", null).execute()
  await setTags("Contracts/notes.md", ["Invoice", "50%"])
})
afterAll(() => talk[Symbol.asyncDispose]())
beforeEach(() => {
  talk.speak = (request) => echo(request)
})

async function setTags(name: string, tags: string[]): Promise<void> {
  await using rows = await getRows(talk.box.dataDir)
  const update = rows.db.updateTable("files").set({ tags: JSON.stringify(tags) })
  await update.where("id", "=", folder.files[name] ?? "").execute()
}

const all = ["anna.eml", "damaged.eml", "joanna.eml", "notes.md", "offer.pdf"]

async function search(filter: FileFilter | null, strategy: "hybrid" | "keyword" | "semantic" = "hybrid") {
  const body = { query: question, vector: [folder.id], topK: 50, strategy, filter }
  const { results, notices } = await talk.box.client.folders.search({ body })
  return {
    names: results.map(({ fileName }) => fileName).toSorted(),
    notices: notices.map(({ code }) => code),
  }
}

test("dates a file by its content, or else by its modification time", async () => {
  const { files } = await talk.box.client.files.list({ params: { id: folder.id }, query: {} })
  expect(files.map(({ status, error }) => error ?? status)).toEqual(files.map(() => "completed"))
  expect(Object.fromEntries(files.map(({ name, date, dateFrom }) => [name, [date, dateFrom]]))).toEqual({
    "offer.pdf": ["2024-03-05T10:30:00.000Z", "content"],
    "notes.md": ["2020-05-01T12:00:00.000Z", "file"],
    "anna.eml": ["2024-01-31T23:59:00.000Z", "content"],
    "joanna.eml": ["2024-02-01T00:00:00.000Z", "content"],
    "damaged.eml": ["2020-05-01T12:00:00.000Z", "file"],
  })
})

/** Catches a condition that is ignored, compared inexactly, or joined with another as alternatives. */
const filters: [string, FileFilter, string[]][] = [
  ["nothing", {}, all],
  ["a type", { types: ["pdf"] }, ["offer.pdf"]],
  ["types, in any case", { types: ["PDF", ".markdown"] }, ["notes.md", "offer.pdf"]],
  ["a group of types", { types: ["mail"] }, ["anna.eml", "damaged.eml", "joanna.eml"]],
  ["a tag in any case", { tags: ["invoice"] }, ["notes.md"]],
  ["a tag with a sign of SQL", { tags: ["50%"] }, ["notes.md"]],
  ["a part of a tag", { tags: ["inv"] }, []],
  ["the first day, included", { from: "2024-02-01" }, ["joanna.eml", "offer.pdf"]],
  ["the last day, included", { to: "2024-01-31" }, ["anna.eml", "damaged.eml", "notes.md"]],
  ["one day", { from: "2024-01-31", to: "2024-01-31" }, ["anna.eml"]],
  ["a directory", { path: "Contracts/**" }, ["notes.md", "offer.pdf"]],
  ["a directory in any case, at any depth", { path: "**/2024/**" }, ["offer.pdf"]],
  ["names in a directory", { path: "contracts/*" }, ["notes.md"]],
  ["names at the top", { path: "*.{eml,pdf}" }, ["anna.eml", "damaged.eml", "joanna.eml"]],
  ["an address", { people: ["Anna@example.org"] }, ["anna.eml"]],
  ["a name", { people: ["anna rossi"] }, ["anna.eml"]],
  ["a recipient", { people: ["bo@example.org"] }, ["anna.eml", "joanna.eml"]],
  ["several people", { people: ["anna", "joanna"] }, ["anna.eml", "joanna.eml"]],
  ["all conditions at once", { people: ["bo"], types: ["eml"], from: "2024-02-01" }, ["joanna.eml"]],
  ["conditions that exclude each other", { types: ["pdf"], people: ["bo"] }, []],
]
test.for(filters)("searches %s", async ([, filter, expected]) => {
  const { names, notices } = await search(filter)
  expect(names).toEqual(expected)
  expect(notices.includes("filter_matches_no_file")).toBe(expected.length === 0)
})

test.each(["keyword", "semantic"] as const)("narrows the strategy %s", async (strategy) => {
  expect((await search({ types: ["pdf"] }, strategy)).names).toEqual(["offer.pdf"])
})

// Catches a filter that only drops results: files outside of it then take the places of those inside.
test("applies the filter before it ranks", async () => {
  const body = { query: question, vector: [folder.id], topK: 1, filter: { types: ["md"] } }
  const { results } = await talk.box.client.folders.search({ body })
  expect(results.map(({ fileName }) => fileName)).toEqual(["notes.md"])
})

test("says that nothing was found because of the filter", async () => {
  const body = {
    query: "zyzzyva",
    vector: [folder.id],
    strategy: "keyword" as const,
    filter: { types: ["pdf"] },
  }
  expect((await talk.box.client.folders.search({ body })).notices.map(({ code }) => code)).toContain(
    "nothing_in_filter",
  )
})

test.for([
  [{ types: [] }, "filter.types"],
  [{ tags: [] }, "filter.tags"],
  [{ people: [] }, "filter.people"],
  [{ kinds: ["pdf"] }, "filter"],
  [{ types: ["p d f"] }, "filter.types.0"],
  [{ types: Array.from({ length: 51 }, () => "pdf") }, "filter.types"],
  [{ from: "2024-02-30" }, "filter.from"],
  [{ from: "2024-01-01T00:00:00Z" }, "filter.from"],
  [{ from: "2024-02-02", to: "2024-02-01" }, "filter.to"],
  [{ path: "" }, "filter.path"],
  [{ path: "/etc/**" }, "filter.path"],
  [{ path: "a/../b" }, "filter.path"],
  [{ path: "[a-z" }, "filter.path"],
  [{ path: "{a,b" }, "filter.path"],
  [{ path: "x".repeat(501) }, "filter.path"],
  ["pdf", "filter"],
] as const)("rejects %j", async ([filter, field]) => {
  const send = (path: string, body: object) =>
    fetch(`${talk.box.url}${path}`, {
      method: "POST",
      headers: { "x-api-key": talk.box.key, "content-type": "application/json" },
      body: JSON.stringify({ ...body, filter }),
    })
  const chat = { id: "wrong", messages: [{ role: "user", content: question }], boxAddress: talk.box.url }
  const responses = [
    await send("/api/public/vectors/search", { query: question, vector: [folder.id] }),
    await send("/api/ai/chat", { ...chat, vector: [folder.id] }),
    await send("/api/public/chats/wrong/queue", { content: question }),
  ]
  for (const response of responses) {
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: "validation", details: [{ field }] })
  }
})

describe.each(["passages", "whole"] as const)("a chat that reads %s", (reading) => {
  const ask = async (filter: FileFilter) => {
    const { sources, coverage, notices } = await talk.ask({
      content: question,
      vector: [folder.id],
      reading,
      filter,
    })
    const names = [...sources, ...(coverage?.files ?? []).map(({ name }) => ({ fileName: name }))]
    return { names: [...new Set(names.map(({ fileName }) => fileName))].toSorted(), notices }
  }

  test("reads only the files that the filter lets through", async () => {
    const before = talk.server.requests.length
    expect((await ask({ people: ["anna"] })).names).toEqual(["anna.eml"])
    expect(JSON.stringify(talk.server.requests.slice(before))).not.toMatch(/costs (?:one|two|four|five)/)
  })

  test("says that no file matches", async () => {
    if (reading === "whole") {
      await expect(ask({ types: ["ods"] })).rejects.toMatchObject({ details: [{ field: "filter" }] })
      return
    }
    const { names, notices } = await ask({ types: ["ods"] })
    expect(names).toEqual([])
    expect(notices).toContain("filter_matches_no_file")
    expect(notices).not.toContain("no_passages")
  })
})

// Catches a model that looks outside of the filter by itself.
test("narrows the tools of the answer as well", async () => {
  const calls = [
    { name: "searchFolder", args: { query: "canary kettle" } },
    { name: "listFiles", args: {} },
    { name: "readFile", args: { fileId: folder.files["Contracts/notes.md"] } },
    { name: "readFile", args: { fileId: folder.files["anna.eml"] } },
  ]
  talk.speak = ({ messages }) => (messages.at(-1)?.role === "user" ? { calls } : { text: "Done." })
  const { events } = await talk.ask({
    content: question,
    vector: [folder.id],
    reading: "passages",
    filter: { people: ["anna"] },
  })
  const results = JSON.stringify(events.filter(({ type }) => type === "tool-result"))
  expect(results).toContain("costs three")
  expect(results).not.toMatch(/costs (?:one|two|four|five)|notes\.md|offer\.pdf/)
})

test("reads what is attached to the question, whatever the filter", async () => {
  const id = "attached"
  const { vector } = await talk.box.client.conversations.folder({ params: { id } })
  await talk.box.client.files.upload({
    params: { id: vector.id },
    file: new Blob([line("six")]),
    fileName: "attached.md",
  })
  await settled(talk.box, vector.id)
  for (const reading of ["passages", "whole"] as const) {
    const { sources, coverage } = await talk.ask({
      id,
      content: question,
      vector: [folder.id],
      reading,
      filter: { types: ["pdf"] },
    })
    const names = [
      ...sources.map(({ fileName }) => fileName),
      ...(coverage?.files ?? []).map(({ name }) => name),
    ]
    if (reading === "passages") expect(new Set(names)).toEqual(new Set(["attached.md", "offer.pdf"]))
    else expect(names).toContain("offer.pdf")
    expect(names).not.toContain("anna.eml")
  }
})

// Catches a queued or repeated question that is asked with another filter than it was written with.
test("keeps the filter of a question in the queue and with its message", async () => {
  const { client } = talk.box
  const writing = Promise.withResolvers<Round>()
  talk.speak = () => writing.promise
  const params = { id: "queued" }
  const filter = { types: ["md"] }
  const add = async (more: object) =>
    (
      await client.queue.add({
        params,
        body: { content: question, vector: [folder.id], reading: "passages", ...more },
      })
    ).entry
  await add({})
  expect(await add({ filter })).toMatchObject({ filter })
  const changed = await add({})
  expect(changed.filter).toBeNull()
  const patch = { params: { ...params, entryId: changed.id }, body: { filter: { people: ["anna"] } } }
  expect((await client.queue.change(patch)).entry).toMatchObject({ filter: { people: ["anna"] } })
  writing.resolve({ text: "Three." })
  await waitFor(async () => {
    const { chat } = await client.conversations.read({ params })
    const asked = chat.messages
      .filter(({ role }) => role === "user")
      .map(({ filter: stored }) => stored ?? null)
    expect(asked).toEqual([null, filter, { people: ["anna"] }])
    const sources = chat.messages
      .filter(({ role, finishReason }) => role === "assistant" && finishReason === "stop")
      .map(({ parts }) => parts.flatMap((part) => (part.type === "source" ? [part.fileName] : [])).toSorted())
    expect(sources).toEqual([all, ["notes.md"], ["anna.eml"]])
  })
})

test("narrows the search of other programs", async () => {
  const { client } = await connectMcp(talk.box.url, { "x-api-key": talk.box.key })
  try {
    const args = { query: "canary kettle", folderIds: [folder.id], filter: { people: ["anna"] } }
    const { text } = await callTool(client, "search", args)
    expect(text).toContain("costs three")
    expect(text).not.toMatch(/costs (?:one|two|four|five)/)
  } finally {
    await client.close()
  }
})

test("estimates only what the filter lets through", async () => {
  const body = { vector: [folder.id], filter: { types: ["mail"] } }
  expect((await talk.box.client.chat.estimateReading({ body })).files).toBe(3)
})

// Catches a filter that opens what the credential can't reach without it.
test("opens nothing to others: another person, and keys without the scope", async () => {
  const { client, url } = talk.box
  const { key } = await client.keys.create({ body: { name: "no folders", scopes: ["assistants"] } })
  const send = (path: string, body: object) =>
    fetch(`${url}${path}`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify(body),
    })
  const filter = { types: ["pdf"] }
  const found = await send("/api/public/vectors/search", { query: question, vector: [folder.id], filter })
  expect(found.status).toBe(403)
  const message = { role: "user", content: question }
  const chat = { id: "no-folders", messages: [message], boxAddress: url, vector: [folder.id], filter }
  expect((await send("/api/ai/chat", chat)).status).toBe(403)
})
