import { afterEach, beforeEach, expect, test } from "vitest"
import { makePdf } from "./parsers/testing/make-pdf.ts"
import {
  settled,
  startReadingTalk,
  type Answered,
  type ReadingTalk,
} from "./testing/model-servers/reading-talk.ts"
import { type ModelRequest, blockLine } from "./testing/model-servers/model-server.ts"
import { waitFor } from "../shared/testing/wait-for.ts"

let talk: ReadingTalk
beforeEach(async () => {
  talk = await startReadingTalk()
  talk.speak = noteDates
})
afterEach(() => talk[Symbol.asyncDispose]())

/** Notes each block with a date as a row with the block's number. */
function noteDates({ messages }: ModelRequest) {
  const rows = (messages.at(-1)?.content ?? "").split("\n").flatMap((line) => {
    const block = blockLine(line)
    const [, what, date] = /^(.*?)(\d{4}-\d\d-\d\d)/.exec(block?.text ?? "") ?? []
    return date === undefined ? [] : [`${what?.trim()} | ${date} [${block?.number}]`]
  })
  return { text: rows.join("\n") || "NONE" }
}

/** Returns the cells of the answer's table, without its header. */
const getRows = ({ text }: Answered) =>
  text
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(2)
    .map((line) => line.slice(2, -2).split(" | "))

const table = { columns: ["Deadline", "Date"] }

// Catches a deadline without a row, a cell that links to another page, and a file that isn't reported as read.
test("every deadline is a row with its document, page and citation, assembled without the model", async () => {
  const pages = Array.from({ length: 40 }, (_, index) => ({
    lines: [
      {
        text:
          index % 8 === 3 ? `Payment ${index + 1} is due on 2026-03-${10 + (index >> 3)}.` : "Nothing here.",
      },
    ],
  }))
  const folder = await talk.makeFolder({
    "plan.pdf": makePdf(pages),
    "note.md": "Hand in by 2026-05-01.\n\nMore.",
  })
  const question = "List every deadline with its date, document and page"
  const answer = await talk.ask({ content: question, vector: [folder.id] })
  expect(answer.notices).toEqual(["reading_whole"])
  expect(answer.text.split("\n")[0]).toBe("| Document | Location | Deadline | Date |")
  const rows = getRows(answer)
  expect(rows.map(([document, location]) => [document, location])).toEqual([
    ...[4, 12, 20, 28, 36].map((page) => ["plan.pdf", `page ${page}`]),
    ["note.md", "line 1"],
  ])
  for (const [, location = "", ...cells] of rows)
    for (const cell of cells) {
      const [, number] = /\[(\d+)\]$/.exec(cell) ?? []
      const source = answer.sources.find(({ citation }) => citation === Number(number))
      expect(source?.text).toContain(cell.replace(/ \[\d+\]$/, ""))
      if (location.startsWith("page")) expect(`page ${source?.location.page}`).toBe(location)
    }
  expect(talk.combined()).toEqual([])
  expect(answer.coverage).toMatchObject({
    complete: true,
    files: [{ name: "plan.pdf", read: 40 }, { name: "note.md" }],
  })
})

// Catches requested columns that are missing, rows that are paid for again, and other columns that receive these rows.
test("a table is stored with its columns, and only changes are read again", async () => {
  const folder = await talk.makeFolder({
    "a.md": "The rent is due on 2026-01-01.",
    "b.md": "x".repeat(30_000),
  })
  const ask = (columns: string[]) => talk.ask({ content: "Dates?", vector: [folder.id], table: { columns } })
  const first = await ask(table.columns)
  expect(getRows(first)).toEqual([["a.md", "line 1", "The rent is due on [1]", "2026-01-01 [1]"]])
  const once = talk.read().length
  expect(getRows(await ask(table.columns))).toEqual(getRows(first))
  expect(talk.read()).toHaveLength(once)
  await ask(["Something", "Else"])
  expect(talk.read()).toHaveLength(2 * once)
  const params = { id: folder.id, fileId: folder.files["a.md"] ?? "" }
  await talk.box.client.files.replace({ params, file: new Blob(["Due on 2027-01-01."]), fileName: "a.md" })
  await settled(talk.box, folder.id)
  expect(getRows(await ask(table.columns))).toMatchObject([
    ["a.md", "line 1", "Due on [1]", "2027-01-01 [1]"],
  ])
})

// Catches rows that are lost although they were found before reading was stopped.
test("a stopped reading returns the rows found so far", async () => {
  const filler = "Quiet water. ".repeat(2_500)
  const folder = await talk.makeFolder({
    "a.md": `Due on 2026-01-01. ${filler}`,
    "b.md": filler,
    "c.md": filler,
  })
  let parts = 0
  const { promise: asked, resolve: resolveAsked } = Promise.withResolvers<void>()
  talk.speak = (request) => {
    parts++
    const noted = noteDates(request)
    if (noted.text !== "NONE") return noted
    if (parts === 3) resolveAsked() // Two parts are read at once, so the first one is done.
    return { unended: true }
  }
  const asking = talk.ask({ id: "stopped", content: "Dates?", vector: [folder.id], table })
  await asked
  await talk.box.client.chat.stop({ params: { chatId: "stopped" } })
  const answer = await asking
  expect(getRows(answer)).toHaveLength(1)
  expect(answer.events.at(-1)).toMatchObject({ type: "finish", finishReason: "aborted" })
  expect(answer.coverage?.complete).toBe(false)
})

// Catches a table of some passages that is presented as a table of everything.
test("a table that can't be created is refused with a reason", async () => {
  const folder = await talk.makeFolder({ "a.md": "Due on 2026-01-01." })
  const content = "Dates?"
  const refused = (body: Parameters<ReadingTalk["ask"]>[0]) => expect(talk.ask(body)).rejects
  await refused({ content, vector: [folder.id], table, reading: "passages" }).toMatchObject({
    code: "validation",
    details: [{ field: "table" }],
  })
  await refused({ content, table }).toMatchObject({ code: "validation", details: [{ field: "reading" }] })
  for (const columns of [[], [""], ["x".repeat(61)], Array.from({ length: 13 }, () => "x")])
    await refused({ content, vector: [folder.id], table: { columns } }).toMatchObject({ code: "validation" })
})

// Catches a queued question that forgets its files, or that it needs a table.
test("a queued question keeps its files and its table", async () => {
  const folder = await talk.makeFolder({ "a.md": "Due on 2026-01-01.", "b.md": "Due on 2026-02-02." })
  const fileIds = [folder.files["b.md"] ?? ""]
  const params = { id: "waits" }
  const { entry } = await talk.box.client.queue.add({
    params,
    body: { content: "Dates?", vector: [folder.id], fileIds, table },
  })
  expect(entry).toMatchObject({ fileIds, table })
  const text = await waitFor(async () => {
    const { chat } = await talk.box.client.conversations.read({ params: { id: "waits" } })
    const answer = chat.messages.at(-1)
    if (answer?.role !== "assistant" || answer.finishReason === null)
      throw new Error("It isn't answered yet.")
    return answer.content
  })
  expect(text).toContain("| b.md | line 1 | Due on [1] | 2026-02-02 [1] |")
  expect(text).not.toContain("a.md")
  const { chat } = await talk.box.client.conversations.read({ params })
  expect(chat.messages.map((message) => message.table ?? null)).toEqual([table, null])
})
