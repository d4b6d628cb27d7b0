import { expect, test } from "vitest"
import { testPassage } from "../../../testing/chat-server.ts"
import { mergeNeighbours } from "./fit-passages.ts"

const heading = "Lease"
const at = (position: number, text: string, score: number, fileId = "file") =>
  testPassage(`${fileId}${position}`, text, {
    fileId,
    position,
    score,
    location: { page: position + 1, heading },
    rank: { keyword: position + 1 },
  })

// Catches neighbours that are cited twice, out of order, with the wrong location, or with their overlap repeated.
test("consecutive passages are merged at the position of the best one", () => {
  const merged = mergeNeighbours([
    at(3, "Alone.", 0.9),
    at(1, "Lease\nThe rent is due early. The deposit is high.", 0.8),
    at(7, "Elsewhere.", 0.7, "other"),
    at(0, "Lease\nThe house is old. The rent is due early.", 0.6),
    at(8, "Far away.", 0.5),
  ])
  expect(merged.map(({ ids, passage: { text } }) => [ids, text])).toEqual([
    [["file3"], "Alone."],
    [["file0", "file1"], "Lease\nThe house is old. The rent is due early. The deposit is high."],
    [["other7"], "Elsewhere."],
    [["file8"], "Far away."],
  ])
  expect(merged[1]?.passage).toMatchObject({
    id: "file0",
    score: 0.8,
    location: { page: 1 },
    rank: { keyword: 2 },
  })
})

// Catches a table header between its rows, and rows that are lost because they look alike.
test("rows of a table continue under one header", () => {
  const [table] = mergeNeighbours([
    at(0, "Lease\nname | rent\nA | 1\nB | 2", 0.9),
    at(1, "Lease\nname | rent\nC | 2\nD | 2", 0.8),
  ])
  expect(table?.passage.text).toBe("Lease\nname | rent\nA | 1\nB | 2\nC | 2\nD | 2")
})

// Catches a whole book under one citation.
test("a long run is split into several, and a passage without a position stays alone", () => {
  const run = Array.from({ length: 9 }, (_, position) => at(position, `Part ${position}.`, 1 - position / 10))
  expect(mergeNeighbours(run).map(({ ids }) => ids.length)).toEqual([4, 4, 1])
  expect(
    mergeNeighbours([testPassage("a", "A."), testPassage("b", "B.", { fileId: "file-a" })]),
  ).toHaveLength(2)
})

// Catches text of a document that is cited as a model's description of an image, and the other way round.
test("a description of an image isn't merged with text of its document", () => {
  const described = testPassage("file1", "A chart.", {
    fileId: "file",
    position: 1,
    location: { page: 2, image: 1, described: true },
  })
  const merged = mergeNeighbours([at(0, "Before.", 0.9), described, at(2, "After.", 0.7)])
  expect(merged.map(({ passage: { text, location } }) => [text, location.described])).toEqual([
    ["Before.", undefined],
    ["A chart.", true],
    ["After.", undefined],
  ])
})
