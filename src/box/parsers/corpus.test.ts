import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { spawnNodeChild } from "../core/child.ts"
import { silentLogger } from "../core/logger.ts"
import { createDocumentReader } from "./document-reader.ts"
import type { DocumentReader } from "./document-reader.ts"
import { ParseFailure } from "./parser.ts"
import { formatOfName } from "./registry.ts"

const documents = fileURLToPath(new URL("../../../../shared/corpus/documents/", import.meta.url))
const list = `${documents}fixtures.tsv`

interface Fixture {
  name: string
  note: string
}

const fixtures: Fixture[] = existsSync(list)
  ? readFileSync(list, "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split("\t"))
      .map(([name = "", , , note = ""]) => ({ name, note }))
  : []

/** Words that a reader of these files would look for. */
const expected: Record<string, string> = {
  "french.txt": "c’est comme ci comme ça",
  "multi-language.txt": "español ABC adhoc prácticas",
  "write.txt": "sheetjs",
  "testMARKDOWN_dataURI.md": "Embedded resources",
  "testHTML_charset_utf16le.html": "This is a sample text",
  "testHTMLNoisyMetaEncoding_3.html": "وأعرب الاتحاد الجزائري",
  "boilerplate.html": "This is the real meat of the page",
  "testXML.xml": "creator: Rida Benjelloun",
  "test.json": "fetchKey: 99.xml",
  "test-columnar.csv": "10 | 100 | This is row 10 of 10",
  "linn.txt": "linn",
}

describe.skipIf(fixtures.length === 0)("real documents", () => {
  let reader: DocumentReader
  beforeAll(() => {
    reader = createDocumentReader({ spawn: spawnNodeChild, logger: silentLogger, slots: 1 })
  })
  afterAll(() => reader[Symbol.asyncDispose]())

  test.for(fixtures)("$name ($note)", async ({ name, note }) => {
    let text = ""
    let failure: unknown
    try {
      for await (const block of reader.read({ path: `${documents}${name}`, name })) text += `${block.text}\n`
    } catch (error) {
      failure = error
    }
    const hostile = note.startsWith("!")
    const readable = formatOfName(name)?.load !== undefined
    if (!readable || hostile) expect(failure).toBeInstanceOf(ParseFailure)
    else {
      expect(failure).toBeUndefined()
      expect(text.toLowerCase()).toContain((expected[name] ?? "").toLowerCase())
    }
  })
})
