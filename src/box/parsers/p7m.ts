import { readFile } from "node:fs/promises"
import { reason } from "../../shared/contract/file-reasons.ts"
import { looksLikeMail, mailDocuments } from "./cms/mail-documents.ts"
import { signedBytes } from "./cms/signed-bytes.ts"
import { looksLikeCms, unwrapCms } from "./cms/unwrap-cms.ts"
import { failure, ParseFailure } from "./parser.ts"
import type { Block, ParseContext, Parser } from "./parser.ts"
import { withinHeading } from "./text/within-heading.ts"

const maxNesting = 5

/** Signed files (CMS, S/MIME): what was signed is read as the document that it is. Signatures aren't checked. */
export const p7m: Parser = {
  async *parse({ path, name }, context) {
    let document: Buffer | undefined
    let inner = name
    let signed = signedBytes(await readFile(path))
    for (let depth = 0; looksLikeCms(signed); depth++) {
      if (depth === maxNesting) throw failure("signed_too_often", { count: maxNesting })
      document = unwrapCms(signed)
      inner = inner.replace(/\.(p7m|p7s|pem)$/i, "")
      signed = signedBytes(document)
    }
    if (!document) throw failure("not_signed_or_damaged")
    if (looksLikeMail(document)) yield* readMail(document, context)
    else if (document.length > 0) yield* context.embedded({ name: inner, bytes: document, whole: true })
  },
}

/** A mail is its text and its attachments, and one that can't be read doesn't take the others with it. */
async function* readMail(bytes: Buffer, context: ParseContext): AsyncGenerator<Block, void, undefined> {
  for (const document of await mailDocuments(bytes)) {
    try {
      for await (const block of context.embedded(document)) {
        yield document.name.startsWith("message.") ? block : withinHeading(document.name, block)
      }
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error
      context.note(reason("embedded_left_out", { name: document.name, cause: error.reason }))
    }
  }
}
