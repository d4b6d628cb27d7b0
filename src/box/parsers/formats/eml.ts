import PostalMime from "postal-mime"
import type { Address, Attachment, Email } from "postal-mime"
import { readWhole } from "../document/document-file.ts"
import { parseMailDate } from "../document/document-properties.ts"
import { noteSkipped } from "../document/left-out-parts.ts"
import { formatMailDate, mailBody, mailHead, person } from "../mail/mail-text.ts"
import { isTnef, readTnef } from "../mail/tnef.ts"
import { repairCharsets } from "../mail/part-charsets.ts"
import { decompressRtf } from "../msg/read-msg.ts"
import {
  failure,
  ParseFailure,
  type Block,
  type Correspondent,
  type ParseContext,
  type Parser,
} from "../parser.ts"
import { findPicture, isDataPicture } from "../pictures/data-pictures.ts"
import { readPicture } from "../pictures/read-picture.ts"
import { withinHeading } from "../text/flow-outline.ts"
import { decodeHtml } from "./html.ts"
import { rtfBlocks } from "./rtf.ts"

/** Whether bytes start with the headers of an email part (RFC 2045). */
export function looksLikeMail(bytes: Buffer): boolean {
  return /^(Content-[\w-]+|MIME-Version):/i.test(bytes.toString("latin1", 0, 64))
}

/** Attached messages are read as documents; otherwise the library would add them to the text, with dates in the American order. */
const parseMail = (bytes: Buffer): Promise<Email> =>
  PostalMime.parse(bytes, { forceRfc822Attachments: true }).catch(() => {
    throw failure("mail_damaged")
  })

/** Reads an email (RFC 5322): its headers, its text, then its attachments. An attachment that can't be read doesn't affect the others. */
export async function* readMail(
  bytes: Uint8Array,
  context: ParseContext,
): AsyncGenerator<Block, void, undefined> {
  const mail = await parseMail(await repairCharsets(Buffer.from(bytes), context))
  context.describe({
    date: parseMailDate(getDateHeader(mail)),
    people: [mail.from ? [mail.from] : [], mail.to, mail.cc, mail.bcc].flatMap(correspondents),
  })
  const subject = mail.subject ?? ""
  yield* mailHead(subject, [
    ["From", people(mail.from && [mail.from])],
    ["To", people(mail.to)],
    ["Cc", people(mail.cc)],
    ["Bcc", people(mail.bcc)],
    ["Date", getDate(mail)],
  ])
  for await (const block of mailBody(mail.text ?? "", mail.html ?? "", context)) {
    const { line: _, ...location } = block.location
    yield withinHeading(subject, { ...block, location })
  }
  for (const [index, attachment] of mail.attachments.entries()) {
    const name =
      attachment.filename ?? (attachment.mimeType === "message/rfc822" ? "message.eml" : "attachment")
    if (isPartOfText(attachment, mail)) {
      const load = () => Promise.resolve(getBytes(attachment))
      const location = subject === "" ? {} : { heading: subject }
      if (context.pictures) yield* context.pictures.see({ key: String(index), location, load })
      continue
    }
    try {
      const document = { name, bytes: getBytes(attachment) }
      if (isTnef(document.bytes)) {
        yield* readWinmail(document.bytes, !mail.text?.trim() && !mail.html, context)
        continue
      }
      for await (const block of context.embedded(document)) yield withinHeading(name, block)
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error
      noteSkipped(context, name, error)
    }
  }
}

/** Yields the text in an image that is displayed in the text of an email: one in its HTML, or an attachment, by its number. */
async function* readMailPicture(
  bytes: Buffer,
  key: string,
  context: ParseContext,
): AsyncGenerator<Block, void, undefined> {
  const mail = await parseMail(bytes)
  const attachment = mail.attachments[Number(key)]
  const picture = isDataPicture(key)
    ? await findPicture([mail.html ?? ""], key)
    : attachment && getBytes(attachment)
  yield* readPicture(picture, context)
}

/** Yields the attachments in a winmail.dat, and its text if the mail has none. */
async function* readWinmail(
  bytes: Buffer,
  needsText: boolean,
  context: ParseContext,
): AsyncGenerator<Block, void, undefined> {
  const { plain, html, compressedRtf, attachments } = readTnef(bytes)
  if (needsText) {
    if (plain.trim() !== "" || html.length > 0) {
      yield* mailBody(plain, html.length > 0 ? await decodeHtml(html) : "", context)
    } else yield* rtfBlocks([decompressRtf(compressedRtf)], context)
  }
  for (const { name, bytes: content } of attachments) {
    try {
      for await (const block of context.embedded({ name, bytes: content })) yield withinHeading(name, block)
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error
      noteSkipped(context, name, error)
    }
  }
}

const getBytes = ({ content }: Attachment): Buffer => Buffer.from(content as ArrayBuffer)

/** Whether an attachment is a signature or an image displayed in the text, which is usually a logo. */
function isPartOfText({ mimeType, contentId }: Attachment, { html }: Email): boolean {
  if (mimeType.endsWith("pkcs7-signature")) return true
  return contentId !== undefined && (html ?? "").includes(`cid:${contentId.replace(/^<|>$/g, "")}`)
}

const correspondents = (addresses: readonly Address[] = []): Correspondent[] =>
  addresses.flatMap((address) => address.group ?? [address]).map(({ name, address }) => ({ name, address }))

const people = (addresses: readonly Address[] = []): string =>
  correspondents(addresses)
    .map(({ name, address }) => person(name, address))
    .join("; ")

const getDateHeader = ({ headers }: Email): string => headers.find(({ key }) => key === "date")?.value ?? ""

/** Returns the header's text if it isn't a valid date. */
function getDate(mail: Email): string {
  const { date = "" } = mail
  const moment = new Date(date)
  return Number.isNaN(moment.getTime()) ? date : formatMailDate(moment, getDateHeader(mail))
}

/** An email as programs save and export it: MIME (RFC 5322). */
export const eml: Parser = {
  async *parse({ file, scan }, context) {
    const bytes = await readWhole(file)
    if (scan?.picture !== undefined) yield* readMailPicture(bytes, scan.picture, context)
    else yield* readMail(bytes, context)
  },
}
