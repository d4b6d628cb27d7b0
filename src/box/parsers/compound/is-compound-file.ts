import { open } from "node:fs/promises"

const magic = Buffer.from("d0cf11e0a1b11ae1", "hex")

/** Whether a file is a compound file: a password-protected or older Office document, or an Outlook message. */
export async function isCompoundFile(path: string): Promise<boolean> {
  await using file = await open(path)
  const head = Buffer.alloc(magic.length)
  await file.read(head, 0, head.length, 0)
  return head.equals(magic)
}
