import { expect, test } from "vitest"
import { matchNames } from "./file-names.ts"

const names = [
  "Invoice 2023.pdf",
  "invoices_2024-01.pdf",
  "Contract Rossi.docx",
  "Mietvertrag_Müller_final.odt",
  "budget.xlsx",
  "付款合同.docx",
]
/** Name matches for a question, best first, with the share of its words that each name contains. */
async function match(query: string) {
  const holding = async () => names.map((name) => ({ fileId: name, name }))
  const matches = await matchNames(query, [], { holding })
  return [...matches].map(([name, { coverage }]) => [name, Math.round(coverage * 100)])
}

// Catches words that match only exactly as written, and extensions and function words that count as words.
test("names match a question by the words they contain, in any form", async () => {
  expect(await match("invoice 2023")).toEqual([
    ["Invoice 2023.pdf", 100],
    ["invoices_2024-01.pdf", 50],
  ])
  expect(await match("the invoices of 2024")).toMatchObject([
    ["invoices_2024-01.pdf", 100],
    ["Invoice 2023.pdf", 50],
  ])
  expect(await match("mietvertrag muller")).toEqual([["Mietvertrag_Müller_final.odt", 100]])
  expect(await match("合同")).toEqual([["付款合同.docx", 100]])
  expect(await match("how do I open a pdf")).toEqual([])
})

// Catches a file that isn't found by its exact name, and one that is found with a different extension.
test("a question that names a file is about that file", async () => {
  expect((await match("What does budget.xlsx say about travel?"))[0]).toEqual(["budget.xlsx", 100])
  expect((await match("Who signed “Contract Rossi.docx”."))[0]).toEqual(["Contract Rossi.docx", 100])
  expect((await match("What does mybudget.xlsx say about travel?"))[0]).toBeUndefined()
})

test("words that no name contains give no name matches", async () => {
  const holding = async () => names.map((name) => ({ fileId: name, name }))
  const matches = await matchNames("notice period in the Rossi contract", [], { holding })
  expect(matches.get("Contract Rossi.docx")).toMatchObject({ coverage: 0.5, nameable: 2, rank: 1 })
})
