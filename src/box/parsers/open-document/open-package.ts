import type { DocumentFile } from "../document/document-file.ts"
import { OfficePackage } from "../office/office-package.ts"
import { failure } from "../parser.ts"
import type { ParseContext } from "../parser.ts"

/** Opens an OpenDocument file. Throws `ParseFailure` when it isn't one or is encrypted (ODF 1.3 part 2, 3.4). */
export async function openDocumentPackage(
  bytes: DocumentFile,
  context: Pick<ParseContext, "note">,
): Promise<OfficePackage> {
  const file = await OfficePackage.open(bytes, context)
  let encrypted = false
  await file.read("META-INF/manifest.xml", {
    open: (name) => (encrypted ||= name === "encryption-data"),
  })
  if (encrypted) throw failure("encrypted")
  if (!file.has("content.xml")) {
    throw failure("not_open_document")
  }
  return file
}
