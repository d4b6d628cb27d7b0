import { describe, expect, test } from "vitest"
import { needsContext } from "./follow-up.ts"

const dependent = {
  en: [
    "And in 2027?",
    "what about Anna?",
    "How about the second floor?",
    "Why?",
    "How long did it operate?",
    "Which satellite did it use?",
    "Who kidnapped her?",
    "And who helped him?",
    "What is their sister group?",
    "Are they extinct?",
    "How far is that from Miami?",
    "What else is he known for?",
    "Until when?",
    "In how many phases?",
    "Tell me more about that.",
    "When did it open?",
    "Does Anna get one too?",
    "Which one is cheaper?",
    "Who works there?",
    "In 2026?",
    "2027?",
    "What did the manager say about it?",
    "What happened then?",
    "more details please",
    "Who pays?",
    "What does that measure?",
    "How much exactly?",
    "Is the same true for members?",
    "But only for employees?",
    "Any other conditions?",
    "March 2027?",
    "And the second?",
    "Is it refundable?",
    "Where does he live?",
  ],
  it: [
    "E nel 2027?",
    "E quello di marzo?",
    "e per Anna?",
    "Perché?",
    "Chi lo ha firmato?",
    "Quando l'ha firmato?",
    "Quanto dura?",
    "Quando è stato firmato?",
    "Qual è il suo indirizzo?",
    "Quanti ne ha venduti?",
    "Fino a quando?",
    "Cosa significa questo?",
    "Che altro prevede?",
    "Ma se pago in ritardo?",
    "Invece a Bologna?",
    "Dimmi di più",
    "Chi paga?",
    "A marzo?",
    "Vale anche per gli ospiti?",
    "Quali altre condizioni ci sono?",
    "Dove abita lui?",
    "E se non paga?",
  ],
  de: [
    "Und 2027?",
    "Und im März?",
    "Was ist mit Anna?",
    "Warum?",
    "Wie lange war es in Betrieb?",
    "Wer hat sie entführt?",
    "Und wie hieß der Sohn?",
    "Was wird damit gemessen?",
    "Was glauben seine Anhänger?",
    "Wann läuft er ab?",
    "Wer zahlt das?",
    "Bis wann?",
    "Wie viel genau?",
    "Was bedeutet das?",
    "Wer sonst noch?",
    "Gilt das auch für Gäste?",
    "Für Anna?",
    "Wie hoch ist ihre Miete?",
    "Wie heißt ihr Chef?",
    "Kann man sie kündigen?",
    "Was steht dort?",
    "Ist es rückzahlbar?",
  ],
}

const independent = {
  en: [
    "When was Sky Digital launched?",
    "Where does Kenya rank for corruption?",
    "What is the Tyne and Wear Metro?",
    "How far is Jacksonville from Miami?",
    "Who was Börte?",
    "What does the contract say about termination, and when does it end?",
    "Is there a warranty on the pump?",
    "How long does it take to get a refund?",
    "Is it possible to cancel the lease early?",
    "What are the opening hours?",
    "opening hours of the museum",
    "parental leave policy",
    "Which invoices are due this month?",
    "Does Tesla publish its emissions?",
    "Summarise the minutes of 5 March 2024",
    "What is inflation?",
    "In which year was the company founded?",
    "How many days of holiday do employees have?",
    "invoice 1500 euro",
    "Who signed the lease that began in 2024?",
    "Total revenue 2023",
    "When was the company founded and who founded it?",
    "What happens if the tenant does not pay the rent?",
  ],
  it: [
    "Quando scade il contratto di affitto?",
    "Chi è il direttore del museo?",
    "Quali fatture scadono questo mese?",
    "Quanto costa la manutenzione della caldaia?",
    "Cosa prevede il regolamento per gli animali?",
    "orari di apertura del museo",
    "Ci sono penali per il recesso?",
    "Quanti giorni di ferie hanno i dipendenti?",
    "Dove si trova l'ufficio di Bologna?",
    "Che cos'è la cauzione?",
    "Il signor Rossi ha pagato la sua quota?",
    "In quale anno è stata fondata la società?",
    "Cosa succede se l'inquilino non paga l'affitto?",
    "Chi paga le spese condominiali?",
  ],
  de: [
    "Wann endet der Mietvertrag?",
    "Wer ist die Direktorin des Museums?",
    "Wie hoch ist die Kaution?",
    "Gibt es eine Garantie auf die Pumpe?",
    "Welche Rechnungen sind diesen Monat fällig?",
    "Öffnungszeiten des Museums",
    "Ist es erlaubt, die Wohnung unterzuvermieten?",
    "Wie viele Urlaubstage haben die Mitarbeiter?",
    "Wo steht Kenia bei der Korruption?",
    "Wie hieß Warschaus erstes Kabarett?",
    "Warum ist der Islamismus umstritten?",
    "Umsatz 2023",
    "Wie lange dauert es, bis die Rückerstattung kommt?",
    "Was passiert, wenn der Mieter die Miete nicht zahlt?",
    "Was kostet die Wartung der Heizung im Jahr 2024?",
  ],
}

const table = [
  ...Object.values(dependent).flatMap((list) => list.map((text) => ({ text, expected: true }))),
  ...Object.values(independent).flatMap((list) => list.map((text) => ({ text, expected: false }))),
]

describe("a question needs what was said before", () => {
  // Catches a rule that searches a new subject together with the old one, or a follow-up without its subject.
  test("as people would say, for at least 95 % of the questions", () => {
    const wrong = table.filter(({ text, expected }) => needsContext(text) !== expected)
    expect(table.length).toBeGreaterThanOrEqual(60)
    expect(wrong.length / table.length, JSON.stringify(wrong, null, 1)).toBeLessThanOrEqual(0.05)
  })

  // Catches a pattern that backtracks, because every question of a chat is checked before its search.
  test("quickly, however hostile the question is", () => {
    const hostile = ["it ", "der ", "lo ha ", "a", "?", "and ", "is it possible ", "gibt es "].map((part) =>
      part.repeat(200 / part.length),
    )
    const before = process.cpuUsage()
    for (const text of hostile) for (let round = 0; round < 20; round++) needsContext(text)
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(1_000)
  })
})
