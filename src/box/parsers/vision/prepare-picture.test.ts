import { deflateSync } from "node:zlib"
import { expect, it, test } from "vitest"
import {
  animatedPng,
  gifBytes,
  jpegBytes,
  pngBytes,
  pngClaiming,
  profiledPng,
  quarteredPicture,
  quartersIn,
  turnedPng,
  turnedWebp,
  webpBytes,
} from "../testing/picture-bytes.ts"
import { ParseFailure } from "../parser.ts"
import { preparePicture } from "./prepare-picture.ts"

const secret = "N45.4642-E9.1900"
const upright = ["red", "green", "grey", "blue"]

/** Decoders return an image even for its first part. */
const lossyWebp = Buffer.from(
  "UklGRgQBAABXRUJQVlA4IPgAAACQCACdASowACAAP7XM1GY9NCqnOrzIA6A2iWwAnTLLRBLEWqs9Xzwtj0OX7gOjwNM/+t5AoM+bINxu6gDZYnBhUR1j5i2hlOmr13SmAAD+5smGuhnmxOsLBnD0ietfc7MZM8r8GSUTuuTRBg91SLyJR90QfcPu08lwLHjfahORjDV87yDe2za/kg83m8zWFrNIpaHQ7v/X6UE97fFE90cekPxzWkFDLCyOv6LnrWjJzIDXw4dD52R+xQMlXCXsCQ+02AZ8VMA4mptTCXIcGcDn0OdGtcep88m5rp2lg7l5AfV3xoXnUM70cFj646tmtY2pEWwBH4AAAA==",
  "base64",
)

function getReason(file: Uint8Array): string {
  try {
    preparePicture(file)
  } catch (error) {
    if (error instanceof ParseFailure) return error.reason.code
    throw error
  }
  return "none"
}

// Catches an image that reveals where, when or with which device it was taken, in any format that can contain this.
test.each([
  ["JPEG", jpegBytes(quarteredPicture(64, 48), secret)],
  ["PNG", pngBytes(quarteredPicture(64, 48), secret)],
  ["GIF", gifBytes(1, secret)],
])("keeps only the visible content of a %s", (_, file) => {
  expect(file.includes(secret)).toBe(true)
  const { bytes } = preparePicture(file)
  expect(Buffer.from(bytes).includes(secret)).toBe(false)
  expect(Buffer.from(bytes).includes("Exif")).toBe(false)
})

// Catches phone images that models see rotated or mirrored.
test.each([
  [1, upright],
  [2, ["green", "red", "blue", "grey"]],
  [3, ["grey", "blue", "red", "green"]],
  [4, ["blue", "grey", "green", "red"]],
  [5, ["red", "blue", "grey", "green"]],
  [6, ["blue", "red", "green", "grey"]],
  [7, ["grey", "green", "red", "blue"]],
  [8, ["green", "grey", "blue", "red"]],
  [0, upright],
  [9, upright],
])("applies orientation %i", (orientation, shown) => {
  const made = preparePicture(jpegBytes(quarteredPicture(64, 48), "", orientation))
  expect(quartersIn(made.bytes)).toEqual(shown)
  const size = { width: made.width, height: made.height }
  expect(size).toEqual(
    orientation >= 5 && orientation <= 8 ? { width: 48, height: 64 } : { width: 64, height: 48 },
  )
})

test.each([
  ["PNG", turnedPng],
  ["WebP", turnedWebp],
])("applies the orientation of a %s", (_, turned) => {
  const made = preparePicture(turned(quarteredPicture(64, 48), 6))
  expect(quartersIn(made.bytes)).toEqual(["blue", "red", "green", "grey"])
  expect(made).toMatchObject({ width: 48, height: 64 })
})

// Catches a megabyte that decompresses to a gigabyte, although none of it is drawn.
test("doesn't decompress colour profiles and texts of a PNG", () => {
  const picture = quarteredPicture(64, 48)
  const bomb = profiledPng(picture, deflateSync(Buffer.alloc(300 * 2 ** 20)))
  const before = process.memoryUsage().rss
  expect(quartersIn(preparePicture(bomb).bytes)).toEqual(upright)
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20)
})

it("scales large images down and keeps small ones", () => {
  const large = preparePicture(jpegBytes(quarteredPicture(3_136, 1_000)))
  expect(large).toMatchObject({ mediaType: "image/jpeg", width: 1_568, height: 500 })
  expect(quartersIn(large.bytes)).toEqual(upright)
  expect(preparePicture(pngBytes(quarteredPicture(30, 20)))).toMatchObject({
    mediaType: "image/png",
    width: 30,
  })
  expect(preparePicture(pngBytes(quarteredPicture(9_000, 1)))).toMatchObject({ width: 1_568, height: 1 })
})

// Catches formats that servers don't support, and content hidden by transparency.
it("converts other formats to PNG or JPEG on white", () => {
  const webp = preparePicture(webpBytes(quarteredPicture(40, 40)))
  expect(webp.mediaType).toBe("image/png")
  expect(quartersIn(webp.bytes)).toEqual(upright)
  expect(quartersIn(preparePicture(gifBytes(1)).bytes)[0]).toBe("red")
  const clear = preparePicture(webpBytes(quarteredPicture(40, 40, 0)))
  expect(quartersIn(clear.bytes)).toEqual([undefined, undefined, undefined, undefined])
})

// Catches a small file that takes gigabytes or hours to decompress, and one that is read as another type.
test.each([
  ["picture_too_many_pixels_to_see", pngClaiming(60_000, 60_000)],
  ["picture_undecodable", jpegBytes(quarteredPicture(640, 480)).subarray(0, 2_000)],
  ["picture_undecodable", pngClaiming(400, 400)],
  ["picture_undecodable", lossyWebp.subarray(0, -40)],
  ["picture_animated", gifBytes(3)],
  ["picture_animated", animatedPng(quarteredPicture(8, 8))],
  ["picture_type_unseen", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>")],
  ["picture_type_unseen", Buffer.from("%PDF-1.7 and so on")],
  ["picture_type_unseen", Buffer.alloc(0)],
  ["picture_undecodable", Buffer.concat([gifBytes(1).subarray(0, 20)])],
])("refuses with %s", (code, file) => {
  expect(getReason(file)).toBe(code)
})
