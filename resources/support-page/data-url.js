// @ts-check
// Data URLs of a ticket come from anyone. They are only ever shown as a raster image or saved as a file.

/**
 * Bytes of a data URL. What can't be decoded is taken as it is written.
 * @param {string} dataUrl
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function getBytes(dataUrl) {
  const comma = dataUrl.indexOf(",")
  const payload = dataUrl.slice(comma + 1)
  try {
    if (/;\s*base64\s*$/i.test(dataUrl.slice(0, comma))) {
      return Uint8Array.from(atob(payload), (character) => character.charCodeAt(0))
    }
    return new TextEncoder().encode(decodeURIComponent(payload))
  } catch {
    return new TextEncoder().encode(payload)
  }
}

/** How the formats begin that are pictures and nothing else; SVG is a document and isn't among them. */
const rasters = {
  "image/png": [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  "image/jpeg": [[0xff, 0xd8, 0xff]],
  "image/gif": [
    [0x47, 0x49, 0x46, 0x38, 0x37, 0x61],
    [0x47, 0x49, 0x46, 0x38, 0x39, 0x61],
  ],
  "image/webp": [[0x52, 0x49, 0x46, 0x46, -1, -1, -1, -1, 0x57, 0x45, 0x42, 0x50]],
}

/**
 * The media type of a raster image by its first bytes, whatever it is declared as; null when it is none.
 * @param {Uint8Array} bytes
 * @returns {string | null}
 */
export function rasterType(bytes) {
  const begins = (/** @type {number[]} */ start) =>
    bytes.length > start.length && start.every((byte, index) => byte === -1 || byte === bytes[index])
  return Object.entries(rasters).find(([, starts]) => starts.some(begins))?.[0] ?? null
}
