/** Yields the chunks of a WebP (RFC 9649, 2.3), up to any damage. */
export function* webpChunks(webp: Buffer): Generator<{ name: string; data: Buffer }> {
  let end
  for (let at = 12; at + 8 <= webp.length; at = end + (end % 2)) {
    end = at + 8 + webp.readUInt32LE(at + 4)
    yield { name: webp.toString("latin1", at, at + 4), data: webp.subarray(at + 8, end) }
  }
}

/** Whether the file has all the bytes that its header declares. */
export const isWholeWebp = (webp: Buffer): boolean =>
  webp.length >= 12 && webp.readUInt32LE(4) + 8 <= webp.length
