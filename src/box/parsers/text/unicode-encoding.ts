const marks: readonly { encoding: string; bytes: readonly number[] }[] = [
  { encoding: "utf-8", bytes: [0xef, 0xbb, 0xbf] },
  { encoding: "utf-32le", bytes: [0xff, 0xfe, 0, 0] },
  { encoding: "utf-32be", bytes: [0, 0, 0xfe, 0xff] },
  { encoding: "utf-16le", bytes: [0xff, 0xfe] },
  { encoding: "utf-16be", bytes: [0xfe, 0xff] },
]

/** Returns the Unicode encoding indicated by a byte order mark, or by the zero bytes of UTF-16 text without one. */
export function unicodeEncoding(head: Buffer): string | undefined {
  const mark = marks.find(({ bytes }) => bytes.every((byte, index) => head[index] === byte))
  return mark?.encoding ?? unmarkedUtf16(head)
}

/** In UTF-16, Western text has a zero in every second byte. Other scripts have zeros for spaces and line ends. */
function unmarkedUtf16(head: Buffer): string | undefined {
  const sample = head.subarray(0, 4096)
  const zeros = [0, 0]
  for (let index = 0; index < sample.length; index++) {
    if (sample[index] === 0) zeros[index & 1] = (zeros[index & 1] ?? 0) + 1
  }
  const [even = 0, odd = 0] = zeros
  if (sample.length < 4 || even + odd < sample.length / 40) return undefined
  if (odd > 20 * even) return "utf-16le"
  if (even > 20 * odd) return "utf-16be"
  return undefined
}
