import { PhotonImage, resize, SamplingFilter } from "@silvia-odwyer/photon-node"
import { imageSize } from "image-size"
import { type ColourImage, encodePng } from "../pages/encode-png.ts"
import { failure } from "../parser.ts"
import { exifOrientation, isAnimated, drawnChunks, isWholeWebp } from "./picture-metadata.ts"

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
