import { createDecoder, detectEncoding } from "./text-encoding.ts"
import { unicodeEncoding } from "./unicode-encoding.ts"

const declaration = /<meta\b[^>]*\bcharset\s*=\s*["']?\s*([\w.:-]+)/i

/** HTML that is at hand as a whole, in whatever encoding it is. */
export async function decodeText(bytes: Buffer): Promise<string> {
  const declared = declaration.exec(bytes.toString("latin1", 0, 4096))?.[1]
  const decoder = createDecoder(unicodeEncoding(bytes) ?? (await detectEncoding(bytes, declared)))
  return decoder.write(bytes) + decoder.end()
}
