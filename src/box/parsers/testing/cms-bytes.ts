export const oid = (hex: string): Buffer =>
  Buffer.concat([Buffer.of(6, hex.length / 2), Buffer.from(hex, "hex")])
const data = oid("2a864886f70d010701")
const signed = oid("2a864886f70d010702")

export function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const length = Buffer.alloc(5)
  length.writeUInt8(0x84)
  length.writeUInt32BE(content.length, 1)
  return Buffer.concat([Buffer.of(tag), length, content])
}

/** Encodes a value with an indefinite length. */
export function open(tag: number, ...parts: Buffer[]): Buffer {
  return Buffer.concat([Buffer.of(tag, 0x80), ...parts, Buffer.of(0, 0)])
}

/** Creates a signed message (CMS) with this content, in DER or with indefinite lengths. */
export function signedMessage(content: Buffer | undefined, build = der): Buffer {
  const octets =
    build === der
      ? der(4, content ?? Buffer.alloc(0))
      : open(
          0x24,
          der(4, (content ?? Buffer.alloc(0)).subarray(0, 3)),
          der(4, (content ?? Buffer.alloc(0)).subarray(3)),
        )
  const enclosed = build(0x30, data, ...(content ? [build(0xa0, octets)] : []))
  const body = build(0x30, der(2, Buffer.of(1)), der(0x31), enclosed, der(0x31))
  return build(0x30, signed, build(0xa0, body))
}
