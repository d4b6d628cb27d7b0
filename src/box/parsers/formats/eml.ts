import { readWhole } from "../document/document-file.ts"
import { readMail } from "../mail/read-mail.ts"
import type { Parser } from "../parser.ts"

/** An email as programs save and export it: MIME (RFC 5322). */
export const eml: Parser = {
  async *parse({ file }, context) {
    yield* readMail(await readWhole(file), context)
  },
}
