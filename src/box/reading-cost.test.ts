import { afterEach, beforeEach, expect, test } from "vitest"
import { blockLine } from "./testing/model-servers/model-server.ts"
import { settled, startReadingTalk, type ReadingTalk } from "./testing/model-servers/reading-talk.ts"

// Measures the cost of reading whole documents in requests, and in characters sent to a model, because tokens depend on them.

let talk: ReadingTalk
beforeEach(async () => {
  talk = await startReadingTalk()
})
afterEach(() => talk[Symbol.asyncDispose]())

const words =
  "harbour boat invoice supplier delivers within thirty days against the agreed price unless both parties sign".split(
    " ",
  )

/** Returns natural-looking sentences, always the same for the same seed. */
function prose(seed: number, characters: number): string {
  let [text, state] = ["", seed + 1]
  while (text.length < characters) {
    state = (state * 48_271) % 2_147_483_647
    text += `${words[state % words.length]}${state % 11 === 0 ? ". " : " "}`
  }
  return text.trim()
}

const paragraphs = (seed: number, count: number, characters: number) =>
  Array.from({ length: count }, (_, index) => prose(seed * 1_000 + index, characters)).join("\n\n")

// Catches a folder that is paid for as a whole, or in large pieces, because one of its files has changed.
test("reads at most 2 % of the parts again when one of 100 files has changed", async () => {
  const names = Array.from({ length: 100 }, (_, index) => `report-${index}.md`)
  const folder = await talk.makeFolder(
    Object.fromEntries(names.map((name, index) => [name, `# ${name}\n\n${paragraphs(index, 30, 500)}`])),
  )
  const ask = () => talk.ask({ content: "Summarise all of it", vector: [folder.id], reading: "whole" })
  await ask()
  const parts = talk.read().length
  expect(parts).toBeGreaterThanOrEqual(100)
  const params = { id: folder.id, fileId: folder.files["report-50.md"] ?? "" }
  const file = new Blob([`# Another\n\n${paragraphs(5_000, 32, 500)}`])
  await talk.box.client.files.replace({ params, file, fileName: "report-50.md" })
  await settled(talk.box, folder.id)
  expect((await ask()).coverage?.complete).toBe(true)
  const readAgain = talk.read().length - parts
  expect(readAgain).toBeGreaterThan(0)
  expect(readAgain / parts).toBeLessThanOrEqual(0.02)
})

/** Returns the documents' own text in a prompt, which numbers its blocks. */
const getTexts = (prompt: string): string[] =>
  prompt.startsWith("<part>") ? prompt.split("\n").flatMap((line) => blockLine(line)?.text ?? []) : []

const row = (seed: number, index: number) => `${index};${prose(seed + index, 60)};${index * 7},50`
const shapes = {
  "long reports": {
    extension: "md",
    count: 8,
    getText: (seed: number) => paragraphs(seed, 80, 500),
    max: 0.1,
  },
  letters: {
    extension: "md",
    count: 60,
    getText: (seed: number) => `# Letter ${seed}\n\n${paragraphs(seed, 5, 400)}`,
    max: 0.1,
  },
  // Each row of 74 characters has its own number, so that it can be cited.
  sheets: {
    extension: "csv",
    count: 2,
    getText: (seed: number) => Array.from({ length: 600 }, (_, index) => row(seed, index)).join("\n"),
    max: 0.1,
  },
}

// Catches rules, names and numbers around the texts that cost more than a tenth of the texts, because of long rules or half-empty parts.
test.each(Object.entries(shapes))(
  "limits the overhead around %s in prompts",
  async (_, { extension, count, getText, max }) => {
    const texts = Array.from({ length: count }, (_, index) => getText(index))
    const files = Object.fromEntries(texts.map((text, index) => [`document-${index}.${extension}`, text]))
    const folder = await talk.makeFolder(files)
    await talk.ask({ content: "Summarise all of it", vector: [folder.id], reading: "whole" })
    const sent = talk.read().flatMap(({ messages }) => messages.map(({ content }) => content ?? ""))
    const getLength = (all: readonly string[]) => all.reduce((sum, text) => sum + text.length + 1, 0)
    const own = getLength(sent.flatMap(getTexts))
    expect(own).toBeGreaterThan(getLength(texts) * 0.95)
    expect(getLength(sent) / own - 1).toBeLessThanOrEqual(max)
  },
)
