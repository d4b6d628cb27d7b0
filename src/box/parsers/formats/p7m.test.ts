import { describe, expect, test } from "vitest"
import { p7m } from "./p7m.ts"
import { ParseFailure } from "../parser.ts"
import { der, oid, open, signedMessage } from "../testing/cms-bytes.ts"
import { docxBytes } from "../testing/office-files.ts"
import { parseBytes } from "../testing/parse-bytes.ts"

const text = async (bytes: Uint8Array, name = "letter.txt.p7m"): Promise<string> =>
  (await parseBytes(p7m, bytes, name)).text
const pem = (bytes: Buffer): Buffer =>
  Buffer.from(
    `-----BEGIN PKCS7-----\n${bytes.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END PKCS7-----\n`,
  )

describe("reads signed content by its own type", () => {
  const letter = Buffer.from("Dear Ada, all is well.")
  test.for([
    ["DER", signedMessage(letter)],
    ["open lengths and pieces", signedMessage(letter, open)],
    ["PEM", pem(signedMessage(letter))],
    ["base64", Buffer.from(signedMessage(letter).toString("base64"))],
    [
      "a part of a mail",
      Buffer.from(
        `Content-Type: application/pkcs7-mime\r\nContent-Transfer-Encoding: base64\r\n\r\n${signedMessage(letter).toString("base64")}`,
      ),
    ],
    ["signed twice", signedMessage(signedMessage(letter))],
  ] as const)("%s", async ([, bytes]) => expect(await text(bytes)).toBe(letter.toString()))

  test("a Word document", async () => {
    const inner = docxBytes("<w:p><w:r><w:t>Contract</w:t></w:r></w:p>")
    expect(await text(signedMessage(inner), "contract.docx.p7m")).toBe("Contract")
  })
})

test("reads the text and attachments of a signed email", async () => {
  const mail = [
    'Content-Type: multipart/mixed; boundary="x"',
    "",
    "--x",
    "Content-Type: text/plain; charset=windows-1251",
    "Content-Transfer-Encoding: quoted-printable",
    "",
    "=CF=F0=E8=E2=E5=F2",
    "--x",
    'Content-Type: application/octet-stream; name="notes.md"',
    'Content-Disposition: attachment; filename="notes.md"',
    "Content-Transfer-Encoding: base64",
    "",
    Buffer.from("# Title").toString("base64"),
    "--x",
    'Content-Disposition: attachment; filename="a.exe"',
    "",
    "MZ",
    "--x--",
  ]
  const { blocks, notes } = await parseBytes(p7m, signedMessage(Buffer.from(mail.join("\r\n"))), "smime.p7m")
  expect(blocks.map(({ text, location }) => [text, location.heading])).toEqual([
    ["Привет", undefined],
    ["Title", "notes.md › Title"],
  ])
  expect(notes).toHaveLength(1)
})

describe("fails with a reason", () => {
  test.for([
    ["encrypted", der(0x30, oid("2a864886f70d010703"), der(0xa0, der(0x30))), "encrypted"],
    ["a detached signature", signedMessage(undefined), "only a signature"],
    ["cut", signedMessage(Buffer.alloc(1000, 65)).subarray(0, 500), "damaged or incomplete"],
    ["something else", Buffer.from("MIIB but not really"), "isn't a signed message"],
    [
      "signed too often",
      [1, 2, 3, 4, 5, 6].reduce<Buffer>((inner) => signedMessage(inner), Buffer.from("x")),
      "more than 5 times",
    ],
    [
      "lengths without end",
      Buffer.concat([signedMessage(undefined, open).subarray(0, 13), Buffer.alloc(10_000, 0x80)]),
      "damaged",
    ],
  ] as const)("%s", async ([, bytes, reason]) => {
    const failure = await text(bytes).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ParseFailure)
    expect((failure as ParseFailure).message).toContain(reason)
  })
})
