import { createHash } from "node:crypto"
import { describe, expect, test } from "vitest"
import { analysePassages, analyseQuery } from "./search-text.ts"

/** Whether every word of the query is among the passage's terms, in any of its forms. */
async function matches(query: string, passage: string): Promise<boolean> {
  const [analysed] = await analysePassages([passage])
  const terms = new Set((analysed?.words ?? analysed?.grams ?? "").split(" "))
  const { groups } = analyseQuery(query)
  return groups.length > 0 && groups.every((forms) => forms.some((form) => terms.has(form)))
}

// Catches a date in a sheet that is found only by people who type it as the sheet has it.
test.each([
  "5 March 2024",
  "March 5, 2024",
  "5 marzo 2024",
  "5. März 2024",
  "05/03/2024",
  "03/05/2024",
  "2024/3/5",
  "2024-03-05",
])("a date in a query matches the same date in ISO format: %s", async (query) => {
  expect(await matches(query, "Kettle | 4006381333931 | 2024-03-05")).toBe(true)
  expect(await matches(query, "Kettle | 4006381333931 | 2024-03-06")).toBe(false)
})

describe("the same word matches in a query and a passage", () => {
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
    ["a year in Japanese", "2024", "2024年3月に契約した"],
    ["a name in Chinese", "Python", "我们使用Python编程和iPhone15"],
    ["a number in Korean", "2024", "계약은 2024년에 끝납니다"],
    ["a name in Thai", "iphone", "ฉันซื้อiPhoneเครื่องใหม่"],
    ["Katakana of half width", "ﾊﾟｿｺﾝ", "パソコンを買う"],
    ["Greek cases", "εγγυήσεις", "Η εγγύηση του προϊόντος είναι για δύο χρόνια."],
    ["Greek capitals", "ΕΓΓΥΗΣΗ", "Η εγγύηση του προϊόντος είναι για δύο χρόνια."],
    ["Polish cases", "reklamację umowy", "Do reklamacji nie jest wymagana umowa, ale przez to jest łatwiej."],
    ["Hindi plural", "किताबों", "यह किताब मेज पर है"],
    ["Hindi nasal signs", "चाँद", "आज चांद निकला है"],
    ["Hebrew article and plural", "ספרים", "הספר על השולחן"],
    ["Hebrew points", "שלום", "שָׁלוֹם לכם"],
    ["Arabic vowel signs", "محمد", "مُحَمَّد في البيت"],
    ["Persian letters", "کتاب", "كتاب جديد"],
    ["digits of other scripts", "2024", "سنة ٢٠٢٤ كانت"],
    ["Turkish capitals", "istanbul", "İstanbul'da bir ev ve bir bahçe var."],
    ["Turkish suffixes", "kitapları", "Bu kitap için ödeme daha sonra olarak yapıldı ve kapandı."],
    ["Vietnamese without tones", "hop dong", "Đây là hợp đồng của người thuê nhà, và không được bán."],
    [
      "Vietnamese, decomposed",
      "hợp đồng".normalize("NFD"),
      "Đây là hợp đồng của người thuê nhà, và không được bán.",
    ],
    ["Italian without accents", "universita", "L'università è nel centro della città, con una biblioteca."],
    [
      "an umlaut in two letters",
      "Haeuser Mueller",
      "Das Haus wurde von Herrn Müller und der Familie verkauft.",
    ],
    ["two letters for an umlaut", "Müller", "Herr Mueller war nicht in der Firma, und das ist bekannt."],
    [
      "a word whose question tells no language",
      "faktury",
      "Do faktury nie jest dołączona umowa, ale jest przez to ważna.",
    ],
    ["an invoice's number", "INV-2024-0017", "Your invoice INV-2024-0017 is due."],
    ["a mail address", "Anna.Rossi@example.com", "Write to anna.rossi@example.com, please."],
    ["a date", "2024-03-17", "Signed on 2024-03-17 in Rome."],
    ["snake case by camel case", "get_user_name", "const x = get_user_name()"],
    ["an acronym in a name", "http server", "class HTTPServer {}"],
    ["a number and its unit", "10 kg", "It weighs 10kg."],
    ["thousands", "1000000", "We paid 1,000,000 euros, or 1.000.000 Euro."],
    ["a language of one letter", "C#", "Written in C# by two people."],
  ])("%s", async (_, query, passage) => expect(await matches(query, passage)).toBe(true))
})

// Catches spellings of one identifier that share only parts which other identifiers also have.
test.each([
  ["inv20240017", "INV-2024-0017"],
  ["GetUserName2", "get_user_name_2"],
])("%s matches %s", async (query, passage) => {
  const [analysed] = await analysePassages([passage])
  const whole = analyseQuery(query)
    .groups.flat()
    .filter((term) => term.startsWith("="))
  expect(analysed?.words?.split(" ")).toEqual(expect.arrayContaining(whole))
  expect(whole).toHaveLength(1)
})

// Catches an identifier that finds every other one with the same parts.
test.each([
  ["INV-2024-0017", "INV-2024-0018 and a letter of 0017"],
  ["anna.rossi@example.com", "anna.bianchi@example.com, rossi@example.com"],
  ["C#", "C++ is written by others"],
  ["2024-03-17", "On 2024-04-17, page 03"],
])("%s isn't found as a whole in other text", async (query, passage) =>
  expect(await matches(query, passage)).toBe(false),
)

describe("queries", () => {
  test("function words are dropped, unless there are no other words", () => {
    expect(analyseQuery("what is the warranty of it").groups.flat()).toEqual(["warranti", "warranty"])
    expect(analyseQuery("who is it").groups.length).toBeGreaterThan(0)
  })

  test("a whole page pasted as a query is limited in size", () => {
    expect(analyseQuery("wordy text ".repeat(5_000)).groups.length).toBeLessThanOrEqual(128)
  })

  test("punctuation alone is an empty query", () => expect(analyseQuery("?! … «»").groups).toEqual([]))
})

test("languages are detected by their function words or script", () => {
  const languageOfQuery = (query: string) => analyseQuery(query).language
  expect(languageOfQuery("How many points did they surrender?")).toBe("en")
  expect(languageOfQuery("In welchem Jahr starb Tesla?")).toBe("de")
  expect(languageOfQuery("Combien de points ont-ils perdus ?")).toBe("fr")
  expect(languageOfQuery("Сколько очков?")).toBe("ru")
  expect(languageOfQuery("ทีมรับของแพนเธอร์ส")).toBe("th")
  expect(languageOfQuery("Tesla Panthers")).toBe(null)
})

test("no term contains a space and no passage is in both columns, whatever the text", async () => {
  const texts = ["", "  ", "\0\u0001", "a".repeat(10_000), "混ぜた mixed ข้อความ text", "👩‍👩‍👧 family"]
  for (const { words, grams } of await analysePassages(texts)) {
    expect(words === null || grams === null).toBe(true)
    for (const term of (words ?? grams ?? "").split(" ")) expect(term).not.toMatch(/\s/)
  }
})

// Catches images and keys encoded as text, in which almost every group of letters would become a separate term: indexing 50 MB of them took
// gigabytes of memory.
test("bytes encoded as text produce no terms, and the text around them is found", async () => {
  const bytes = createHash("sha512").update("bytes").digest()
  const many = Buffer.concat(
    Array.from({ length: 12 }, (_, index) => createHash("sha512").update(`${index}`).digest()),
  )
  const base64 = many.toString("base64")
  const inLines = (base64.match(/.{1,76}/g) ?? []).join("\r\n")
  for (const encoded of [base64, inLines, many.toString("base64url"), many.toString("hex")]) {
    const [analysed] = await analysePassages([`The logo of our invoices: ${encoded} It is blue.`])
    expect(analysed?.words?.split(" ").length).toBeLessThan(12)
    expect(await matches("blue logo", `The logo of our invoices: ${encoded} It is blue.`)).toBe(true)
  }
  const address = `https://docs.example/files/${"a-long-name/".repeat(12)}Annual-Report-2024-Final-Version-For-The-Board.pdf`
  for (const [query, text] of [
    [bytes.toString("hex"), `checksum ${bytes.toString("hex")}`],
    [bytes.toString("base64").slice(0, 43), `key ${bytes.toString("base64").slice(0, 43)}`],
    ["annual board", `see ${address}`],
  ] as const)
    expect(await matches(query, text), text).toBe(true)
})
