import { PhotonImage, resize, SamplingFilter } from "@silvia-odwyer/photon-node"
import { imageSize } from "image-size"
import { encodePng, type ColourImage } from "../pages/encode-png.ts"
import { failure } from "../parser.ts"
import { exifOrientation } from "./exif-orientation.ts"
import { isAnimated } from "./is-animated.ts"
import { orientImage } from "./oriented.ts"
import { drawnChunks } from "./png-chunks.ts"
import { isWholeWebp } from "./webp-chunks.ts"

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
