import { describe, expect, test } from "vitest"
import { analysePassages, analyseQuery, languageOfQuery } from "./search-text.ts"

/** Whether every word of the query is among the terms of the passage in one of its forms. */
async function matches(query: string, passage: string): Promise<boolean> {
  const [analysed] = await analysePassages([passage])
  const terms = new Set((analysed?.words ?? analysed?.grams ?? "").split(" "))
  const { groups } = analyseQuery(query)
  return groups.length > 0 && groups.every((forms) => forms.some((form) => terms.has(form)))
}

describe("the same word of a query and a passage meet", () => {
  test.each([
    ["English inflection", "which invoices were paid", "The invoice was paid by the customer in May."],
    [
      "German inflection",
      "Welche Häuser wurden verkauft?",
      "Das Haus wurde im Mai an eine Familie verkauft.",
    ],
    ["Russian cases", "Сколько очков?", "Команда набрала очки, и это был лучший счёт сезона."],
    [
      "French elision",
      "Qu'est-ce que l'école ?",
      "Les écoles de la ville sont dans le centre avec une cour.",
    ],
    ["Spanish plural", "¿Dónde están las casas?", "La casa es una de las que hay en el norte del país."],
    [
      "accents left out",
      "cafe zurich",
      "Das Café liegt in der Altstadt von Zürich, nicht weit von der Brücke.",
    ],
    ["sharp s", "strasse", "Die Straße ist für den Verkehr gesperrt, weil sie nicht sicher ist."],
    ["Cyrillic ё", "елка", "Ёлка стоит в лесу"],
    ["full width", "ＡＢＣ１２３", "code abc123"],
    ["soft hyphens", "Donaudampf", "Do\u00ADnau\u00ADdampf"],
    ["code identifiers by part", "user name", "function getUserName() {}"],
    ["code identifiers whole", "getusername", "function getUserName() {}"],
    ["Thai", "แพนเธอร์ส", "ทีมรับของแพนเธอร์สถอดใจที่คะแนน 308"],
    ["a short Thai word", "ปี", "เขาอยู่ที่นี่มาสิบปี"],
    ["Chinese", "退货政策", "本店的退货政策是三十天内免费退货"],
    ["one Chinese character", "水", "请喝水"],
    ["Japanese", "返品", "この商品は返品できません"],
    ["Korean with a particle", "보증", "보증은 2년입니다"],
    ["a word in another script", "NFL", "ทีมในเอ็นเอฟแอล NFL ปีนี้"],
    ["Arabic", "المدارس", "في المدارس التي كانت هنا"],
    ["a short text in no clear language", "invoices", "Invoice 2024 Acme"],
  ])("%s", async (_, query, passage) => expect(await matches(query, passage)).toBe(true))
})

describe("queries", () => {
  test("words of grammar are dropped, unless there is nothing else", () => {
    expect(analyseQuery("what is the warranty of it").groups.flat()).toEqual(["warranti", "warranty"])
    expect(analyseQuery("who is it").groups.length).toBeGreaterThan(0)
  })

  test("a page pasted as a query stays bounded", () => {
    expect(analyseQuery("wordy text ".repeat(5_000)).groups.length).toBeLessThanOrEqual(128)
  })

  test("signs alone are no query", () => expect(analyseQuery("?! … «»").groups).toEqual([]))
})

test("languages are told by their grammar or script", () => {
  expect(languageOfQuery("How many points did they surrender?")).toBe("en")
  expect(languageOfQuery("In welchem Jahr starb Tesla?")).toBe("de")
  expect(languageOfQuery("Combien de points ont-ils perdus ?")).toBe("fr")
  expect(languageOfQuery("Сколько очков?")).toBe("ru")
  expect(languageOfQuery("ทีมรับของแพนเธอร์ส")).toBe("th")
  expect(languageOfQuery("Tesla Panthers")).toBe(null)
})

test("a term has no space and no passage is in both columns, whatever the text", async () => {
  const texts = ["", "  ", "\0\u0001", "a".repeat(10_000), "混ぜた mixed ข้อความ text", "👩‍👩‍👧 family"]
  for (const { words, grams } of await analysePassages(texts)) {
    expect(words === null || grams === null).toBe(true)
    for (const term of (words ?? grams ?? "").split(" ")) expect(term).not.toMatch(/\s/)
  }
})
