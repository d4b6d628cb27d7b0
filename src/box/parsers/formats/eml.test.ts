import { describe, expect, test } from "vitest"
import { detectUpload } from "../document/detect-type.ts"
import { eml } from "./eml.ts"
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

describe("a mail", () => {
  // Catches lost headers, undecoded words, texts in the wrong encoding, logos that cost OCR, and attachments that take others with them.
  test("is its head, its text and its attachments", async () => {
    const { blocks, notes } = await parseBytes(eml, letter, "letter.eml")
    expect(blocks.map(({ text, location }) => [text, location.heading])).toEqual([
      ["Café opens", "Café opens"],
      [
        "From: Zoë <zoe@example.org>\nTo: Ada <ada@example.org>; bob@example.org\nDate: 2026-11-20 09:00",
        "Café opens",
      ],
      ["Come on Friday, the café is open.", "Café opens"],
      ["Prices", "notes.md › Prices"],
    ])
    expect(notes).toHaveLength(1)
    expect(notes[0]).toContain("a.exe")
  })

  // Catches a refusal of mails whose text is 8-bit, and of those that a program put its own header before.
  test("is taken by its name where it begins with a header, and nothing else is", async () => {
    const shifted = Buffer.concat([mail("X-Mozilla-Status: 0001", ""), letter, Buffer.alloc(400, 0x81)])
    for (const bytes of [letter, shifted])
      expect(await detectUpload(bytes, "letter.eml", "full")).toMatchObject({ format: { name: "eml" } })
    const program = Buffer.from("7f454c4602010100000000000000000002003e00", "hex")
    expect(await detectUpload(program, "letter.eml", "full")).toHaveProperty("unsupported")
  })

  // Catches a stack or a time that grows with what a stranger nested.
  test("that is nested a thousand times ends in a reason", async () => {
    const parts = Array.from({ length: 1000 }, (_, depth) => [
      `Content-Type: multipart/mixed; boundary="b${depth}"`,
      "",
      `--b${depth}`,
    ])
    await expect(parseBytes(eml, mail("From: a@b.c", ...parts.flat(), "", "deep"))).rejects.toThrow("damaged")
  })
})
