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

describe("an email", () => {
  // Catches lost headers, undecoded words, text in the wrong encoding, logos that are sent to OCR, and attachments that cause others to be
  // lost.
  test("consists of its headers, its text and its attachments", async () => {
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
