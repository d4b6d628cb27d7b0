import { existsSync, readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { FileBlock } from "../shared/contract/files.ts"
import { waitFor } from "../shared/testing/wait-for.ts"
import { startTestBox, type TestBox } from "./testing/test-box.ts"

const directory = fileURLToPath(new URL("../../../shared/cases/", import.meta.url))
const list = `${directory}cases.tsv`

/** One expectation of one document; `../shared/cases/README.md` describes the kinds. */
interface Case {
  file: string
  kind: string
  value: string
}

const cases: Case[] = existsSync(list)
  ? readFileSync(list, "utf8")
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => line.split("\t"))
      .map(([file = "", kind = "", value = ""]) => ({ file, kind, value }))
  : [{ file: "those of public bug reports", kind: "text", value: "not here" }] // A skipped test, so that missing cases are reported.

/** The list expects a letter more than the file has. */
const corrected: Record<string, string> = { "null kiang": "nul kiang" }

const joinSpaces = (text: string) => text.replaceAll(/\s+/g, " ")

describe("documents of public bug reports", { tags: "cases" }, () => {
  let box: TestBox
  let folder: string
  const ids = new Map<string, string>()

  beforeAll(async () => {
    box = await startTestBox()
    folder = (await box.client.folders.create({ body: { name: "Cases" } })).vector.id
    const names = [...new Set(cases.map(({ file }) => file))]
    for (const fileName of names) {
      const file = new Blob([await readFile(`${directory}documents/${fileName}`)])
      const uploaded = box.client.files.upload({ params: { id: folder }, file, fileName })
      // A refused document fails its own cases only.
      ids.set(fileName, await uploaded.then(({ files }) => files[0]?.id ?? "").catch(() => ""))
    }
    await waitFor(async () => {
      const query = { limit: "200" }
      const { files } = await box.client.files.list({ params: { id: folder }, query })
      expect(files.filter(({ status }) => status === "queued" || status === "processing")).toEqual([])
    })
  })
  afterAll(() => box[Symbol.asyncDispose]())

  const paramsOf = (file: string) => ({ id: folder, fileId: ids.get(file) ?? "" })
  async function getBlocks(file: string): Promise<FileBlock[]> {
    const query = { format: "blocks" } as const
    const response = await box.client.files.text({ params: paramsOf(file), query }).catch(() => null)
    return response === null ? [] : ((await response.json()) as { blocks: FileBlock[] }).blocks
  }
  const getText = async (file: string) =>
    joinSpaces((await getBlocks(file)).map(({ text }) => text).join(" "))
  async function getNote(file: string): Promise<string> {
    const { files } = await box.client.files.list({ params: { id: folder }, query: { limit: "200" } })
    const found = files.find(({ name }) => name === file)
    return found?.note ?? found?.error ?? ""
  }

  const checks: Record<string, (file: string, value: string) => Promise<void>> = {
    text: async (file, value) => expect(await getText(file)).toContain(value),
    absent: async (file, value) => expect(await getText(file)).not.toContain(value),
    async row(file, value) {
      const lines = (await getBlocks(file)).flatMap(({ text }) => text.split("\n"))
      const has = (line: string) => value.split(" & ").every((piece) => line.includes(piece))
      expect(lines.filter(has), lines.join("\n")).not.toEqual([])
    },
    async find(file, value) {
      const { results } = await box.client.folders.search({ body: { query: value, vector: [folder] } })
      expect(results[0]?.fileName).toBe(file)
    },
    heading: async (file, value) =>
      expect((await getBlocks(file)).map(({ location }) => location.heading)).toContain(value),
    async fact(file, value) {
      const { facts } = await box.client.facts.list({ params: { id: folder }, query: { kind: "dates" } })
      const own = facts.filter(({ fileId }) => fileId === ids.get(file))
      expect(JSON.stringify(own)).toContain(value)
    },
    note: async (file) => expect(await getNote(file)).not.toBe(""),
    chars: async (file, value) => expect((await getText(file)).length).toBeGreaterThanOrEqual(Number(value)),
    async either(file, value) {
      const [text = ""] = value.split(" | ")
      expect((await getText(file)).includes(text) || (await getNote(file)) !== "").toBe(true)
    },
  }

  // Catches a document that is read differently from how people see it.
  test.each(cases)("$file: $kind $value", async ({ file, kind, value }) => {
    const check = checks[kind]
    if (!check) throw new Error(`There is no check for the kind "${kind}".`)
    await check(file, corrected[value] ?? value)
  })
})
