import { expect, it, test } from "vitest"
import {
  animatedPng,
  gifBytes,
  jpegBytes,
  pngBytes,
  pngClaiming,
  quarteredPicture,
  quartersIn,
  webpBytes,
} from "../testing/picture-bytes.ts"
import { ParseFailure } from "../parser.ts"
import { preparePicture } from "./prepare-picture.ts"

const secret = "N45.4642-E9.1900"
const upright = ["red", "green", "grey", "blue"]

function reasonOf(file: Uint8Array): string {
  try {
    preparePicture(file)
  } catch (error) {
    if (error instanceof ParseFailure) return error.reason.code
    throw error
  }
  return "none"
}

// Catches a picture that tells where, when or with what it was taken, in any format that can.
test.each([
  ["JPEG", jpegBytes(quarteredPicture(64, 48), secret)],
  ["PNG", pngBytes(quarteredPicture(64, 48), secret)],
  ["GIF", gifBytes(1, secret)],
])("a %s keeps what it shows and nothing else", (_, file) => {
  expect(file.includes(secret)).toBe(true)
  const { bytes } = preparePicture(file)
  expect(Buffer.from(bytes).includes(secret)).toBe(false)
  expect(Buffer.from(bytes).includes("Exif")).toBe(false)
})

// Catches pictures of telephones that models see on their side, or mirrored.
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
])("orientation %i is applied", (orientation, shown) => {
  const made = preparePicture(jpegBytes(quarteredPicture(64, 48), "", orientation))
  expect(quartersIn(made.bytes)).toEqual(shown)
  const size = { width: made.width, height: made.height }
  expect(size).toEqual(
    orientation >= 5 && orientation <= 8 ? { width: 48, height: 64 } : { width: 64, height: 48 },
  )
})

it("scales large pictures down and leaves small ones", () => {
  const large = preparePicture(jpegBytes(quarteredPicture(3_136, 1_000)))
  expect(large).toMatchObject({ mediaType: "image/jpeg", width: 1_568, height: 500 })
  expect(quartersIn(large.bytes)).toEqual(upright)
  expect(preparePicture(pngBytes(quarteredPicture(30, 20)))).toMatchObject({
    mediaType: "image/png",
    width: 30,
  })
  expect(preparePicture(pngBytes(quarteredPicture(9_000, 1)))).toMatchObject({ width: 1_568, height: 1 })
})

// Catches formats that servers don't know, and what lies under transparent pixels.
it("makes PNG and JPEG of the others, on white", () => {
  const webp = preparePicture(webpBytes(quarteredPicture(40, 40)))
  expect(webp.mediaType).toBe("image/png")
  expect(quartersIn(webp.bytes)).toEqual(upright)
  expect(quartersIn(preparePicture(gifBytes(1)).bytes)[0]).toBe("red")
  const clear = preparePicture(webpBytes(quarteredPicture(40, 40, 0)))
  expect(quartersIn(clear.bytes)).toEqual([undefined, undefined, undefined, undefined])
})

// Catches a small file that takes gigabytes, or hours, to unpack; and one that is read as something else.
test.each([
  ["picture_too_many_pixels_to_see", pngClaiming(60_000, 60_000)],
  ["picture_undecodable", jpegBytes(quarteredPicture(640, 480)).subarray(0, 2_000)],
  ["picture_undecodable", pngClaiming(400, 400)],
  ["picture_animated", gifBytes(3)],
  ["picture_animated", animatedPng(quarteredPicture(8, 8))],
  ["picture_type_unseen", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>")],
  ["picture_type_unseen", Buffer.from("%PDF-1.7 and so on")],
  ["picture_type_unseen", Buffer.alloc(0)],
  ["picture_undecodable", Buffer.concat([gifBytes(1).subarray(0, 20)])],
])("refuses with %s", (code, file) => {
  expect(reasonOf(file)).toBe(code)
})
