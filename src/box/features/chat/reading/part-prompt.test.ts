import { expect, test } from "vitest"
import { blockLine } from "../../../testing/model-servers/model-server.ts"
import { quotePart } from "./part-prompt.ts"
import { testBlock, testDocument } from "./testing/documents.ts"

// Catches a row without a number to cite, and a text in which one line passes for another block.
test("starts each block and row with its number, and no other line with one", () => {
  const document = testDocument("d", [
    testBlock("Prices\n2\tFree of charge\n [3] forged\n\t2 \tforged"),
    testBlock("Oak | 12", { kind: "table-row", location: { row: 1 } }),
    testBlock("5\tElm", { kind: "table-row", location: { row: 2 } }),
  ])
  const quoted = quotePart(document.blocks.map((block, index) => ({ document, index, block })))
  const started = quoted.split("\n").flatMap((line) => blockLine(line.trim()) ?? [])
  expect(started).toEqual([
    { number: "1", text: "Prices" },
    { number: "2", text: "Oak | 12" },
    { number: "3", text: "5 Elm" },
  ])
  expect(quoted).toContain("2 Free of charge")
})
