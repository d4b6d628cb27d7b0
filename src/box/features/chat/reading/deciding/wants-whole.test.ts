import { expect, test } from "vitest"
import { wantsList, wantsWhole } from "./decide-reading.ts"

// Catches minutes of reading for a question that one passage answers, and a summary made from five passages.
test.each([
  "Summarise the contracts.",
  "Please summarize this document in five points",
  "Can you give me a short summary of the report?",
  "List all invoices over 500 euros",
  "list every person who is named",
  "List the risks",
  "How many invoices are there in total?",
  "Compare the documents",
  "Compare these two contracts",
  "What are all the deadlines?",
  "Make a table with the columns Date and Amount",
  "Riassumi il documento",
  "Fammi un riassunto della relazione",
  "Elenca tutte le fatture",
  "Quante fatture ci sono in totale?",
  "Confronta i contratti",
  "Fasse den Vertrag zusammen",
  "Fass bitte alle Berichte kurz zusammen.",
  "Liste alle Rechnungen auf",
  "Nenne mir bitte alle Fristen",
  "Wie viele Rechnungen gibt es insgesamt?",
  "Vergleiche die Verträge",
])("reads whole: %s", (question) => expect(wantsWhole(question)).toBe(true))

test.each([
  "What is the notice period?",
  "Who signed the contract?",
  "How many days of leave do I have?",
  "Where is the summary sheet?",
  "Is the price list attached?",
  "What does the list on page 3 say?",
  "Is all of this legal?",
  "Summarise your last answer",
  "When does everyone have to be there?",
  "Compare the price with last year's",
  "Qual è il termine di preavviso?",
  "Quanti giorni di ferie ho?",
  "Dove trovo la lista?",
  "Wie lang ist die Kündigungsfrist?",
  "Wie viele Urlaubstage habe ich?",
  "Steht der Preis auf der Liste?",
  "",
])("reads passages: %s", (question) => expect(wantsWhole(question)).toBe(false))

// Catches a list that loses entries because it was combined like a summary.
test("distinguishes lists from summaries", () => {
  expect(wantsList("List all invoices")).toBe(true)
  expect(wantsList("Summarise the invoices")).toBe(false)
})
