import { describe, expect, test } from "vitest"
import { p7m } from "./p7m.ts"
import { ParseFailure } from "./parser.ts"
import { docxBytes } from "./testing/office-files.ts"
import { parseBytes } from "./testing/parse-bytes.ts"

const oid = (hex: string): Buffer => Buffer.concat([Buffer.of(6, hex.length / 2), Buffer.from(hex, "hex")])
const data = oid("2a864886f70d010701")
const signed = oid("2a864886f70d010702")

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const length = Buffer.alloc(5)
  length.writeUInt8(0x84)
  length.writeUInt32BE(content.length, 1)
  return Buffer.concat([Buffer.of(tag), length, content])
}

/** The same with a length that is open. */
function open(tag: number, ...parts: Buffer[]): Buffer {
  return Buffer.concat([Buffer.of(tag, 0x80), ...parts, Buffer.of(0, 0)])
}

function message(content: Buffer | undefined, build = der): Buffer {
  const octets =
    build === der
      ? der(4, content ?? Buffer.alloc(0))
      : open(
          0x24,
          der(4, (content ?? Buffer.alloc(0)).subarray(0, 3)),
          der(4, (content ?? Buffer.alloc(0)).subarray(3)),
        )
  const enclosed = build(0x30, data, ...(content ? [build(0xa0, octets)] : []))
  const body = build(0x30, der(2, Buffer.of(1)), der(0x31), enclosed, der(0x31))
  return build(0x30, signed, build(0xa0, body))
}

const text = async (bytes: Uint8Array, name = "letter.txt.p7m"): Promise<string> =>
  (await parseBytes(p7m, bytes, name)).text
const pem = (bytes: Buffer): Buffer =>
  Buffer.from(
    `-----BEGIN PKCS7-----\n${bytes.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END PKCS7-----\n`,
  )

describe("what was signed is read as what it is", () => {
  const letter = Buffer.from("Dear Ada, all is well.")
  test.for([
    ["DER", message(letter)],
    ["open lengths and pieces", message(letter, open)],
    ["PEM", pem(message(letter))],
    ["base64", Buffer.from(message(letter).toString("base64"))],
    [
      "a part of a mail",
      Buffer.from(
        `Content-Type: application/pkcs7-mime\r\nContent-Transfer-Encoding: base64\r\n\r\n${message(letter).toString("base64")}`,
      ),
    ],
    ["signed twice", message(message(letter))],
  ] as const)("%s", async ([, bytes]) => expect(await text(bytes)).toBe(letter.toString()))

  test("a Word document", async () => {
    const inner = docxBytes("<w:p><w:r><w:t>Contract</w:t></w:r></w:p>")
    expect(await text(message(inner), "contract.docx.p7m")).toBe("Contract")
  })
})

test("a signed mail is its text and its attachments", async () => {
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
  const { blocks, notes } = await parseBytes(p7m, message(Buffer.from(mail.join("\r\n"))), "smime.p7m")
  expect(blocks.map(({ text, location }) => [text, location.heading])).toEqual([
    ["Привет", undefined],
    ["Title", "notes.md › Title"],
  ])
  expect(notes).toHaveLength(1)
})

describe("ends in a reason", () => {
  test.for([
    ["encrypted", der(0x30, oid("2a864886f70d010703"), der(0xa0, der(0x30))), "encrypted"],
    ["a detached signature", message(undefined), "only a signature"],
    ["cut", message(Buffer.alloc(1000, 65)).subarray(0, 500), "damaged or incomplete"],
    ["something else", Buffer.from("MIIB but not really"), "isn't a signed message"],
    [
      "signed too often",
      [1, 2, 3, 4, 5, 6].reduce<Buffer>((inner) => message(inner), Buffer.from("x")),
      "more than 5 times",
    ],
    [
      "lengths without end",
      Buffer.concat([message(undefined, open).subarray(0, 13), Buffer.alloc(10_000, 0x80)]),
      "damaged",
    ],
  ] as const)("%s", async ([, bytes, reason]) => {
    const failure = await text(bytes).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ParseFailure)
    expect((failure as ParseFailure).message).toContain(reason)
  })
})
