import { expect, test } from "vitest"
import { readRowsAhead } from "./rows-ahead.ts"

const row = (number: number) => `<row r="${number}"><c r="A${number}"><v>${number}</v></c></row>`

// Catches a sheet that the XML parser reads from the first piece that starts with a row, which takes twice as long.
test.each([1, 7, 40, 41, 1000])("reads plain rows ahead in pieces of %d characters", (size) => {
  const rows = Array.from({ length: 50 }, (_, index) => row(index + 1)).join("")
  const taken: (number | null)[] = []
  const parsed: string[] = []
  const ahead = readRowsAhead((text) => parsed.push(text), {
    isBetweenRows: () => true,
    take: (read) => taken.push(read.row),
  })
  const sheet = `<worksheet><sheetData>${rows}</sheetData></worksheet>`
  for (let at = 0; at < sheet.length; at += size) ahead.write(sheet.slice(at, at + size))
  ahead.end()
  expect(taken).toEqual(Array.from({ length: 50 }, (_, index) => index + 1))
  expect(parsed.join("")).toBe("<worksheet><sheetData></sheetData></worksheet>")
})
