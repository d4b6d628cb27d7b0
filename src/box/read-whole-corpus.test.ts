import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import type { FileBlock } from "../shared/contract/files.ts"
import { type ModelRequest, blockLine } from "./testing/model-servers/model-server.ts"
import { startReadingTalk } from "./testing/model-servers/reading-talk.ts"
import { waitFor } from "../shared/testing/wait-for.ts"

const documents = fileURLToPath(new URL("../../../shared/corpus/documents/", import.meta.url))
const date =
  /\b(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./](?:\d{4}|\d\d)|(?:January|February|March|April|May|June|July|August|September|October|November|December) \d{1,2}, \d{4})\b/

/** Scanned pages, whose text recognition takes most of the time. The corpus has shorter scans, and `parsers/corpus.test.ts` reads most of these. */
const longScans = new Set(["cardinal.pdf", "multipage.pdf", "8087_054.3B.tif", "ccitt.pdf"])

/** Excludes lines that only state a block's location in brackets. */
const isDated = (line: string) => date.test(line) && !/^(?:\(.*\)$|<document )/.test(line)

/** Notes every line with a date as a row. The rest of the line may contain vertical bars. */
function noteDates({ messages }: ModelRequest) {
  let block = ""
  const rows = (messages.at(-1)?.content ?? "").split("\n").flatMap((line) => {
    const started = blockLine(line)
    block = started?.number ?? block
    const [found] = date.exec(line) ?? []
    return found === undefined || !isDated(line)
      ? []
      : [`${found} | ${(started?.text ?? line).slice(0, 80)} [${block}]`]
  })
  return { text: rows.join("\n") || "NONE" }
}

// Catches a dated line in a real document without a row, a row with the wrong document, a cell that cites the wrong location, and a file
// missing from the coverage.
test(
  "every line with a date becomes a row, and every file is listed",
  { tags: "corpus", timeout: 600_000 },
  async () => {
    const names = existsSync(documents) ? readdirSync(documents) : []
    await using talk = await startReadingTalk()
    talk.speak = noteDates
    const { client } = talk.box
    const wholeLimit = { characters: 1_000_000_000, minutes: 120 }
    await client.settings.update({ body: { wholeLimit } })
    const { vector } = await client.folders.create({ body: { name: "Corpus" } })
    const params = { id: vector.id }
    for (const fileName of names.filter((name) => name !== "fixtures.tsv" && !longScans.has(name)))
      await client.files.upload({
        params,
        file: new Blob([readFileSync(join(documents, fileName))]),
        fileName,
      })
    const files = await waitFor(async () => {
      const listed = (await client.files.list({ params, query: { limit: 500 } })).files
      if (listed.some(({ status }) => status === "queued" || status === "processing"))
        throw new Error("Files are being read.")
      return listed
    }, 500_000)

    const answer = await talk.ask({
      content: "List every line with a date, with its document and page",
      vector: [vector.id],
      table: { columns: ["Date", "Line"] },
    })
    expect(answer.coverage?.files.map(({ name }) => name).toSorted()).toEqual(
      files.map(({ name }) => name).toSorted(),
    )
    expect(answer.notices).not.toContain("table_cut")

    const rows = answer.text
      .split("\n")
      .slice(2)
      .filter((line) => line.startsWith("| "))
      .map((line) => line.slice(2, -2).split(/ (?<!\\)\| /))
    const dated = new Map<string, number>()
    for (const [document = "", , cell = ""] of rows) {
      const [, said = "", number] = /^(.*) \[(\d+)\]$/.exec(cell) ?? []
      const source = answer.sources.find(({ citation }) => citation === Number(number))
      expect(source?.text, document).toContain(said)
      expect(source?.fileName.replaceAll("\\", "")).toBe(document.replaceAll("\\", ""))
      dated.set(document.replaceAll("\\", ""), (dated.get(document.replaceAll("\\", "")) ?? 0) + 1)
    }
    expect(dated.size).toBeGreaterThan(5)
    for (const { id, name, status } of files) {
      if (status !== "completed") continue
      const response = await client.files.text({
        params: { ...params, fileId: id },
        query: { format: "blocks" },
      })
      const { blocks } = (await response.json()) as { blocks: FileBlock[] }
      const wanted = blocks.filter(({ text }) => text.split("\n").some(isDated)).length
      expect(dated.get(name) ?? 0, name).toBeGreaterThanOrEqual(wanted)
    }
  },
)
