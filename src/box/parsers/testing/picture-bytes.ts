import { PhotonImage } from "@silvia-odwyer/photon-node"
import { crc32 } from "node:zlib"
import { encodePng, type ColourImage } from "../pages/encode-png.ts"

/** Colours of the quarters, clockwise from the top left: red, green, blue and grey. */
export const quarters = {
  red: [220, 30, 30],
  green: [30, 200, 30],
  grey: [128, 128, 128],
  blue: [30, 30, 220],
} as const
export type Quarter = keyof typeof quarters

/** Creates an image whose quarters show how it was rotated. */
export function quarteredPicture(width: number, height: number, opacity = 255): ColourImage {
  const pixels = new Uint8Array(width * height * 4)
  for (let row = 0, at = 0; row < height; row++)
    for (let column = 0; column < width; column++, at += 4) {
      const [left, top] = [column < width / 2, row < height / 2]
      pixels.set([...quarters[top ? (left ? "red" : "green") : left ? "blue" : "grey"], opacity], at)
    }
  return { width, height, pixels }
}

/** Returns the quarters that a JPEG or PNG shows, clockwise from the top left. */
export function quartersIn(file: Uint8Array): (Quarter | undefined)[] {
  const image = PhotonImage.new_from_byteslice(file)
  const [width, height] = [image.get_width(), image.get_height()]
  const pixels = image.get_raw_pixels()
  image.free()
  const at = (x: number, y: number) => {
    const from = (Math.floor(y * height) * width + Math.floor(x * width)) * 4
    return (Object.keys(quarters) as Quarter[]).find((name) =>
      quarters[name].every((value, channel) => Math.abs((pixels[from + channel] ?? 0) - value) < 25),
    )
  }
  return [at(0.25, 0.25), at(0.75, 0.25), at(0.75, 0.75), at(0.25, 0.75)]
}

function encoded({ pixels, width, height }: ColourImage, encode: (image: PhotonImage) => Uint8Array): Buffer {
  const image = new PhotonImage(pixels, width, height)
  try {
    return Buffer.from(encode(image))
  } finally {
    image.free()
  }
}

/** Creates a JPEG that states where and with which device it was taken, in Exif, XMP and a comment, each with the secret. */
export function jpegBytes(picture: ColourImage, secret = "nothing", orientation = 1): Buffer {
  const plain = encoded(picture, (image) => image.get_bytes_jpeg(90))
  const segment = (marker: number, data: Buffer) => {
    const head = Buffer.from([0xff, marker, 0, 0])
    head.writeUInt16BE(data.length + 2, 2)
    return Buffer.concat([head, data])
  }
  return Buffer.concat([
    plain.subarray(0, 2),
    segment(0xe1, Buffer.concat([Buffer.from("Exif\0\0"), exif(orientation, secret)])),
    segment(0xe1, Buffer.from(`http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>${secret}</x:xmpmeta>`)),
    segment(0xfe, Buffer.from(secret)),
    plain.subarray(2),
  ])
}

/** Creates Exif data with orientation, camera, and a separate directory for the location. */
function exif(orientation: number, secret: string): Buffer {
  const text = Buffer.from(`${secret}\0`)
  const entry = (tag: number, type: number, count: number, value: number) => {
    const bytes = Buffer.alloc(12)
    bytes.writeUInt16LE(tag, 0)
    bytes.writeUInt16LE(type, 2)
    bytes.writeUInt32LE(count, 4)
    bytes.writeUInt32LE(value, 8)
    return bytes
  }
  const [ascii, short, long] = [2, 3, 4]
  const [offsets, texts] = [8 + 2 + 3 * 12 + 4, 8 + 2 + 3 * 12 + 4 + 2 + 12 + 4]
  return Buffer.concat([
    Buffer.from("II*\0\x08\0\0\0\x03\0", "latin1"),
    entry(0x0110, ascii, text.length, texts),
    entry(0x0112, short, 1, orientation),
    entry(0x8825, long, 1, offsets),
    Buffer.alloc(4),
    Buffer.from([1, 0]),
    entry(0x001c, ascii, text.length, texts),
    Buffer.alloc(4),
    text,
  ])
}

export const webpBytes = (picture: ColourImage): Buffer => encoded(picture, (image) => image.get_bytes_webp())

/** Creates a PNG with the secret in a text chunk. */
export function pngBytes(picture: ColourImage, secret = "nothing"): Buffer {
  const png = encodePng(picture, "rgba")
  return insertChunk(png, "tEXt", Buffer.from(`Location\0${secret}`))
}

/** Creates a PNG or WebP with an Exif orientation. */
export const turnedPng = (picture: ColourImage, orientation: number): Buffer =>
  insertChunk(encodePng(picture, "rgba"), "eXIf", exif(orientation, "nothing"))

export function turnedWebp(picture: ColourImage, orientation: number): Buffer {
  const plain = webpBytes(picture)
  const data = exif(orientation, "nothing")
  const head = Buffer.alloc(8)
  head.write("EXIF")
  head.writeUInt32LE(data.length, 4)
  const webp = Buffer.concat([plain, head, data, Buffer.alloc(data.length % 2)])
  webp.writeUInt32LE(webp.length - 8, 4)
  return webp
}

/** Creates a PNG with a colour profile. */
export const profiledPng = (picture: ColourImage, profile: Buffer): Buffer =>
  insertChunk(encodePng(picture, "rgba"), "iCCP", Buffer.concat([Buffer.from("p\0\0"), profile]))

/** Creates a PNG that is marked as animated. */
export const animatedPng = (picture: ColourImage): Buffer =>
  insertChunk(encodePng(picture, "rgba"), "acTL", Buffer.alloc(8))

/** Creates a PNG whose header claims a size that its few pixels don't have. */
export function pngClaiming(width: number, height: number): Buffer {
  const png = encodePng(quarteredPicture(4, 4), "rgba")
  png.writeUInt32BE(width, 16)
  png.writeUInt32BE(height, 20)
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29)
  return png
}

/** Inserts a chunk after the header. */
function insertChunk(png: Buffer, type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const chunk = Buffer.alloc(body.length + 8)
  chunk.writeUInt32BE(data.length, 0)
  body.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(body), body.length + 4)
  return Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)])
}

/** Creates a GIF with one colour per frame, 4 by 4 pixels, and the secret in a comment. */
export function gifBytes(frames: number, secret = "nothing"): Buffer {
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 4, 0, 4, 0, 0, 2])
  // Codes of three bits: clear, one per pixel with a clear after every two, end.
  const codes = packCodes([4, ...Array.from({ length: 8 }, () => [1, 1, 4]).flat(), 5])
  return Buffer.concat([
    Buffer.from("GIF89a"),
    Buffer.from([4, 0, 4, 0, 0x80, 0, 0, 255, 255, 255, 220, 30, 30]),
    Buffer.from([0x21, 0xfe, secret.length, ...Buffer.from(secret), 0]),
    ...Array.from({ length: frames }, () => Buffer.from([...frame, ...codes, 0])),
    Buffer.from([0x3b]),
  ])
}

function packCodes(codes: readonly number[]): number[] {
  const bits = codes.flatMap((code) => [code & 1, (code >> 1) & 1, (code >> 2) & 1])
  const bytes: number[] = []
  for (let at = 0; at < bits.length; at += 8)
    bytes.push(bits.slice(at, at + 8).reduce((byte, bit, index) => byte | (bit << index), 0))
  return [bytes.length, ...bytes]
}
