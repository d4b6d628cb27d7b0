import { expect, test } from "vitest"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import type { Block } from "../../../parsers/parser.ts"
import { foundPassages, testPassage } from "../../../testing/chat-server.ts"
import { testContext } from "../../../tools/testing/tool-context.ts"
import type { ToolResult } from "../../../tools/tool.ts"
import { resultText } from "../tool-calls/engine-messages.ts"
import { createCitations, type FolderReading, type TableAnswer, type FolderSession } from "./session.ts"
import { createFolderTools } from "./folder-tools.ts"

const charactersPerToken = 4
const countTokens = (text: string) => Promise.resolve(Math.ceil(text.length / charactersPerToken))

const lines = Array.from({ length: 20_000 }, (_, n) => `Line ${n} says "${"x".repeat(n % 50)}".`)
const document = async function* (): AsyncIterable<Block[]> {
  for (let line = 1; line <= lines.length; line += 1_000)
    yield [{ kind: "code", text: lines.slice(line - 1, line + 999).join("\n"), location: { line } }]
}

const getFile = (id: string): FileEntry => ({
  id,
  name: `${id}.txt`,
  folder: "2026",
  relativePath: `folder/2026/${id}.txt`,
  size: 1,
  status: "completed",
  phase: "done",
  progress: 100,
  error: null,
  note: null,
  storage: "local",
  attempts: 1,
  date: "2026-01-01T00:00:00.000Z",
  dateFrom: "file",
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
})

const fileCount = 250
const costs = { id: "t1", fileId: "file-0", fileName: "file-0.txt", sheet: "Costs", name: "costs" }
const other = { ...costs, id: "t2", fileId: "file-1", fileName: "file-1.txt", sheet: null, name: "income" }
const columns = [{ name: "supplier", type: "text" }]

const noRows: TableAnswer = { columns, rows: [], truncated: false }

interface Options {
  /** Tokens available for each result. */
  room?: number
  answer?: TableAnswer
  folders?: string[]
}

/** Creates the tools of an answer that already has one source. */
function open({ room = 1_000, answer = noRows, folders = ["folder"] }: Options = {}) {
  const reading: FolderReading = {
    reached: ({ folderIds: ids, generated }) =>
      Promise.resolve(ids.map((id) => ({ id, name: `The ${id}`, ownerId: "alice", generated, only: null }))),
    files: (_folder, { limit }) =>
      Promise.resolve({
        total: fileCount,
        files: Array.from({ length: Math.min(limit, fileCount) }, (_, n) => getFile(`file-${n}`)),
      }),
    getFolder: () => Promise.resolve("folder"),
    file: (_folder, id) => Promise.resolve(getFile(id)),
    text: () => Promise.resolve(document()),
    tables: {
      list: () =>
        Promise.resolve({ tables: [costs, other].map((table) => ({ ...table, columns })), without: [] }),
      query: () => Promise.resolve({ answer, tables: [{ ...costs, columns }] }),
    },
  }
  const session: FolderSession = {
    engine: { countTokens },
    reading,
    search: ({ topK = 50 }) =>
      Promise.resolve(
        foundPassages(
          Array.from({ length: topK }, (_, n) => testPassage(`p${n}`, `Passage ${n}. ${"y".repeat(400)}`)),
        ),
      ),
    granted: async () => [],
    citations: createCitations([{ ...testPassage("p0", "Passage 0."), citation: 1, url: "" }]),
    boxAddress: "http://127.0.0.1:8484",
    room: () => room,
  }
  const tools = createFolderTools(reading, () => session)
  return {
    async run(name: string, args: object): Promise<ToolResult & { tokens: number }> {
      const tool = tools.find((each) => each.name === name)
      if (!tool) throw new Error(`There is no tool ${name}.`)
      const { content, parts = [] } = await tool.run(args, testContext({ folderIds: folders }))
      return { content, parts, tokens: await countTokens(resultText(content)) }
    },
  }
}

interface Found {
  passages: { cite: string; text: string }[]
}

interface Listed {
  notShown: number
  folders: { files: unknown[] }[]
}

interface Read {
  cite?: string
  read: string
  text: string
}

// Catches a truncated result that doesn't say how to continue, and lines that are lost or repeated between two results.
test.each([300, 1_000, 1_000_000])("a long file is read completely in results of %i tokens", async (room) => {
  const { run } = open({ room })
  const texts: string[] = []
  for (let from: string | undefined = "19000"; from !== undefined;) {
    const { content: result, tokens } = await run("readFile", { fileId: "file-0", from })
    const content = result as Read
    expect(tokens).toBeLessThanOrEqual(room)
    expect(content.text.length).toBeLessThanOrEqual(50_000)
    texts.push(content.text)
    from = /continue with from: "([^"]+)"/.exec(content.read)?.[1]
  }
  expect(texts.join("").replaceAll("\n", "")).toBe(lines.slice(18_999).join(""))
})

// Catches the same pages cited by several numbers, and other pages cited by the same number.
test("pages that are read again keep their number", async () => {
  const { run } = open()
  const range = (from: number) => run("readFile", { fileId: "file-0", from, to: from + 1 })
  const marks = [await range(1), await range(5), await range(1)].map(({ content, parts }) => [
    (content as Read).cite,
    parts?.length,
  ])
  expect(marks).toEqual([
    ["[2]", 1],
    ["[3]", 1],
    ["[2]", 0],
  ])
})

test("a file can be referred to by the number of one of its passages", async () => {
  const { run } = open()
  const { content } = await run("readFile", { fileId: "[1]", from: 1, to: 1 })
  expect((content as Read).read).toContain("file-p0.txt")
})

// Catches passages that become sources of the answer although the model never received them, or that exceed the space for a result.
test("a search returns the passages that fit, at most 20, and none twice", async () => {
  const large = await open({ room: 1_000_000 }).run("searchFolder", { query: "x" })
  const { passages } = large.content as Found
  expect(passages).toHaveLength(20)
  expect(passages.slice(0, 2)).toMatchObject([
    { cite: "[1]", text: "As above." },
    { cite: "[2]", text: expect.stringContaining("Passage 1.") as string },
  ])
  expect(large.parts).toHaveLength(19)
  const small = await open().run("searchFolder", { query: "x" })
  expect(small.tokens).toBeLessThanOrEqual(1_000)
  const fitting = (small.content as Found).passages.length
  expect(fitting).toBeGreaterThan(3)
  expect(small.parts).toHaveLength(fitting - 1)
  await expect(open({ room: 20 }).run("searchFolder", { query: "x" })).rejects.toThrow("no space")
})

// Catches a list that is silently truncated, or that a folder with many files makes endless.
test("a list has at most 100 files and states how many more there are", async () => {
  const folders = ["folder", "second"]
  const { content } = await open({ room: 1_000_000, folders }).run("listFiles", {})
  expect(content).toMatchObject({ total: 2 * fileCount, notShown: 2 * fileCount - 100 })
  const listed = (content as Listed).folders
  expect(listed.map(({ files }) => files.length)).toEqual([100, 0])
  expect(listed[0]?.files[7]).toEqual({ fileId: "file-7", name: "2026/file-7.txt" })
  const small = await open().run("listFiles", {})
  expect(small.tokens).toBeLessThanOrEqual(1_000)
  const { notShown, folders: shown } = small.content as Listed
  expect(notShown).toBe(fileCount - (shown[0]?.files.length ?? 0))
})

// Catches sums without their file and sheet, and rows that silently disappear.
test("tables are queried by SQL, which is shown with the file and sheet", async () => {
  const rows = Array.from({ length: 1_000 }, (_, n) => [`Supplier ${n}`, n])
  const answer = { columns: [...columns, { name: "sum", type: "number" }], rows, truncated: false }
  const { run } = open({ answer })
  const sql = "SELECT supplier, SUM(net) AS sum FROM Costs GROUP BY supplier"
  const { content, parts, tokens } = await run("queryTable", { sql })
  expect(content).toMatchObject({
    sql,
    sheets: [{ cite: "[2]", file: "file-0.txt", sheet: "Costs" }],
    columns: ["supplier", "sum"],
    note: expect.stringContaining("more rows") as string,
  })
  const fitting = (content as { rows: unknown[] }).rows
  expect(fitting).toEqual(rows.slice(0, fitting.length))
  expect(tokens).toBeLessThanOrEqual(1_000)
  expect(parts).toMatchObject([
    {
      type: "source",
      citation: 2,
      location: { sheet: "Costs" },
      text: expect.stringContaining(sql) as string,
    },
  ])
  const shown = await run("queryTable", { sql: "show tables;" })
  expect(shown.content).toEqual({
    notShown: 0,
    tables: [
      { name: "costs", file: "file-0.txt", sheet: "Costs", columns: ["supplier text"] },
      { name: "income", file: "file-1.txt", columns: ["supplier text"] },
    ],
  })
  const several = open({ answer, folders: ["folder", "second"] })
  await expect(several.run("queryTable", { sql })).rejects.toThrow("folder (The folder); second (The second)")
  await expect(several.run("queryTable", { sql, folderId: "third" })).rejects.toThrow("isn't a folder")
})

// Catches an argument that local models can't see, because llama.cpp's templates leave out unions.
test("each argument is described by one type", () => {
  const tools = createFolderTools({ tables: {} } as FolderReading, () => {
    throw new Error("They are described only.")
  })
  for (const { parameters } of tools)
    for (const argument of Object.values(parameters.properties as Record<string, object>))
      expect(argument).toHaveProperty("type", expect.any(String))
})
