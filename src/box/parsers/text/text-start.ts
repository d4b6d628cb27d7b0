import { unicodeEncoding } from "./unicode-encoding.ts"

/** Control characters that text files do contain: BS, TAB, LF, VT, FF, CR, DOS's end-of-file mark and ESC. */
const textControls = new Set([0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1a, 0x1b])

/** The beginning of a file as text, good enough to recognise ASCII markup in it whatever the encoding. */
export async function textStart(head: Buffer): Promise<string> {
  const encoding = unicodeEncoding(head)
  if (!encoding) return head.toString("latin1")
  const { createDecoder } = await import("./text-encoding.ts") // not needed for most files, and the box stays small
  return createDecoder(encoding).write(head)
}

/** How many characters don't belong into a text: none in most texts, many in any binary file. */
export function countControls(text: string): number {
  let controls = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if ((code < 0x20 && !textControls.has(code)) || code === 0x7f || code === 0xfffd) controls++
  }
  return controls
}
