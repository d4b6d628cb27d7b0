import iconv from "iconv-lite"
import { describe, expect, test } from "vitest"
import { detectUpload } from "../document/detect-type.ts"
import { html } from "../formats/html.ts"
import { plainText } from "../formats/plain-text.ts"
import { parseBytes } from "../testing/parse-bytes.ts"

const samples: Record<string, string> = {
  "windows-1251": "Привет, как дела? Это небольшой текст на русском языке, который нужно узнать.",
  "koi8-r": "Привет, как дела? Это небольшой текст на русском языке, который нужно узнать.",
  shift_jis: "これは日本語のテキストです。今日は天気がいいですね。",
  "euc-jp": "これは日本語のテキストです。今日は天気がいいですね。",
  gb18030: "这是一个中文文本文件，用于测试编码检测。",
  big5: "這是一個繁體中文文本文件，用於測試編碼檢測。",
  "euc-kr": "이것은 한국어 텍스트입니다. 오늘 날씨가 좋네요.",
  "iso-8859-7": "Αυτό είναι ένα ελληνικό κείμενο για δοκιμή.",
  "windows-1255": "זהו טקסט בעברית לבדיקה של קידוד",
  "windows-1256": "هذا نص عربي لاختبار الترميز",
  "windows-874": "นี่คือข้อความภาษาไทยสำหรับทดสอบ",
  "windows-1252": "Café crème, déjà vu, naïve façade – “quoted” text über alles.",
  "utf-8": "Zażółć gęślą jaźń – 日本語 – 🙂",
  "utf-16le": "Plain English without any mark, in sixteen bits.",
  "utf-16be": "Plain English without any mark, in sixteen bits.",
}

describe("decodes text in any encoding", () => {
  test.for(Object.entries(samples))("%s", async ([encoding, text]) => {
    const { text: read } = await parseBytes(plainText, iconv.encode(text, encoding, { addBOM: false }))
    expect(read).toBe(text)
  })

  test.for(["utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be"])(
    "%s with a byte order mark",
    async (encoding) => {
      const { text } = await parseBytes(plainText, iconv.encode("Ünï 🙂 日本", encoding, { addBOM: true }))
      expect(text).toBe("Ünï 🙂 日本")
    },
  )

  test("ISO-2022-JP, whose bytes are all ASCII", async () => {
    const bytes = Buffer.from("\u001b$B$3$s$K$A$O\u001b(B", "latin1")
    expect((await parseBytes(plainText, bytes)).text).toBe("こんにちは")
  })
})

test("detects the encoding of a file that starts with 600 KB of ASCII", async () => {
  const bytes = Buffer.concat([
    Buffer.from("plain words\n\n".repeat(50_000)),
    iconv.encode(samples["windows-1251"] ?? "", "win1251"),
  ])
  expect((await parseBytes(plainText, bytes)).blocks.at(-1)?.text).toBe(samples["windows-1251"])
})

test("keeps a character whole that is split between two chunks", async () => {
  const text = `${"a".repeat(256 * 1024 - 1)}é ${"漢".repeat(100_000)}`
  const { blocks } = await parseBytes(plainText, text)
  expect(blocks.map((block) => block.text).join("")).toBe(text.replace(/ /, "").replace("é", "é"))
})

test("replaces invalid bytes in a UTF-8 file and loses nothing else", async () => {
  const bytes = Buffer.concat([Buffer.from("naïve begin "), Buffer.from([0xff]), Buffer.from(" end", "utf8")])
  expect((await parseBytes(plainText, bytes)).text).toMatch(/begin .* end$/)
})

// Catches a file that is garbled without anyone being informed.
test("notes a doubtful encoding and damaged characters", async () => {
  const doubtful = await parseBytes(plainText, iconv.encode("10 µm ± 2", "win1252"))
  expect(doubtful.notes).toEqual([expect.stringContaining("It was read as ")])
  const damaged = Buffer.concat([Buffer.from("Žďár nad Sázavou, ústí a další města"), Buffer.from([0xff])])
  const { text, notes } = await parseBytes(plainText, damaged)
  expect(text).toContain("Žďár nad Sázavou")
  expect(notes).toEqual([expect.stringContaining("damaged")])
  const sure = await parseBytes(plainText, iconv.encode("Žďár nad Sázavou;Příbram;zaplaceno včas", "win1250"))
  expect(sure.notes).toEqual([])
})

// Catches UTF-16 that is refused or garbled because it has neither a mark nor many zeros.
test.for(["utf-16le", "utf-16be"])("%s without a mark in other scripts", async (encoding) => {
  const texts = [
    "Москва",
    "Αθήνα;Πάτρα",
    "氏名,住所\n鈴木一郎,名古屋市中区一丁目\n",
    "姓名,城市\n张一伟,北京\n王芳,上海\n",
  ]
  for (const text of texts) {
    const bytes = iconv.encode(text, encoding, { addBOM: false })
    expect(await detectUpload(bytes, "a.txt", "full")).toMatchObject({ format: { name: "text" } })
    expect((await parseBytes(plainText, bytes)).text).toBe(text.trim())
  }
})

// Catches names of encodings that mean another one in practice, and declarations that the bytes contradict.
test.for([
  ["iso-8859-1", "windows-1252", "“10 €” – Søren"],
  ["us-ascii", "windows-1250", "Žďár nad Sázavou a Příbram"],
  ["shift_jis", "windows-1251", "Уважаемый Пётр Сергеевич, направляем счёт за ремонт"],
  ["gb2312", "gb18030", "朱镕基先生"],
  ["utf-8", "koi8-r", "Уважаемый Пётр Сергеевич"],
] as const)("declared %s, written as %s", async ([declared, written, text]) => {
  const page = iconv.encode(`<meta charset="${declared}"><p>${text}</p>`, written)
  expect((await parseBytes(html, page)).text).toBe(text)
})
