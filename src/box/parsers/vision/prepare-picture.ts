import { PhotonImage, resize, SamplingFilter } from "@silvia-odwyer/photon-node"
import { imageSize } from "image-size"
import { type ColourImage, encodePng } from "../pages/encode-png.ts"
import { failure } from "../parser.ts"

interface Chunk {
  name: string
  data: Buffer
  /** The chunk including its length, name and checksum. */
  whole: Buffer
}

const signatureLength = 8
/** Chunks needed to draw an image (PNG, third edition, 11). */
const drawn: ReadonlySet<string> = new Set(["IHDR", "PLTE", "tRNS", "IDAT", "IEND"])

/** Yields the chunks of a PNG, up to any damage. */
function* pngChunks(png: Buffer): Generator<Chunk> {
  let end
  for (let at = signatureLength; at + 12 <= png.length; at = end) {
    const data = at + 8
    end = data + png.readUInt32BE(at) + 4
    const name = png.toString("latin1", at + 4, data)
    yield { name, data: png.subarray(data, end - 4), whole: png.subarray(at, end) }
  }
}

/** Returns the PNG with only the chunks that are drawn, because decoders decompress colour profiles and texts of any size. */
const drawnChunks = (png: Buffer): Buffer =>
  Buffer.concat([
    png.subarray(0, signatureLength),
    ...[...pngChunks(png)].flatMap(({ name, whole }) => (drawn.has(name) ? whole : [])),
  ])

/** Yields the chunks of a WebP (RFC 9649, 2.3), up to any damage. */
function* webpChunks(webp: Buffer): Generator<{ name: string; data: Buffer }> {
  let end
  for (let at = 12; at + 8 <= webp.length; at = end + (end % 2)) {
    end = at + 8 + webp.readUInt32LE(at + 4)
    yield { name: webp.toString("latin1", at, at + 4), data: webp.subarray(at + 8, end) }
  }
}

/** Whether the file has all the bytes that its header declares. */
const isWholeWebp = (webp: Buffer): boolean => webp.length >= 12 && webp.readUInt32LE(4) + 8 <= webp.length

const orientationTag = 0x0112
/** Maximum fields that are checked. The tag is one of the first. */
const maxFields = 200

/** Returns the Exif orientation of a PNG or WebP, 1 to 8; undefined if it has none. */
function exifOrientation(bytes: Buffer, type: string): number | undefined {
  const chunks = type === "png" ? pngChunks(bytes) : type === "webp" ? webpChunks(bytes) : []
  for (const { name, data } of chunks) if (name === "eXIf" || name === "EXIF") return orientationIn(data)
  return undefined
}

/** Returns the orientation in a TIFF's first directory (Exif 2.32, 4.6.4). Some programs write JPEG's header before it. */
function orientationIn(exif: Buffer): number | undefined {
  const tiff = exif.toString("latin1", 0, 6) === "Exif\0\0" ? exif.subarray(6) : exif
  const isLittle = tiff.toString("latin1", 0, 2) === "II"
  const number = (at: number, length: 2 | 4): number => {
    if (at + length > tiff.length) return 0
    return isLittle ? tiff.readUIntLE(at, length) : tiff.readUIntBE(at, length)
  }
  const directory = number(4, 4)
  const fields = Math.min(maxFields, number(directory, 2))
  for (let field = 0; field < fields; field++) {
    const at = directory + 2 + field * 12
    if (number(at, 2) === orientationTag) return number(at + 8, 2)
  }
  return undefined
}

/** Whether a GIF, PNG or WebP contains several frames. */
function isAnimated(bytes: Buffer, type: string): boolean {
  if (type === "gif") return countGifFrames(bytes) > 1
  if (type === "png") return hasAnimationChunk(bytes)
  return type === "webp" && bytes.toString("latin1", 12, 16) === "VP8X" && ((bytes[20] ?? 0) & animated) !== 0
}

/** Flag in a WebP's extended header. */
const animated = 0b10
const imageSeparator = 0x2c
const extensionIntroducer = 0x21

/** Counts the frames of a GIF (89a, 12 to 27), up to two. Stops at any damage. */
function countGifFrames(bytes: Buffer): number {
  const getColourTableSize = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)
  let at = 13 + getColourTableSize(bytes[10] ?? 0)
  let frames = 0
  while (at < bytes.length && frames < 2) {
    if (bytes[at] === imageSeparator) {
      frames++
      at += 11 + getColourTableSize(bytes[at + 9] ?? 0)
    } else if (bytes[at] === extensionIntroducer) at += 2
    else break
    while ((bytes[at] ?? 0) > 0) at += (bytes[at] ?? 0) + 1
    at++
  }
  return frames
}

/** Whether a PNG is animated, which it declares before its first pixels. */
function hasAnimationChunk(bytes: Buffer): boolean {
  for (const { name } of pngChunks(bytes)) {
    if (name === "acTL") return true
    if (name === "IDAT") return false
  }
  return false
}

/**
 * Returns an image rotated and mirrored by its Exif orientation, 1 to 8, on a white background, so that pixels hidden by transparency are
 * removed.
 */
function orientImage({ width, height, pixels }: ColourImage, orientation: number): ColourImage {
  const liesOnItsSide = orientation >= 5 && orientation <= 8
  const shown = liesOnItsSide ? { width: height, height: width } : { width, height }
  const result = new Uint8Array(pixels.length)
  const [start, right, down] = getSteps(orientation, shown)
  let from = 0
  for (let row = 0; row < height; row++) {
    let to = start + row * down
    for (let column = 0; column < width; column++, from += 4, to += right) {
      const opacity = (pixels[from + 3] ?? 0) / opaque
      for (let channel = 0; channel < 3; channel++)
        result[to * 4 + channel] = opaque + ((pixels[from + channel] ?? 0) - opaque) * opacity
      result[to * 4 + 3] = opaque
    }
  }
  return { ...shown, pixels: result }
}

const opaque = 255

/** Returns the target index of the first pixel, and the distances to its right and lower neighbours. */
function getSteps(orientation: number, { width, height }: { width: number; height: number }) {
  const last = width * height - 1
  switch (orientation) {
    case 2:
      return [width - 1, -1, width] as const
    case 3:
      return [last, -1, -width] as const
    case 4:
      return [last - width + 1, 1, -width] as const
    case 5:
      return [0, width, 1] as const
    case 6:
      return [width - 1, width, -1] as const
    case 7:
      return [last, -width, -1] as const
    case 8:
      return [last - width + 1, -width, 1] as const
    default:
      return [0, 1, width] as const
  }
}

/** An image as it is sent to a model. */
export interface PreparedPicture {
  mediaType: "image/png" | "image/jpeg"
  bytes: Uint8Array
  width: number
  height: number
}

/** Names of the formats that are decoded. */
const types: ReadonlySet<string> = new Set(["png", "jpg", "gif", "webp"])
/** Maximum pixels, enough for phone cameras. Decoding takes about 12 bytes per pixel. */
const maxPixels = 50_000_000
/** Maximum side in pixels. Vision models scale larger images down themselves. */
const maxSide = 1_568
/** Maximum size of a PNG, in bytes. Larger images become JPEG. Drawings and screenshots are small as PNG and keep their edges. */
const largestPng = 2 ** 20
const jpegQuality = 88

/**
 * Creates a new image with the visible content: upright, scaled down, and without other information in the file, such as its location.
 * Throws `ParseFailure` for other types, animations, damage, and too many pixels, which are detected from the header.
 */
export function preparePicture(file: Uint8Array): PreparedPicture {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  const { width, height, type = "", orientation = exifOrientation(bytes, type) ?? 1 } = getHeader(bytes)
  if (!types.has(type)) throw failure("picture_type_unseen")
  if (isAnimated(bytes, type)) throw failure("picture_animated")
  const pixels = width * height
  if (pixels > maxPixels) {
    const millions = (count: number): number => Math.round(count / 1e6)
    throw failure("picture_too_many_pixels_to_see", { count: millions(pixels), most: millions(maxPixels) })
  }
  if (type === "webp" && !isWholeWebp(bytes)) throw failure("picture_undecodable")
  const image = decode(type === "png" ? drawnChunks(bytes) : bytes)
  return encode(orientImage(image, orientation), type === "jpg")
}

function getHeader(bytes: Buffer) {
  try {
    return imageSize(bytes)
  } catch {
    throw failure("picture_type_unseen")
  }
}

function decode(bytes: Buffer): ColourImage {
  using stack = new DisposableStack()
  const owned = (image: PhotonImage) => stack.adopt(image, (each) => each.free())
  try {
    let image = owned(PhotonImage.new_from_byteslice(bytes))
    const [width, height] = [image.get_width(), image.get_height()]
    const scale = maxSide / Math.max(width, height)
    const scaled = (side: number) => Math.max(1, Math.round(side * scale))
    if (scale < 1) image = owned(resize(image, scaled(width), scaled(height), SamplingFilter.Triangle))
    return { width: image.get_width(), height: image.get_height(), pixels: image.get_raw_pixels() }
  } catch {
    throw failure("picture_undecodable")
  }
}

function encode(image: ColourImage, isPhotograph: boolean): PreparedPicture {
  const { width, height, pixels } = image
  const png = isPhotograph ? null : encodePng(image, "rgba")
  if (png && png.byteLength <= largestPng) return { mediaType: "image/png", bytes: png, width, height }
  const photograph = new PhotonImage(pixels, width, height)
  try {
    return { mediaType: "image/jpeg", bytes: photograph.get_bytes_jpeg(jpegQuality), width, height }
  } finally {
    photograph.free()
  }
}
