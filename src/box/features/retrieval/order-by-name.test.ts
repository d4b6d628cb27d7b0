import { expect, test } from "vitest"
import type { NameMatch } from "./file-names.ts"
import { orderByName } from "./order-by-name.ts"

const match = (coverage: number, held: string[], rank = 1): NameMatch => ({
  coverage,
  held: held.map((word) => [word]),
  nameable: Math.max(1, held.length),
  rank,
})

/** Passages as `[file, text, score]`, ordered by how well their file names match. */
async function order(passages: [string, string, number][], matches: Record<string, NameMatch>) {
  const ranked = passages.map(([, , score], index) => ({
    id: String(index),
    score,
    rank: { keyword: index + 1 },
  }))
  const ordered = await orderByName(ranked, new Map(Object.entries(matches)), {
    findPassagesById: async (ids) =>
      ids.flatMap((id) => {
        const [fileId = "", text = ""] = passages[Number(id)] ?? []
        return { id, fileId, fileName: fileId, vectorId: "", relativePath: "", text, location: {} }
      }),
    findFirstPassages: async (fileIds) => fileIds.map((fileId) => ({ id: `first of ${fileId}`, fileId })),
  })
  return ordered.map(({ id, score, rank }) => ({
    text: passages[Number(id)]?.[1] ?? id,
    score,
    name: rank.name,
  }))
}

// Catches names that have no effect, and percentages whose meaning changes when names match.
test("among equal passages the one in the named file comes first, and the scores stay those of the search", async () => {
  const found = await order(
    [
      ["meier.txt", "six months of notice", 0.8],
      ["rossi.txt", "three months of notice", 0.7],
    ],
    { "rossi.txt": match(0.5, ["rossi"]) },
  )
  expect(found).toEqual([
    { text: "three months of notice", score: 0.8, name: 1 },
    { text: "six months of notice", score: 0.7, name: undefined },
  ])
})

// Catches names whose words count twice because the text also contains them.
test("a name counts only words that the text doesn't contain", async () => {
  const passages: [string, string, number][] = [
    ["notes.txt", "the warranty of the boiler", 0.8],
    ["boiler.txt", "a boiler", 0.7],
  ]
  const found = await order(passages, { "boiler.txt": match(0.5, ["boiler"]) })
  expect(found.map(({ text }) => text)).toEqual(["the warranty of the boiler", "a boiler"])
})

// Catches names with common words, such as "state of the union", that displace the best matching text.
test("a word in many passages counts little in a name", async () => {
  const passages: [string, string, number][] = [
    ["notes.txt", "the state pays", 0.8],
    ["more.txt", "the state again", 0.75],
    ["union.txt", "who pays", 0.7],
  ]
  const found = await order(passages, { "union.txt": match(0.5, ["state"]) })
  expect(found.map(({ text }) => text)).toEqual(["the state pays", "the state again", "who pays"])
})

// Catches files that can't be found by their names alone, or that displace others although they are a weak match.
test("a file that only its name matches is found, and is first if its name contains all words of the question", async () => {
  const passages: [string, string, number][] = [["other.txt", "invoice of 2023", 1]]
  const asked = await order(passages, { "scan.pdf": match(1, ["invoice", "2023"]) })
  expect(asked.map(({ text, score }) => [text, score])).toEqual([
    ["first of scan.pdf", 1],
    ["invoice of 2023", 1],
  ])
  const half = await order(passages, { "scan.pdf": match(0.5, ["invoice"]) })
  expect(half.map(({ text, score }) => [text, score])).toEqual([
    ["invoice of 2023", 1],
    ["first of scan.pdf", 0.5],
  ])
  expect(await order(passages, { "scan.pdf": match(0.4, ["invoice"]) })).toHaveLength(1)
})
