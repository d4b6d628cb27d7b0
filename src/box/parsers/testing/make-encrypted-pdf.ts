import { createHash } from "node:crypto"
import { rc4Stream, xor } from "../passwords/rc4.ts"

const padding = Buffer.from("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a", "hex")
const padded = (password: string) => Buffer.concat([Buffer.from(password, "latin1"), padding]).subarray(0, 32)
const md5 = (...parts: Buffer[]) => createHash("md5").update(Buffer.concat(parts)).digest()

const rc4 = (key: Buffer, data: Buffer) => xor(Buffer.from(data), rc4Stream(key, data.length))

/** Creates a PDF with one line that opens only with a password (RC4 with 40 bits, as in the first encrypted PDFs). */
export function makeEncryptedPdf(line: string, password: string): Buffer {
  const id = Buffer.alloc(16, 7)
  const rights = Buffer.from([0xfc, 0xff, 0xff, 0xff])
  const owner = rc4(md5(padded(password)).subarray(0, 5), padded(password))
  const key = md5(padded(password), owner, rights, id).subarray(0, 5)
  const user = rc4(key, padding)
  const content = 4
  const stream = rc4(
    md5(key, Buffer.from([content, 0, 0, 0, 0])).subarray(0, 10),
    Buffer.from(`BT /F 11 Tf 60 700 Td (${line}) Tj ET`, "latin1"),
  )
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F 5 0 R >> >> /Contents 4 0 R >>",
    Buffer.concat([
      Buffer.from(`<< /Length ${stream.length} >>\nstream\n`),
      stream,
      Buffer.from("\nendstream"),
    ]),
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${owner.toString("hex")}> /U <${user.toString("hex")}> >>`,
  ]
  const parts = [Buffer.from("%PDF-1.4\n")]
  const offsets: number[] = []
  let length = parts[0]?.length ?? 0
  for (const [index, object] of objects.entries()) {
    const part = Buffer.concat([
      Buffer.from(`${index + 1} 0 obj\n`),
      Buffer.from(object),
      Buffer.from("\nendobj\n"),
    ])
    offsets.push(length)
    parts.push(part)
    length += part.length
  }
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("")
  const hexId = `<${id.toString("hex")}>`
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Encrypt 6 0 R /ID [${hexId} ${hexId}] >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}
