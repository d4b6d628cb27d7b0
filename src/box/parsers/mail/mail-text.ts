import { Readable } from "node:stream"
import { findBase64Lines, takeDataUris } from "../blobs/base64.ts"
import { InnerDocuments } from "../blobs/inner-documents.ts"
import { htmlBlocks } from "../formats/html.ts"
import { paragraphs } from "../formats/plain-text.ts"
import { ParseFailure, type Block, type ParseContext } from "../parser.ts"
import { FlowOutline } from "../text/flow-outline.ts"

/** Yields the top of a message: its subject as heading, and the header lines that have content. */
export function* mailHead(
  subject: string,
  lines: readonly (readonly [label: string, value: string])[],
): Generator<Block, void, undefined> {
  const outline = new FlowOutline()
  outline.heading(0, subject)
  outline.paragraph(
    lines
      .filter(([, value]) => value)
      .map(([label, value]) => `${label}: ${value}`)
      .join("\n"),
  )
  yield* outline.take()
}

/** Leaves out addresses in Exchange's own directory, which mean nothing to people. */
export function person(name: string, address: string): string {
  if (address === "" || address.startsWith("/") || address === name) return name
  return name === "" ? address : `${name} <${address}>`
}

const maxOffsetMinutes = 14 * 60

/**
 * Writes the time of a message as its sender saw it: `2026-11-20 10:00 +01:00`; in UTC if the offset isn't known.
 *
 * @param header the date as the message states it (RFC 5322)
 */
export function formatMailDate(date: Date, header = ""): string {
  const [, sign = "+", hours = "0", minutes = "0"] =
    /\s([+-])(\d\d)(\d\d)\s*(?:\([^)]*\)\s*)?$/.exec(header) ?? []
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1)
  const isKnown = offset !== 0 && Math.abs(offset) <= maxOffsetMinutes
  const local = new Date(date.getTime() + (isKnown ? offset : 0) * 60_000)
  return `${local.toISOString().slice(0, 16).replace("T", " ")} ${isKnown ? `${sign}${hours}:${minutes}` : "UTC"}`
}

/** Lines before base64 that may contain its file name. They are the headers of an email part. */
const linesOfHead = 12

/** Yields the text of a message that has plain text, HTML or both: its plain text, unless that only stands in for the HTML. */
export async function* mailBody(
  plain: string,
  html: string,
  context: ParseContext,
): AsyncGenerator<Block, void, undefined> {
  if (html !== "" && (plain.trim() === "" || (await isStub(plain, html))))
    yield* markHistory(htmlBlocks([html], context))
  else yield* mailText(plain, context)
}

/** Words of a plain part that sends readers to the HTML. */
const stubWords =
  /\bhtml\b|\bbrowser|\bnavigat(eur|or)|\bnavegador|\bweb[ -]?(version|ansicht|mail)|\bonline\b/i
const maxStubCharacters = 600
/** How much longer the HTML's text is than plain text that leaves something out. */
const minLengthRatio = 2

/** Whether the plain part is a stand-in: a hint to the HTML, or much shorter than its text. */
async function isStub(plain: string, html: string): Promise<boolean> {
  const length = countCharacters(plain)
  const isHint = length <= maxStubCharacters && stubWords.test(plain)
  if (!isHint && html.length < length * minLengthRatio) return false
  let written = 0
  try {
    for await (const { text } of htmlBlocks([html])) written += countCharacters(text)
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error
    return false // The plain text can be read even if the HTML can't.
  }
  return isHint ? written > 0 : written > length * minLengthRatio
}

/** Returns the number of letters and digits outside of links, which only plain text spells out. */
const countCharacters = (text: string): number =>
  text.replaceAll(/\b(https?:\/\/|www\.)\S+/gi, "").replaceAll(/[^\p{L}\p{N}]/gu, "").length

/** Yields the plain text of a message, then the documents that it contains as base64, such as those of an email quoted in full. */
export async function* mailText(text: string, context: ParseContext): AsyncGenerator<Block, void, undefined> {
  const documents = new InnerDocuments()
  const { own, history } = splitHistory(removeBase64(text, documents))
  yield* paragraphs(takeDataUris(Readable.from([own]), documents))
  for await (const block of paragraphs(takeDataUris(Readable.from([history]), documents)))
    yield { ...block, kind: "quote" }
  yield* documents.read(context)
}

/** A line above the earlier message that an answer repeats, as Outlook writes it in several languages. */
const historyLine =
  /^\s*-{2,}\s*(original message|messaggio originale|ursprüngliche nachricht|message d'origine|message d’origine|mensaje original|mensagem original)\s*-{2,}\s*$/i
/** The first two lines of the header that Outlook repeats: who sent the earlier message, and when. */
const historySender = /^\s*\*?(from|von|da|de)\s?:\*?\s+\S/i
const historyTime = /^\s*\*?(sent|gesendet|inviato|envoyé|enviado|date|datum|data|fecha)\s?:\*?\s+\S/i
/** "On 5 March 2024, Ada wrote:", which may take several lines. */
const attribution =
  /^(on|am|il|le|el|em|op|den)\b.{5,300}\b(wrote|schrieb|ha scritto|a écrit|escribió|escreveu|schreef|skrev)\b.{0,100}:$/is
const maxSignatureLines = 10

/** Separates what an answer says from the earlier messages that it repeats below. Quotations between its own sentences belong to it. */
export function splitHistory(text: string): { own: string; history: string } {
  const lines = text.split("\n")
  const start = findHistory(lines)
  const own = lines.slice(0, start).join("\n")
  if (own.trim() === "") return { own: text, history: "" } // It is forwarded.
  return { own, history: lines.slice(start).join("\n") }
}

/** Marks the earlier messages that an answer in HTML repeats. */
async function* markHistory(blocks: AsyncIterable<Block>): AsyncGenerator<Block, void, undefined> {
  let hasOwn = false
  let isHistory = false
  for await (const block of blocks) {
    const text = block.text.trim()
    const lines = text.split("\n")
    isHistory ||= hasOwn && (attribution.test(text) || findHeader(lines) >= 0)
    hasOwn ||= text !== ""
    yield isHistory && block.kind === "paragraph" ? { ...block, kind: "quote" } : block
  }
}

const findHeader = (lines: readonly string[]): number =>
  lines.findIndex(
    (line, index) =>
      historyLine.test(line) || (historySender.test(line) && historyTime.test(lines[index + 1] ?? "")),
  )

function findHistory(lines: readonly string[]): number {
  const header = findHeader(lines)
  const end = header < 0 ? lines.length : header
  const quoted = findQuotedEnd(lines.slice(0, end))
  return Math.min(quoted, end)
}

/** Returns where the lines that start with `>` begin at the end of a text, or its length. */
function findQuotedEnd(lines: readonly string[]): number {
  const signature = lines.findLastIndex((line) => /^--\s*$/.test(line))
  let at = signature >= 0 && lines.length - signature <= maxSignatureLines ? signature : lines.length
  let start = lines.length
  for (at--; at >= 0; at--) {
    const line = lines[at]?.trim() ?? ""
    if (line.startsWith(">")) start = at
    else if (line !== "") break
  }
  if (start === lines.length) return start
  for (let count = 1; count <= 3 && at - count + 1 >= 0; count++) {
    const above = lines.slice(at - count + 1, at + 1).map((line) => line.trim())
    if (attribution.test(above.join(" "))) return at - count + 1
  }
  return start
}

function removeBase64(text: string, documents: InnerDocuments): string {
  const lines = text.split(/\r?\n/)
  for (const { start, end } of findBase64Lines(lines)) {
    const head = lines.slice(Math.max(0, start - linesOfHead), start).join("\n")
    const name = /\b(?:file)?name="?([^"\n;]{1,200})/i.exec(head)?.[1]
    documents.add(lines.slice(start, end).join(""), name === undefined ? {} : { name })
    lines.fill("", start, end)
  }
  return lines.join("\n")
}
