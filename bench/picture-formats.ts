import { chromium } from "playwright-core"
import type { GreyImage } from "../src/box/parsers/ocr/page-recognition.ts"
import { encodePng } from "../src/box/parsers/pages/encode-png.ts"
import { encodeBmp, encodeTiff } from "../src/box/parsers/testing/make-picture.ts"
// @ts-expect-error -- plain JavaScript without types: it runs before TypeScript is installed
import { findBrowser } from "../scripts/setup.mjs"

/** The same image in every readable format, by extension. The browser encodes jpg and webp. */
export async function encodeInEveryFormat(picture: GreyImage): Promise<Record<string, Buffer>> {
  const png = encodePng({ ...picture, pixels: inColour(picture.pixels) }, "rgba")
  const executablePath = (findBrowser as () => string | undefined)()
  await using browser = await chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: ["--no-sandbox"],
  })
  const page = await browser.newPage()
  const drawn = async (type: string) => {
    const address = await page.evaluate<string>(`(async () => {
      const image = new Image()
      image.src = "data:image/png;base64,${png.toString("base64")}"
      await image.decode()
      const canvas = document.createElement("canvas")
      canvas.width = image.width
      canvas.height = image.height
      canvas.getContext("2d").drawImage(image, 0, 0)
      return canvas.toDataURL("${type}", 0.9)
    })()`)
    return Buffer.from(address.slice(address.indexOf(",") + 1), "base64")
  }
  return {
    png,
    jpg: await drawn("image/jpeg"),
    gif: encodeGif(picture),
    webp: await drawn("image/webp"),
    bmp: encodeBmp(picture),
    tiff: encodeTiff(picture),
  }
}

function inColour(pixels: Uint8Array): Uint8Array {
  const colours = new Uint8Array(pixels.length * 4)
  for (const [index, grey] of pixels.entries()) colours.set([grey, grey, grey, 255], index * 4)
  return colours
}

const codeBits = 9
const clear = 256
const end = 257
/** Codes stay nine bits long while the decoder's table has at most this many new entries. */
const pixelsPerClear = 250

/** A GIF of 256 greys whose codes are the pixels themselves. */
function encodeGif({ width, height, pixels }: GreyImage): Buffer {
  const codes: number[] = []
  for (const [index, pixel] of pixels.entries()) {
    if (index % pixelsPerClear === 0) codes.push(clear)
    codes.push(pixel)
  }
  const data = packCodes([...codes, end])
  const head = Buffer.alloc(13)
  head.write("GIF89a", "latin1")
  head.writeUInt16LE(width, 6)
  head.writeUInt16LE(height, 8)
  head[10] = 0xf7
  const greys = Buffer.from(Array.from({ length: 256 * 3 }, (_, index) => Math.floor(index / 3)))
  const frame = Buffer.alloc(11)
  frame[0] = 0x2c
  frame.writeUInt16LE(width, 5)
  frame.writeUInt16LE(height, 7)
  frame[10] = codeBits - 1
  const parts: Buffer[] = [head, greys, frame]
  for (let from = 0; from < data.length; from += 255) {
    const part = data.subarray(from, from + 255)
    parts.push(Buffer.from([part.length]), part)
  }
  return Buffer.concat([...parts, Buffer.from([0, 0x3b])])
}

function packCodes(codes: readonly number[]): Buffer {
  const bytes = Buffer.alloc(Math.ceil((codes.length * codeBits) / 8))
  for (const [index, code] of codes.entries()) {
    for (let bit = 0; bit < codeBits; bit++) {
      const at = index * codeBits + bit
      if ((code >> bit) & 1) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (1 << (at & 7))
    }
  }
  return bytes
}
