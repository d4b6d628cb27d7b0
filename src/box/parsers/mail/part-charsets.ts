import { isAscii } from "node:buffer"
import { reason } from "../../../shared/contract/file-reasons.ts"
import { declaredEncoding } from "../formats/html.ts"
import type { ParseContext } from "../parser.ts"
import { createDecoder, detectEncoding } from "../text/text-encoding.ts"

/** Parts of a message that are checked. Real messages have few. */
const maxParts = 200
/** Size of a message up to which its parts are checked: 256 MB. */
const maxBytes = 2 ** 28
const sampleCharacters = 65_536

/** A part's header that declares text, with its folded lines. */
const textHeader = /^content-type:[ \t]*text\/(plain|html)\b.*(?:\r?\n[ \t].*)*/gim
const charsetParameter = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]+))/i
const isAttachment = (head: string, header: string): boolean =>
  /^content-disposition:[ \t]*attachment|\bfilename\*?(\d+\*?)?=/im.test(head) || /;\s*name\*?=/i.test(header)
const transferEncoding = /^content-transfer-encoding:[ \t]*([\w-]+).*\r?\n?/im

/**
 * Returns an email (RFC 5322) whose text parts and headers are UTF-8 where their declaration is missing or wrong: HTML that names its charset
 * itself, 8-bit text of old programs, and charsets that browsers don't know.
 */
export async function repairCharsets(bytes: Buffer, context: Pick<ParseContext, "note">): Promise<Buffer> {
  if (bytes.length > maxBytes) return bytes
  const mail = bytes.toString("latin1")
  const boundaries = findBoundaries(mail)
  const headEnd = findHeadEnd(mail, 0)
  const head = mail.slice(0, headEnd)
  const pieces = [await repairHead(head)]
  let copied = headEnd
  let parts = 0
  for (const match of mail.matchAll(textHeader)) {
    if (++parts > maxParts) break
    if (match.index < copied && copied > headEnd) continue // It is inside a part that has been replaced.
    const isRoot = match.index < headEnd
    const headStart = isRoot ? 0 : findHeadStart(mail, match.index)
    const bodyStart = findHeadEnd(mail, match.index)
    const bodyEnd = findPartEnd(mail, bodyStart, boundaries)
    const part = { head: mail.slice(headStart, bodyStart), body: mail.slice(bodyStart, bodyEnd) }
    const repaired = await repairPart(part, match[0], context)
    if (!repaired) continue
    if (isRoot) pieces[0] = await repairHead(repaired.head)
    else pieces.push(mail.slice(copied, headStart), repaired.head)
    pieces.push(repaired.body)
    copied = bodyEnd
  }
  if (!/^content-type:/im.test(head)) {
    const repaired = await repairPart({ head, body: mail.slice(headEnd) }, "", context)
    if (repaired) return Buffer.from((await repairHead(repaired.head)) + repaired.body, "latin1")
  }
  if (copied === headEnd && pieces[0] === head) return bytes
  return Buffer.from(pieces.join("") + mail.slice(copied), "latin1")
}

interface Part {
  /** Header lines and the empty line after them. */
  head: string
  body: string
}

/** Returns the part as UTF-8; undefined if it can be decoded as it is. */
async function repairPart(
  { head, body }: Part,
  header: string,
  context: Pick<ParseContext, "note">,
): Promise<Part | undefined> {
  if (isAttachment(head, header)) return undefined // It is read as a file, and may not be text.
  const transfer = transferEncoding.exec(head)?.[1]?.toLowerCase() ?? ""
  const sample = decodeTransfer(body.slice(0, sampleCharacters), transfer)
  if (isAscii(sample) && !sample.includes(0x1b)) return undefined
  const match = charsetParameter.exec(header)
  const declared = match?.[1] ?? match?.[2]
  if (/^utf-?16/i.test(declared ?? "")) return undefined
  const isHtml = /text\/html/i.test(header)
  const ownName = isHtml ? declaredEncoding(sample.toString("latin1", 0, 4096)) : undefined
  const { encoding, isDoubtful } = await detectEncoding(sample, declared ?? ownName)
  if (encoding === getBrowserName(declared ?? "utf-8")) return undefined
  if (isDoubtful) context.note(reason("encoding_doubtful", { encoding }))
  const decoder = createDecoder(encoding)
  const text = decoder.write(decodeTransfer(body, transfer)) + decoder.end()
  const type = `${(header || "Content-Type: text/plain").replace(charsetParameter, "").trimEnd()}; charset=utf-8`
  const rest = (header ? head.replace(header, "") : head).replace(transferEncoding, "").trim()
  const lines = Buffer.from(text).toString("base64").replaceAll(/.{76}/g, "$&\r\n")
  return {
    head: [...(rest ? [rest] : []), type, "Content-Transfer-Encoding: base64", "", ""].join("\r\n"),
    body: `${lines}\r\n`,
  }
}

/** Header lines must be ASCII or UTF-8. Old programs wrote them in their own encoding. */
async function repairHead(head: string): Promise<string> {
  const bytes = Buffer.from(head, "latin1")
  if (isAscii(bytes)) return head
  const declared = charsetParameter.exec(head)
  const { encoding } = await detectEncoding(bytes, declared?.[1] ?? declared?.[2])
  if (encoding === "utf-8") return head
  const decoder = createDecoder(encoding)
  return Buffer.from(decoder.write(bytes) + decoder.end()).toString("latin1")
}

function decodeTransfer(body: string, transfer: string): Buffer {
  if (transfer === "base64") return Buffer.from(body, "base64")
  if (transfer !== "quoted-printable") return Buffer.from(body, "latin1")
  const decoded = body
    .replaceAll(/=[ \t]*\r?\n/g, "")
    .replaceAll(/=([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(decoded, "latin1")
}

function getBrowserName(charset: string): string | undefined {
  try {
    return new TextDecoder(charset).encoding
  } catch {
    return undefined // A RangeError: browsers don't know the name.
  }
}

function findBoundaries(mail: string): Set<string> {
  const found = new Set<string>()
  for (const match of mail.matchAll(/\bboundary\s*=\s*(?:"([^"\r\n]{1,200})"|([^\s;"]{1,200}))/gi)) {
    found.add(match[1] ?? match[2] ?? "")
    if (found.size >= maxParts) break
  }
  return found
}

/** Returns the position after the empty line that ends the header around `from`. */
function findHeadEnd(mail: string, from: number): number {
  const emptyLine = /\n\r?\n/g
  emptyLine.lastIndex = from
  return emptyLine.exec(mail) ? emptyLine.lastIndex : mail.length
}

/** Returns the start of the header lines around `position`: after an empty line or a boundary. */
function findHeadStart(mail: string, position: number): number {
  let start = mail.lastIndexOf("\n", position - 1) + 1
  while (start > 0) {
    const before = mail.lastIndexOf("\n", start - 2) + 1
    const line = mail.slice(before, start).trim()
    if (line === "" || line.startsWith("--")) break
    start = before
  }
  return start
}

function findPartEnd(mail: string, start: number, boundaries: ReadonlySet<string>): number {
  for (let at = mail.indexOf("\n--", start - 1); at >= 0; at = mail.indexOf("\n--", at + 1)) {
    const lineEnd = mail.indexOf("\n", at + 1)
    const line = mail.slice(at + 3, lineEnd < 0 ? mail.length : lineEnd).trimEnd()
    if (boundaries.has(line) || (line.endsWith("--") && boundaries.has(line.slice(0, -2)))) return at + 1
  }
  return mail.length
}
