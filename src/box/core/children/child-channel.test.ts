import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { createDocumentReader, type DocumentReader } from "../../parsers/process/document-reader.ts"
import { createPageViewer } from "../../parsers/pages/page-viewer.ts"
import { createCalculate } from "../../tools/calculate.ts"
import { testContext } from "../../tools/testing/tool-context.ts"
import { forkChild, spawnNodeChild, type SpawnChild } from "./child.ts"
import { allowSources } from "../../testing/hostile/hostile-child.ts"
import { silentLogger } from "../logging/logger.ts"

const hostile = new URL("../../testing/hostile/hostile-messages.mjs", import.meta.url).href

/** The first child sends a hostile message; the ones after it behave normally. */
function createSpawn(says: string): SpawnChild {
  let isFirst = true
  return (options) => {
    const { execArgv = [], env } = options
    if (!isFirst) return spawnNodeChild(options)
    isFirst = false
    return forkChild(
      { ...options, execArgv: [allowSources, "--import", hostile, ...execArgv], env: { ...env, SAYS: says } },
      { stands: false, reason: "other-system" },
    )
  }
}

let directory: string
let document: { path: string; name: string }
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "hostile-"))
  document = { path: join(directory, "a.md"), name: "a.md" }
  await writeFile(document.path, "# A document")
})
afterAll(() => rm(directory, { recursive: true }))

async function readBlocks(reader: DocumentReader) {
  const blocks = []
  for await (const block of reader.read(document)) blocks.push(block)
  return blocks
}

// Catches an expression or document that compromises its process, whose messages then end the box, fill its memory or are trusted.
/** Maximum memory of this process that a message may use, in kilobytes. */
const maxGrowth = 300 * 1024

const toEveryone = [
  "nothing that Node can read",
  "a message of no bytes",
  "a message of four gigabytes",
  "null",
  "no object",
  "another type",
]

it.each([...toEveryone, "no answer", "an answer of another shape"])(
  "survives a calculator that sends %s",
  async (says) => {
    await using calculate = createCalculate(createSpawn(says))
    await expect(calculate.run({ expression: "1 + 1" }, testContext())).rejects.toThrow("too much")
    expect(await calculate.run({ expression: "1 + 1" }, testContext())).toMatchObject({ content: "2" })
  },
)

it.each([
  ...toEveryone,
  "no blocks",
  "blocks that are none",
  "a block without a bound",
  "empty maps that take gigabytes",
  "long empty lists in some hundred bytes",
  "an object as Node writes it",
  "bytes without a text",
  "a text that is none",
  "a text that ends too early",
  "a text that is too long",
  "bytes in what everybody shares",
  "a reason that is none",
])("survives a parser that sends %s", async (says) => {
  await using reader = createDocumentReader({ spawn: createSpawn(says), logger: silentLogger, slots: 1 })
  const { maxRSS } = process.resourceUsage()
  await expect(readBlocks(reader)).rejects.toThrow("crashed")
  expect(process.resourceUsage().maxRSS - maxRSS).toBeLessThan(maxGrowth)
  expect(await readBlocks(reader)).toMatchObject([{ text: "A document" }])
})

it("shows no image that browsers execute", async () => {
  const spawn = createSpawn("a picture that browsers run")
  await using viewer = createPageViewer({ spawn, logger: silentLogger })
  await expect(viewer.picture(document, 1, 100, new AbortController().signal)).rejects.toThrow(
    "couldn't be displayed",
  )
})

it("accepts no handles", async () => {
  await using reader = createDocumentReader({
    spawn: createSpawn("a handle that isn't there"),
    logger: silentLogger,
    slots: 1,
    limits: { timeoutMs: 1000 },
  })
  await expect(readBlocks(reader)).rejects.toThrow()
})
