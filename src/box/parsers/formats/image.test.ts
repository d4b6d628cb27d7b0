import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { image } from "./image.ts"
import { prepareLanguages, readLanguages } from "../ocr/languages.ts"
import { encodePgm } from "../ocr/page-recognition.ts"
import { Tesseract } from "../ocr/tesseract.ts"
import { OcrNeeded, ParseFailure } from "../parser.ts"
import { encodeBmp, encodeTiff, drawPicture, quarterTurn } from "../testing/make-picture.ts"
import { parseBytes } from "../testing/parse-bytes.ts"

let directory: string
let languages: string
let tesseract: Tesseract
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "ocr-"))
  languages = join(directory, "languages")
  await prepareLanguages(languages)
  tesseract = new Tesseract(languages)
})
afterAll(async () => {
  await tesseract[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

const parse = (bytes: Uint8Array) => parseBytes(image, bytes, "picture", tesseract)

describe("text in images", () => {
  // Catches a missing language: "perché" and "città" need Italian.
  test("is found in English and Italian", async () => {
    const { text, notes } = await parse(
      encodeBmp(await drawPicture("The harbour is closed in winter.", "Ecco perché la città è vuota.")),
    )
    expect(text).toBe("The harbour is closed in winter.\nEcco perché la città è vuota.")
    expect(notes).toEqual(["The text of 1 of 1 page was recognised in an image."])
  })

  // Catches rotated scans that are read as noise, clipped, or marked at another location than the text.
  test("is found in rotated images", async () => {
    const upright = await drawPicture(
      "The harbour is closed in winter.",
      "Ships wait in the bay until March.",
    )
    const { areas } = await parse(encodeBmp(upright))
    let { left, top, width, height } = areas[0] ?? { left: 0, top: 0, width: 0, height: 0 }
    for (let turned = quarterTurn(upright), turns = 1; turns < 4; turned = quarterTurn(turned), turns++) {
      const found = await parse(encodeBmp(turned))
      expect(found.text).toContain("Ships wait in the bay until March.")
      ;[left, top, width, height] = [1 - top - height, left, height, width]
      expect(found.areas[0]?.left).toBeCloseTo(left, 1)
      expect(found.areas[0]?.top).toBeCloseTo(top, 1)
      expect(found.areas[0]?.width).toBeCloseTo(width, 1)
    }
  })

  test("is found in TIFF files", async () => {
    const { text, areas } = await parse(encodeTiff(await drawPicture("Stored without compression.")))
    expect(text).toBe("Stored without compression.")
    // Catches marks next to the text, and marks in pixels.
    const [area] = areas
    expect(area?.left).toBeCloseTo(60 / 595, 1)
    expect(area?.top).toBeCloseTo(50 / 842, 1)
    expect(area?.height).toBeLessThan(0.05)
  })

  // Catches noise that is stored as text.
  test("isn't found in patterns", async () => {
    const pixels = new Uint8Array(200 * 200).map((_, at) => (at * 7919) % 251)
    expect((await parse(encodeBmp({ width: 200, height: 200, pixels }))).blocks).toEqual([])
  })

  // Catches text documents that wait for OCR.
  test("is only searched for when OCR is allowed", async () => {
    const { pixels } = await drawPicture("x")
    await expect(parseBytes(image, pixels)).rejects.toBeInstanceOf(OcrNeeded)
  })
})

describe("bad images", () => {
  // Catches a bad image that ends the process or affects the next image. Each fails with a sentence, and OCR continues.
  test("are refused with a reason", async () => {
    const good = encodeBmp(await drawPicture("Still working after that."))
    const tiff = encodeTiff(await drawPicture("x"))
    const bad: Record<string, Buffer> = {
      "a bitmap cut off": good.subarray(0, 2000),
      "a TIFF cut off": tiff.subarray(0, 60),
      "a PNG with nothing after its header": pngHeader(100, 100),
      "a PNG of 20 gigapixels": pngHeader(200_000, 100_000),
      "a bitmap of 2 gigapixels": bitmapHeader(50_000, 40_000),
    }
    for (const [name, bytes] of Object.entries(bad)) {
      const failure = await parse(bytes).catch((error: unknown) => error)
      expect(failure, name).toBeInstanceOf(ParseFailure)
      expect((failure as ParseFailure).message, name).toMatch(/\.$/)
    }
    expect((await parse(good)).text).toBe("Still working after that.")
  })
})

describe("languages", () => {
  // Catches files from Tesseract's own site that are ignored because they aren't compressed.
  test("are those in the directory, with English and Italian first", async () => {
    const own = join(directory, "own")
    await prepareLanguages(own)
    await writeFile(join(own, "deu.traineddata"), "language data")
    await prepareLanguages(own)
    expect(await readdir(own)).toContain("deu.traineddata.gz")
    expect(await readLanguages(own)).toBe("eng+ita+deu")
  })

  // Catches a language that comes back after someone removed it.
  test("stay removed", async () => {
    const own = join(directory, "fewer")
    await prepareLanguages(own)
    await rm(join(own, "ita.traineddata.gz"))
    await prepareLanguages(own)
    expect(await readLanguages(own)).toBe("eng")
  })

  // Catches a reader that waits forever for damaged language files.
  test("that are damaged are named as the cause", async () => {
    const own = join(directory, "damaged")
    await prepareLanguages(own)
    await writeFile(join(own, "ita.traineddata.gz"), "no language data")
    await using broken = new Tesseract(own)
    const picture = encodePgm(await drawPicture("x"))
    await expect(broken.recognize(picture)).rejects.toThrow("ita.traineddata.gz")
  })
})

function pngHeader(width: number, height: number): Buffer {
  const bytes = Buffer.from("89504e470d0a1a0a0000000d49484452000000000000000008000000000000000000", "hex")
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

function bitmapHeader(width: number, height: number): Buffer {
  const bytes = encodeBmp({ width: 1, height: 1, pixels: new Uint8Array(1) })
  bytes.writeInt32LE(width, 18)
  bytes.writeInt32LE(height, 22)
  return bytes
}
