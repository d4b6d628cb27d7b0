const armour = /-----BEGIN [^-]+-----([^-]*)/
const headBytes = 8192
/** Decodes in parts of this length, because a string can't hold a large file; a multiple of four. */
const partCharacters = 2 ** 22

/** Returns the binary form of a signed file, which may be PEM, base64 or part of an email. */
export function extractSignedBytes(bytes: Buffer): Buffer {
  const head = bytes.toString("latin1", 0, headBytes)
  if (/^(Content-|MIME-)/i.test(head)) {
    const blank = /\r?\n\r?\n/.exec(head)
    const body = bytes.subarray(blank ? blank.index + blank[0].length : 0)
    return /^content-transfer-encoding:\s*base64/im.test(head) ? fromBase64(body) : body
  }
  const begin = armour.exec(head)
  if (begin) {
    const start = begin.index + begin[0].indexOf("-----", 5) + 5
    const end = bytes.indexOf("-----END", start)
    return fromBase64(bytes.subarray(start, end < 0 ? bytes.length : end))
  }
  return bytes[0] !== 0x30 && /^[\w+/=\s]+$/.test(head) ? fromBase64(bytes) : bytes
}

function fromBase64(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  let rest = ""
  for (let at = 0; at < bytes.length; at += partCharacters) {
    const text = rest + bytes.toString("latin1", at, at + partCharacters).replace(/[^\w+/]/g, "")
    const whole = text.length - (text.length % 4)
    parts.push(Buffer.from(text.slice(0, whole), "base64"))
    rest = text.slice(whole)
  }
  parts.push(Buffer.from(rest, "base64"))
  return Buffer.concat(parts)
}
