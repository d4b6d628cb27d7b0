import { expect, test } from "vitest"
import { listConditions, removeCondition, splitFolders, takeConditions } from "./file-filter.ts"

const take = (text: string) => takeConditions(text, {}, { isDone: true })

// Catches a condition that is searched for as text, and text that is taken for a condition.
test.for([
  ["type:pdf tag:invoice rent", "rent", { types: ["pdf"], tags: ["invoice"] }],
  ["rent type:PDF,docx", "rent ", { types: ["pdf", "docx"] }],
  ["after:2024-01-01 before:2025-01-01 rent", "rent", { from: "2024-01-01", to: "2024-12-31" }],
  ["after:2024 before:2024-3 rent", "rent", { from: "2024-01-01", to: "2024-02-29" }],
  ["in:Contracts from:anna rent", "rent", { path: "**/Contracts/**", people: ["anna"] }],
  ['in:"Old contracts/2024" rent', "rent", { path: "**/Old contracts/2024/**" }],
  ["in:*.pdf rent", "rent", { path: "*.pdf" }],
  ['from:"Anna Rossi" from:bo', "", { people: ["Anna Rossi", "bo"] }],
  [
    "tipo:pdf etichetta:fattura dopo:2024 prima:2025 da:anna",
    "",
    { types: ["pdf"], tags: ["fattura"], from: "2024-01-01", to: "2024-12-31", people: ["anna"] },
  ],
  [
    "typ:pdf schlagwort:miete nach:2024 vor:2025 von:„Anna Groß“",
    "",
    { types: ["pdf"], tags: ["miete"], from: "2024-01-01", to: "2024-12-31", people: ["Anna Groß"] },
  ],
  ["„von:anna gesagt“ Miete", "„von:anna gesagt“ Miete", {}],
  ['"type:pdf here" rent', '"type:pdf here" rent', {}],
  ["“from:anna said” rent", "“from:anna said” rent", {}],
  ["note: rent re:rent https://a.b 12:30", "note: rent re:rent https://a.b 12:30", {}],
  ["after:soon before:2024-02-30", "after:soon before:2024-02-30", {}],
  ["in:../etc in:[a", "in:../etc in:[a", {}],
  ["mytype:pdf constructor:x", "mytype:pdf constructor:x", {}],
] as const)("%s", ([text, rest, filter]) => {
  expect(take(text)).toEqual({ text: rest, filter })
})

test("a condition is taken when it is complete, not while it is typed", () => {
  expect(takeConditions("rent type:pd", {}, { isDone: false })).toEqual({ text: "rent type:pd", filter: {} })
  expect(takeConditions("rent type:pdf ", {}, { isDone: false })).toEqual({
    text: "rent ",
    filter: { types: ["pdf"] },
  })
  expect(takeConditions("  rent  of ", {}, { isDone: false }).text).toBe("  rent  of ")
})

test("conditions are listed as they were typed, and removed one by one", () => {
  let { filter } = take("type:pdf type:md before:2025-01-01 in:Contracts")
  const shown = () => listConditions(filter).map(({ shown: text }) => text)
  expect(shown()).toEqual(["pdf", "md", "2025-01-01", "Contracts"])
  for (const left of [["md", "2025-01-01", "Contracts"], ["2025-01-01", "Contracts"], ["Contracts"], []]) {
    const [first] = listConditions(filter)
    if (first) filter = removeCondition(filter, first)
    expect(shown()).toEqual(left)
  }
  expect(filter).toEqual({})
})

test("in: names a folder before a directory inside one", () => {
  const { filter } = take("in:contracts type:pdf")
  expect(splitFolders(filter, [{ id: "1", name: "Contracts" }])).toEqual({
    filter: { types: ["pdf"] },
    folderIds: ["1"],
  })
  expect(splitFolders(filter, [{ id: "1", name: "Letters" }])).toEqual({ filter, folderIds: undefined })
})
