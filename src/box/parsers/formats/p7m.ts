import { extractSignedBytes } from "../cms/signed-bytes.ts"
import { looksLikeCms, unwrapCms } from "../cms/unwrap-cms.ts"
import { looksLikeMail, readMail } from "../mail/read-mail.ts"
import { readWhole } from "../document/document-file.ts"
import { failure } from "../parser.ts"
import type { Parser } from "../parser.ts"

const maxNesting = 5

/** Signed files (CMS, S/MIME). The signed content is read by its own type. Signatures aren't checked. */
export const p7m: Parser = {
  async *parse({ file, name }, context) {
    let document: Buffer | undefined
    let inner = name
    let signed = extractSignedBytes(await readWhole(file))
    for (let depth = 0; looksLikeCms(signed); depth++) {
      if (depth === maxNesting) throw failure("signed_too_often", { count: maxNesting })
      document = unwrapCms(signed)
      inner = inner.replace(/\.(p7m|p7s|pem)$/i, "")
      signed = extractSignedBytes(document)
    }
    if (!document) throw failure("not_signed_or_damaged")
    if (looksLikeMail(document)) yield* readMail(document, context)
    else if (document.length > 0) yield* context.embedded({ name: inner, bytes: document, whole: true })
  },
}
