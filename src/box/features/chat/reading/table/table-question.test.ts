import { expect, test } from "vitest"
import { columnsAsked, getLanguage } from "./fact-table.ts"

// Catches a list with facts about each item that is answered in sentences, and columns that the box fills itself.
test.each([
  ["List every deadline with its document and page.", ["Deadline"]],
  ["list all invoices with their number, due date and amount", ["Invoices", "Number", "Due date", "Amount"]],
  ["Please list the risks, with their owner, status and source. Be brief.", ["Risks", "Owner", "Status"]],
  ["Extract every contract with date and amount", ["Contract", "Date", "Amount"]],
  ["Make a table with the columns Date, Amount and Party.", ["Date", "Amount", "Party"]],
  ["Elenca tutte le scadenze con il loro documento e la pagina", ["Scadenze"]],
  ["Elenca tutte le fatture con numero, data e importo.", ["Fatture", "numero", "data", "importo"]],
  ["Crea una tabella con le colonne: Data, Importo e Parte", ["Data", "Importo", "Parte"]],
  ["Liste alle Fristen mit Dokument und Seite auf", ["Fristen"]],
  ["Nenne alle Rechnungen mit ihrem Betrag, Datum und der Seite", ["Rechnungen", "Betrag", "Datum"]],
  ["Mach eine Tabelle mit den Spalten Datum, Betrag", ["Datum", "Betrag"]],
])("%s", (question, columns) =>
  expect(columnsAsked(question)?.map((each) => each.toLowerCase())).toEqual(
    columns.map((each) => each.toLowerCase()),
  ),
)

// Catches a table instead of an answer because a question contains "with".
test.each([
  "List all invoices",
  "List all invoices with a value over 500 euros",
  "List all contracts with Rossi and Bianchi",
  "What are the deadlines with their dates?",
  "Summarise the contracts with their dates",
  "Elenca tutti i contratti con Rossi",
  "Elenca tutte le fatture con importo oltre 500 euro",
  "Nenne alle Verträge mit Müller und Meier",
  `List all things with their ${"very ".repeat(30)}long column`,
  "",
])("no table: %s", (question) => expect(columnsAsked(question)).toBeNull())

// Catches a question that blocks the whole box.
test("classifies a long question of nearly matching words quickly", () => {
  const words = `list all ${"with with its , and ".repeat(100_000)}`
  expect(columnsAsked(words)).toBeNull()
  expect(columnsAsked(`list all ${" ".repeat(1_000_000)} with`)).toBeNull()
})

test("detects the language of a question", () => {
  expect(getLanguage("List every deadline with its page")).toBe("en")
  expect(getLanguage("Elenca tutte le scadenze con la pagina")).toBe("it")
  expect(getLanguage("Nenne alle Fristen mit der Seite")).toBe("de")
  expect(getLanguage("2026")).toBe("en")
})
