import iconv from "iconv-lite"
import { describe, expect, test } from "vitest"
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
