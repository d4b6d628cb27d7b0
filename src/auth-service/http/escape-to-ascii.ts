const hexDigits = Buffer.from("0123456789abcdef")
const [backslash, u] = [0x5c, 0x75]

/**
 * Converts JSON in valid UTF-8 to ASCII, with other characters as `\\uXXXX` escapes. JavaScript uses two bytes per character for text with
 * a single emoji, but one for ASCII, which saves 20 MB for the largest ticket.
 */
export function escapeToAscii(utf8: Uint8Array): ArrayBuffer {
  const size = asciiLength(utf8)
  const memory = new ArrayBuffer(size, { maxByteLength: size })
  const ascii = new Uint8Array(memory)
  let length = 0
  const escape = (unit: number) => {
    ascii[length++] = backslash
    ascii[length++] = u
    for (let shift = 12; shift >= 0; shift -= 4) ascii[length++] = hexDigits[(unit >> shift) & 0xf] ?? 0
  }
  const tail = (index: number) => (utf8[index] ?? 0) & 0x3f
  for (let index = 0; index < utf8.length; index++) {
    const byte = utf8[index] ?? 0
    if (byte < 0x80) ascii[length++] = byte
    else if (byte < 0xe0) escape(((byte & 0x1f) << 6) | tail(++index))
    else if (byte < 0xf0) escape(((byte & 0x0f) << 12) | (tail(++index) << 6) | tail(++index))
    else {
      const high = ((byte & 0x07) << 18) | (tail(++index) << 12)
      const point = (high | (tail(++index) << 6) | tail(++index)) - 0x10000
      escape(0xd800 | (point >> 10))
      escape(0xdc00 | (point & 0x3ff))
    }
  }
  return memory
}

/** A character of two or three bytes becomes one escape; one of four bytes becomes two. */
function asciiLength(utf8: Uint8Array): number {
  let length = 0
  for (let index = 0; index < utf8.length; index++) {
    const byte = utf8[index] ?? 0
    length += byte < 0x80 ? 1 : byte < 0xc0 ? 0 : byte < 0xf0 ? 6 : 12
  }
  return length
}
