/**
 * Messages of children as bytes: the length of a JSON text, the text, and after it the byte arrays of the message. Node's own
 * format makes gigabytes of a few hundred bytes, such as arrays that are empty and long; what JSON makes is bounded by its
 * length.
 */

/** Where a byte array belongs in the message, where null stands meanwhile. */
export interface BytesPlace {
  path: (string | number)[]
  kind: "Uint8Array" | "Float32Array"
  /** Bytes. */
  length: number
}

export function encodeMessage(message: unknown): Uint8Array {
  const places: BytesPlace[] = []
  const found: (Uint8Array | Float32Array)[] = []
  function withoutBytes(value: unknown, path: (string | number)[]): unknown {
    if (value instanceof Uint8Array || value instanceof Float32Array) {
      const kind = value instanceof Float32Array ? "Float32Array" : "Uint8Array"
      places.push({ path, kind, length: value.byteLength })
      found.push(value)
      return null
    }
    if (Array.isArray(value)) return value.map((each, index) => withoutBytes(each, [...path, index]))
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, withoutBytes(each, [...path, key])]),
    )
  }
  const text = Buffer.from(JSON.stringify({ message: withoutBytes(message, []), places }))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(text.length)
  const parts = found.map(
    ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  )
  return new Uint8Array(Buffer.concat([length, text, ...parts]))
}
