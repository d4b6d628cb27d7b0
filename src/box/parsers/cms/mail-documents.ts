import PostalMime from "postal-mime"
import { failure } from "../parser.ts"
import type { EmbeddedDocument } from "../parser.ts"

/** Whether bytes begin with the headers of a mail part (RFC 2045). */
export function looksLikeMail(bytes: Buffer): boolean {
  return /^(Content-[\w-]+|MIME-Version):/i.test(bytes.toString("latin1", 0, 64))
}

/** The text and the attachments of a signed mail. */
export async function mailDocuments(bytes: Buffer): Promise<EmbeddedDocument[]> {
  const mail = await PostalMime.parse(bytes).catch(() => {
    throw failure("mail_damaged")
  })
  const body = mail.text?.trim()
    ? [{ name: "message.txt", bytes: Buffer.from(mail.text) }]
    : mail.html
      ? [{ name: "message.html", bytes: Buffer.from(mail.html) }]
      : []
  const attachments = mail.attachments
    .filter(({ mimeType }) => !mimeType.endsWith("pkcs7-signature"))
    .map(({ filename, content }) => ({
      name: filename ?? "attachment",
      bytes: Buffer.from(content as ArrayBuffer),
    }))
  return [...body, ...attachments]
}
