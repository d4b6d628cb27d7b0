import iconv from "iconv-lite"
import { describe, expect, test } from "vitest"
import { detectUpload } from "../document/detect-type.ts"
import { eml } from "./eml.ts"
import { repairCharsets } from "../mail/part-charsets.ts"
import { parseBytes } from "../testing/parse-bytes.ts"

const mail = (...lines: string[]): Buffer => Buffer.from(lines.join("\r\n"), "latin1")
const picture = ["Content-Transfer-Encoding: base64", "", Buffer.from("not a picture").toString("base64")]
const letter = mail(
  "From: =?utf-8?Q?Zo=C3=AB?= <zoe@example.org>",
  "To: Ada <ada@example.org>, team: bob@example.org;",
  "Subject: =?utf-8?Q?Caf=C3=A9?= opens",
  "Date: Fri, 20 Nov 2026 10:00:00 +0100",
  'Content-Type: multipart/mixed; boundary="x"',
  "",
  "--x",
  'Content-Type: text/html; charset="iso-8859-1"',
  "",
  '<p>Come on \xa0Friday, the caf\xe9 is open.</p><img src="cid:logo@1">',
  "--x",
  "Content-Type: image/png; name=logo.png",
  "Content-ID: <logo@1>",
  ...picture,
  "--x",
  'Content-Disposition: attachment; filename="notes.md"',
  "",
  "# Prices",
  "--x",
  'Content-Disposition: attachment; filename="a.exe"',
  "",
  "MZ\x00\x01\x02",
  "--x--",
)

describe("an email", () => {
  // Catches lost headers, undecoded words, text in the wrong encoding, logos that are sent to OCR, and attachments that cause others to be
  // lost.
  test("consists of its headers, its text and its attachments", async () => {
    const { blocks, notes } = await parseBytes(eml, letter, "letter.eml")
    expect(blocks.map(({ text, location }) => [text, location.heading])).toEqual([
      ["Café opens", "Café opens"],
      [
        "From: Zoë <zoe@example.org>\nTo: Ada <ada@example.org>; bob@example.org\nDate: 2026-11-20 10:00 +01:00",
        "Café opens",
      ],
      ["Come on Friday, the café is open.", "Café opens"],
      ["Prices", "notes.md › Prices"],
    ])
    expect(notes).toHaveLength(1)
    expect(notes[0]).toContain("a.exe")
  })

  // Catches attached messages that become part of the text, with dates in the American order, and times that are read as those of another
  // zone.
  test("can have another message attached, each with the time of its sender", async () => {
    const bytes = mail(
      "Subject: Forwarded",
      "Date: Wed, 6 Mar 2024 00:30:00 +0200 (EET)",
      'Content-Type: multipart/mixed; boundary="x"',
      "",
      "--x",
      "",
      "See below.",
      "--x",
      "Content-Type: message/rfc822",
      "",
      "Subject: Order",
      "Date: 5 Mar 2024 14:30:00 GMT",
      "",
      "Two chairs.",
      "--x--",
    )
    const { blocks } = await parseBytes(eml, bytes, "letter.eml")
    expect(blocks.map(({ text, location }) => [text, location.heading])).toEqual([
      ["Forwarded", "Forwarded"],
      ["Date: 2024-03-06 00:30 +02:00", "Forwarded"],
      ["See below.", "Forwarded"],
      ["Order", "message.eml › Order"],
      ["Date: 2024-03-05 14:30 UTC", "message.eml › Order"],
      ["Two chairs.", "message.eml › Order"],
    ])
  })

  // Catches the refusal of emails with 8-bit text, and of those to which a program added its own header at the top.
  test("is recognised by its file name if it starts with a header, and only then", async () => {
    const shifted = Buffer.concat([mail("X-Mozilla-Status: 0001", ""), letter, Buffer.alloc(400, 0x81)])
    for (const bytes of [letter, shifted])
      expect(await detectUpload(bytes, "letter.eml", "full")).toMatchObject({ format: { name: "eml" } })
    const program = Buffer.from("7f454c4602010100000000000000000002003e00", "hex")
    expect(await detectUpload(program, "letter.eml", "full")).toHaveProperty("unsupported")
  })

  // Catches a stack or processing time that grows with the nesting in a stranger's email.
  test("that is nested a thousand times fails with a reason", async () => {
    const parts = Array.from({ length: 1000 }, (_, depth) => [
      `Content-Type: multipart/mixed; boundary="b${depth}"`,
      "",
      `--b${depth}`,
    ])
    await expect(parseBytes(eml, mail("From: a@b.c", ...parts.flat(), "", "deep"))).rejects.toThrow("damaged")
  })
})

const alternatives = (plain: string, html: string): Buffer =>
  mail(
    "Subject: Order",
    'Content-Type: multipart/alternative; boundary="x"',
    "",
    "--x",
    "Content-Type: text/plain; charset=utf-8",
    "",
    plain,
    "--x",
    "Content-Type: text/html; charset=utf-8",
    "",
    html,
    "--x--",
  )

// Catches orders and newsletters whose plain part only points to the HTML part.
test.for([
  ["This message is in HTML. Please use a mail program that shows HTML.", "<p>Teapot 249,00 EUR</p>"],
  [
    "Ihre Bestellung: Webansicht https://example.org/a/very/long/link/that/says/nothing",
    "<p>Teapot 249,00 EUR</p>",
  ],
  ["Your order", `<p>Teapot 249,00 EUR</p><p>${"Delivered to Via Roma. ".repeat(5)}</p>`],
] as const)("reads the HTML of a message whose plain text is a stub: %s", async ([plain, html]) => {
  expect((await parseBytes(eml, alternatives(plain, html))).text).toContain("Teapot 249,00 EUR")
})

// Catches plain text that is given up for HTML with the same words, or with HTML that can't be read.
test("reads the plain text if the HTML says the same", async () => {
  const plain = "Dear Ada,\n\nthe teapot costs 249,00 EUR. See https://example.org/teapot\n\n| a | b |"
  const html = "<p>Dear Ada,</p><p>the <b>teapot</b> costs 249,00 EUR. See <a href='#'>this</a></p>"
  expect((await parseBytes(eml, alternatives(plain, html))).text).toContain("| a | b |")
  const deep = alternatives(plain, "<div>".repeat(20_000) + "x".repeat(2000))
  expect((await parseBytes(eml, deep)).text).toContain("| a | b |")
})

// Catches letters that are lost because only the HTML names its charset, or nothing does, or a name that browsers don't know.
describe("a part's charset", () => {
  const quoted = (bytes: Buffer): string =>
    [...bytes].map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("")
  const page = (charset: string, text: string): Buffer =>
    iconv.encode(`<html><meta charset="${charset}"><p>${text}</p></html>`, charset)

  test.for([
    ["iso-8859-1", "Søren har købt en båd"],
    ["windows-1250", "Žďár nad Sázavou"],
    ["shift_jis", "静岡県の緑茶"],
    ["utf-8", "Ünï – 静岡県"],
  ] as const)("is named by the HTML: %s", async ([charset, text]) => {
    const bodies = [
      ["Content-Transfer-Encoding: quoted-printable", "", quoted(page(charset, text))],
      ["Content-Transfer-Encoding: base64", "", page(charset, text).toString("base64")],
      ["Content-Transfer-Encoding: 8bit", "", page(charset, text).toString("latin1")],
    ]
    for (const body of bodies) {
      const single = mail("Subject: Test", "Content-Type: text/html", ...body)
      expect((await parseBytes(eml, single)).text).toContain(text)
      const head = 'Content-Type: multipart/related;\r\n boundary="_f"'
      const related = mail("Subject: Test", head, "", "--_f", "Content-Type: text/html", ...body, "--_f--")
      expect((await parseBytes(eml, related)).text).toContain(text)
    }
  })

  test("is guessed for 8-bit text and headers of old programs", async () => {
    const text = "Уважаемый Пётр Сергеевич, направляем счёт за ремонт крыши"
    for (const type of [
      "Content-Type: text/plain",
      "Content-Type: text/plain; charset=us-ascii",
      "X-Mailer: old",
    ]) {
      const lines = ["From: a@example.org", `Subject: ${text}`, type, "", `${text}.`]
      const { blocks } = await parseBytes(eml, iconv.encode(lines.join("\r\n"), "win1251"))
      expect(blocks.map((block) => block.text)).toEqual([text, "From: a@example.org", `${text}.`])
    }
  })

  test("may be one of DOS", async () => {
    const lines = ["Subject: Test", "Content-Type: text/plain; charset=cp850", "", "Große Allee in München"]
    const { text } = await parseBytes(eml, iconv.encode(lines.join("\r\n"), "cp850"))
    expect(text).toContain("Große Allee in München")
  })

  // Catches attachments that are changed because their type is wrong.
  test("doesn't change attachments", async () => {
    const types = [
      "Content-Type: text/plain; name=a.csv",
      "Content-Type: text/plain\r\nContent-Disposition: attachment",
    ]
    for (const type of types) {
      const lines = [
        "--x",
        type,
        "Content-Transfer-Encoding: base64",
        "",
        page("utf-16le", "Größe").toString("base64"),
      ]
      const whole = ['Content-Type: multipart/mixed; boundary="x"', "", ...lines, "--x--"].join("\r\n")
      expect((await repairCharsets(Buffer.from(whole), { note: () => {} })).toString()).toBe(whole)
    }
  })
})

// Catches Outlook messages whose text and attachments are lost in a winmail.dat.
test("reads the text and the attachments in a winmail.dat", async () => {
  const number = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer)
  const attribute = (id: number, data: Buffer): Buffer =>
    Buffer.concat([Buffer.from([1]), number(id), number(data.length), data, Buffer.alloc(2)])
  const property = (type: number, id: number, data: Buffer): Buffer =>
    Buffer.concat([
      number(type | (id << 16)),
      number(1),
      number(data.length),
      data,
      Buffer.alloc(-data.length & 3),
    ])
  const name = Buffer.from("Preisliste für Köln.md\0", "utf16le")
  const parts = [
    attribute(0x00069007, Buffer.concat([number(1250), number(0)])),
    attribute(0x0002800c, iconv.encode("Platba z města Plzeň\0", "win1250")),
    attribute(0x00069002, Buffer.alloc(14)),
    attribute(0x00018010, Buffer.from("PREISL~1.MD\0")),
    attribute(0x0006800f, Buffer.from("# Prices\n\nTeapot 12,50")),
    attribute(0x00069005, Buffer.concat([number(1), property(0x1f, 0x3707, name)])),
    attribute(0x00069002, Buffer.alloc(14)),
    attribute(0x00018010, Buffer.from("tools.zip\0")),
    attribute(
      0x0006800f,
      Buffer.from("504b0304140000000000000000000000000000000000000000000000050000006", "hex"),
    ),
  ]
  const winmail = Buffer.concat([number(0x223e9f78), Buffer.alloc(2), ...parts])
  const message = mail(
    "Subject: Test",
    "Content-Type: application/ms-tnef; name=winmail.dat",
    "Content-Transfer-Encoding: base64",
    "",
    winmail.toString("base64"),
  )
  const { text, blocks, notes } = await parseBytes(eml, message, "a.eml")
  expect(text).toContain("Platba z města Plzeň")
  expect(blocks.at(-1)).toMatchObject({
    text: "Teapot 12,50",
    location: { heading: "Preisliste für Köln.md › Prices" },
  })
  expect(notes).toEqual([expect.stringContaining("tools.zip")])
  for (let length = 0; length < winmail.length; length += 7) {
    const cut = Buffer.from(
      message.toString().replace(winmail.toString("base64"), winmail.toString("base64", 0, length)),
    )
    await expect(parseBytes(eml, cut, "a.eml")).resolves.toBeDefined()
  }
})
