import { afterAll, beforeAll, expect, test } from "vitest"
import { docxBytes } from "./parsers/testing/office-files.ts"
import { waitFor } from "../shared/testing/wait-for.ts"
import { startTestBox, type TestBox } from "./testing/test-box.ts"

const docx = (text: string) => docxBytes(`<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`)
const filler = "The parties confirm that the delivery was complete and that nothing else is owed. "

/** Each file has its own date and amount, and the other files' words. */
const files: Record<string, string | Buffer> = {
  "march.txt": `Agreement with Rossi. Signed on 5 March 2024 in Turin. ${filler}`,
  "april.txt": `Agreement with Rossi. Signed on 5 April 2024 in Turin. ${filler}`,
  "june.md": `# Contratto\n\nIl contratto con Rossi è stato firmato il 7/6/2024 a Torino e scade dopo un anno.`,
  "july.md": `# Contract\n\nThe contract with Rossi was signed on 2024-07-06 and ends after a year.`,
  "august.docx": docx("Der Vertrag mit Rossi wurde am 9. August 2024 in Turin unterschrieben."),
  "may.csv": "customer;signed;total\nRossi;05.05.2024;1.500,00 EUR\n",
  "october.csv": 'customer,signed,total,currency\nRossi,2024-10-09,"12,500.00",CHF\n',
  "fee.docx": docx("The fee that Rossi pays is $2,450.75 for each delivery."),
  "rent.txt": "Il canone pagato da Rossi è di 1\u202F720,00 € al mese per il magazzino.",
  "deposit.md": "Rossi pays a deposit of £1,720 for the warehouse.",
  "insurance.txt": "Die Versicherung von Rossi kostet CHF 13’500.– im Jahr.",
  "bonus.txt": "The bonus that Rossi pays is €1600 for each delivery.",
}

let box: TestBox
let folder: string
beforeAll(async () => {
  box = await startTestBox()
  folder = (await box.client.folders.create({ body: { name: "Rossi" } })).vector.id
  const params = { id: folder }
  for (const [fileName, content] of Object.entries(files))
    await box.client.files.upload({
      params,
      file: new Blob([new Uint8Array(Buffer.from(content))]),
      fileName,
    })
  await waitFor(async () => {
    const list = (await box.client.files.list({ params })).files
    expect(list.filter(({ status }) => status === "completed")).toHaveLength(Object.keys(files).length)
  })
})
afterAll(() => box[Symbol.asyncDispose]())

// Catches a file whose date or amount is written in another way than in the question, and one with another value that comes before it.
test.each([
  [
    "march.txt",
    [
      "2024-03-05",
      "05.03.2024",
      "5/3/2024",
      "5 March 2024",
      "March 5th, 2024",
      "5 marzo 2024",
      "5. März 2024",
      "5 March",
      "signed by Rossi in March 2024",
    ],
  ],
  [
    "june.md",
    [
      "2024-06-07",
      "7 giugno",
      "June 2024",
      "7 giugno 2024",
      "June 7th, 2024",
      "contract signed by Rossi on 7 June 2024",
    ],
  ],
  ["july.md", ["6 luglio 2024", "6 July", "Juli 2024", "6. Juli 2024", "06.07.2024"]],
  ["august.docx", ["2024-08-09", "9 agosto 2024", "contract with Rossi signed in Turin on August 9, 2024"]],
  [
    "may.csv",
    [
      "5 May 2024",
      "maggio 2024",
      "1500 euro",
      "€ 1500",
      "1,500.00 EUR",
      "1 500,00 €",
      "what does Rossi pay: 1500?",
    ],
  ],
  ["october.csv", ["9 October 2024", "October 2024", "CHF 12’500.–", "12500 chf", "12.500"]],
  ["fee.docx", ["2450.75 USD", "2.450,75 dollars", "fee of Rossi for each delivery: $ 2450.75"]],
  ["rent.txt", ["1720 euro", "EUR 1,720.00", "1.720,00 €", "deposit of 1720 euro for the warehouse"]],
  ["deposit.md", ["1720 GBP", "£ 1.720,00", "canone di 1720 pounds sterling"]],
  ["insurance.txt", ["13500 CHF", "CHF 13,500.00", "Fr. 13'500", "13500"]],
  ["bonus.txt", ["1.600,00 EUR", "1600 euro fee", "the fee of 1600 that Rossi pays for each delivery"]],
] as const)("%s", async (fileName, queries) => {
  const found: Record<string, string | undefined> = {}
  for (const query of queries) {
    const { results } = await box.client.folders.search({ body: { query, vector: [folder] } })
    found[query] = results[0]?.fileName
  }
  expect(found).toEqual(Object.fromEntries(queries.map((query) => [query, fileName])))
})
