import { expect, test } from "vitest"
import { maxBlockCharacters } from "../parser.ts"
import { readLines, type Line, splitText } from "./split-text.ts"

async function formatLines(chunks: string[]): Promise<Line[]> {
  const source = async function* (): AsyncGenerator<string> {
    yield* chunks
  }
  const lines: Line[] = []
  for await (const batch of readLines(source())) lines.push(...batch)
  return lines
}

const numbered = (lines: Line[]): string[] => lines.map((line) => `${line.number} ${line.text}`)

// Catches line numbers that drift in Windows or old Macintosh files, or at chunk boundaries.
test.for([
  ["LF", ["a\nb\n\nc"]],
  ["CR LF", ["a\r\nb\r\n\r\nc"]],
  ["CR", ["a\rb\r\rc"]],
  ["CR LF cut between chunks", ["a\r", "\nb\r\n", "\r", "\nc"]],
  ["one character a chunk", "a\nb\r\n\nc".split("")],
] as const)("counts lines that end in %s", async ([, chunks]) => {
  expect(numbered(await formatLines([...chunks]))).toEqual(["1 a", "2 b", "3 ", "4 c"])
})

test("splits an endless line into pieces with the same number, without losing any of it", async () => {
  const chunk = "word and word ".repeat(20_000)
  const lines = await formatLines(["first\n", chunk, chunk, "\nlast"])
  expect(lines.every((line) => line.text.length <= maxBlockCharacters)).toBe(true)
  const long = lines.filter((line) => line.number === 2)
  expect(long.map((line) => line.text).join("")).toBe(chunk + chunk)
  expect(long.map((line) => line.continues)).toEqual([...long.slice(1).map(() => true), false])
  expect(lines.at(-1)).toEqual({ text: "last", number: 3, continues: false })
})

test("never splits an emoji and loses no text", () => {
  const text = "🙂".repeat(5000)
  const parts = splitText(text, 333)
  expect(parts.every((part) => part.isWellFormed() && part.length <= 333)).toBe(true)
  expect(parts.join("")).toBe(text)
})
