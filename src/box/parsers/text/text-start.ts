import { unicodeEncoding } from "./unicode-encoding.ts"

/** Control characters that occur in text files: BS, TAB, LF, VT, FF, CR, DOS's end-of-file mark and ESC. */
const textControls = new Set([0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1a, 0x1b])

/** Returns the start of a file as text, accurate enough to recognise ASCII markup in any encoding. */
export async function textStart(head: Buffer): Promise<string> {
  const encoding = unicodeEncoding(head)
  if (!encoding) return head.toString("latin1")
  const { createDecoder } = await import("./text-encoding.ts") // Loaded on demand to keep the box small, because most files don't need it.
  return createDecoder(encoding).write(head)
}

/** Returns the number of characters that don't belong in a text: none in most texts, many in any binary file. */
export function countControls(text: string): number {
  let controls = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if ((code < 0x20 && !textControls.has(code)) || code === 0x7f || code === 0xfffd) controls++
  }
  return controls
}
