import type { DocumentFile } from "../document/document-file.ts"

const magic = Buffer.from("d0cf11e0a1b11ae1", "hex")

/** Whether a file is a compound file: a password-protected or older Office document, or an Outlook message. */
export async function isCompoundFile(file: DocumentFile): Promise<boolean> {
  const head = Buffer.alloc(magic.length)
  await file.read(head, 0)
  return head.equals(magic)
}
