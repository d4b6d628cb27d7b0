import { hash } from "node:crypto"
import { reason } from "../../../shared/contract/file-reasons.ts"
import type { DocumentFile } from "../document/document-file.ts"
import { createTimeCheck, LeftOutParts } from "../document/left-out-parts.ts"
import { failure, isPlausibleDate, ParseFailure, type DocumentProperties, type Parser } from "../parser.ts"
import { eml } from "./eml.ts"

/** Reads mailboxes (RFC 4155 and its variants mboxo, mboxrd and mboxcl), as Thunderbird, Apple Mail and Gmail write them. */
export const mbox: Parser = {
  async *parse({ file }, context) {
    const isTooSlow = createTimeCheck()
    const leftOut = new LeftOutParts(context)
    let number = 0
    let newest: Date | undefined
    const repeated = new RepeatedLines()
    const describe = ({ date, people = [] }: DocumentProperties) => {
      if (date && isPlausibleDate(date.getTime()) && (!newest || date > newest)) newest = date
      context.describe({ people })
    }
    try {
      for await (const range of findMessages(file)) {
        if (isTooSlow()) {
          context.note(reason("messages_not_read", { count: number }))
          break
        }
        const message = ++number
        let isDeleted = false
        const bytes = async (maxBytes: number) => {
          const read = await readMessage(file, range, maxBytes)
          isDeleted = isMarkedDeleted(read)
          return isDeleted ? Buffer.alloc(0) : read
        }
        const name = `${message}.eml`
        try {
          for await (const block of context.embedded({
            name,
            bytes,
            role: "message",
            parser: eml,
            describe,
            note: ({ document, ...fileReason }) =>
              leftOut.add({
                ...fileReason,
                document: document === undefined ? `#${message}` : `#${message}/${document}`,
              }),
          }))
            if (block.kind !== "quote" || !repeated.includes(block.text)) {
              repeated.add(block.text)
              yield { ...block, location: { ...block.location, message } }
            }
        } catch (error) {
          if (!(error instanceof ParseFailure)) throw error
          if (!isDeleted) leftOut.add(reason("message_skipped", { number: message, cause: error.reason }))
        }
      }
    } finally {
      // Reading may end early because the text is too long.
      context.describe({ ...(newest && { date: newest }) })
    }
    leftOut.finish((count) => reason("parts_skipped_more", { count }))
    if (number === 0) throw failure("not_mbox")
  },
}

/** The bytes of a message in the mailbox, without the line that separates it from the previous one. */
interface MessagePlace {
  start: number
  end: number
}

async function* findMessages(file: DocumentFile): AsyncGenerator<MessagePlace, void, undefined> {
  let start: number | undefined
  for await (const { at, next } of findSeparators(file)) {
    if (start !== undefined) yield { start, end: at }
    start = next
  }
  if (start !== undefined) yield { start, end: file.size }
}

interface Separator {
  /** Position of its line. */
  at: number
  /** Position of the next line. */
  next: number
}

const windowBytes = 1 << 20
/** Bytes around a line that are needed to recognise it as a separator. */
const aroundBytes = 2048

/** Yields the lines that separate messages, reading the file once, piece by piece. */
async function* findSeparators(file: DocumentFile): AsyncGenerator<Separator, void, undefined> {
  let haveDates: boolean | undefined
  for (let position = 0; position < file.size; position += windowBytes) {
    const from = Math.max(0, position - aroundBytes)
    const buffer = Buffer.allocUnsafe(position - from + windowBytes + aroundBytes)
    const window = buffer.subarray(0, await file.read(buffer, from))
    const end = position - from + windowBytes
    for (
      let at = window.indexOf("From ", position - from);
      at >= 0 && at < end;
      at = window.indexOf("From ", at + 1)
    ) {
      const before = window.toString("latin1", Math.max(0, at - aroundBytes), at)
      const isFirst = from + at === before.length && before.trim() === ""
      if (!isFirst && !before.endsWith("\n")) continue
      const [line = "", nextLine = ""] = window.toString("latin1", at, at + aroundBytes).split(/\r?\n/, 2)
      if (!isHeaderLine.test(nextLine)) continue
      // If one separator has a date, a line without one is a sentence.
      const hasDate = date.test(line)
      if (!hasDate && (haveDates === true || !(isFirst || /\n\r?\n$/.test(before)))) continue
      haveDates ??= hasDate
      yield { at: from + at, next: from + window.indexOf("\n", at) + 1 }
    }
  }
}

/** A header of the message, or an escaped separator that some programs put above it. */
const isHeaderLine = /^([!-9;-~]+[ \t]*:|>From )/
/** A time and a year, in either order: "From anna@example.org Tue Mar  5 10:00:00 2024". */
const date = /^From .*?(\d{1,2}:\d{2}.*\b(19|20)\d{2}\b|\b(19|20)\d{2}\b.*\d{1,2}:\d{2})/

async function readMessage(
  file: DocumentFile,
  { start, end }: MessagePlace,
  maxBytes: number,
): Promise<Buffer> {
  if (end - start > maxBytes) throw failure("message_too_large")
  const buffer = Buffer.allocUnsafe(end - start)
  const bytes = buffer.subarray(0, await file.read(buffer, start))
  if (!bytes.includes(">From ")) return bytes
  // Lines that would separate messages are escaped. mboxo escapes only these, mboxrd also those that are already escaped.
  return Buffer.from(bytes.toString("latin1").replaceAll(/^>(>*From )/gm, "$1"), "latin1")
}

const expunged = 0x0008

/** Whether Thunderbird deleted the message and hasn't compacted the mailbox since. */
function isMarkedDeleted(message: Buffer): boolean {
  const head = message.toString("latin1", 0, aroundBytes).split(/\r?\n\r?\n/, 1)[0] ?? ""
  const status = /^X-Mozilla-Status:[ \t]*([\da-f]{4})/im.exec(head)?.[1]
  return status !== undefined && (Number.parseInt(status, 16) & expunged) !== 0
}

/** Lines that are kept to recognise them again. */
const maxLines = 1_000_000
const minLetters = 12
/** Share of a quotation's lines that an earlier message must contain. */
const minRepeated = 0.8

/** The lines of the messages so far. */
class RepeatedLines {
  readonly #lines = new Set<string>()

  add(text: string): void {
    for (const line of getLines(text)) if (this.#lines.size < maxLines) this.#lines.add(line)
  }

  /** Whether an earlier message contains the text, or most of it. */
  includes(text: string): boolean {
    const lines = getLines(getQuoted(text))
    const known = lines.filter((line) => this.#lines.has(line)).length
    return lines.length > 0 && known >= lines.length * minRepeated
  }
}

/** Leaves out who wrote an earlier message, and when. */
function getQuoted(text: string): string {
  const lines = text.split("\n")
  const marked = lines.filter((line) => line.trimStart().startsWith(">"))
  return (marked.length > 0 ? marked : lines.filter((line) => !/^[\p{L} *]{2,20}:|^\s*--/u.test(line))).join(
    "\n",
  )
}

/** Returns hashes of the letters of each line, because programs quote and indent them differently. Short lines don't distinguish a text. */
const getLines = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.replaceAll(/[^\p{L}\p{N}]/gu, ""))
    .filter((line) => line.length >= minLetters)
    .map((line) => hash("md5", line, "base64url"))
