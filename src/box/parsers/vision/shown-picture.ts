import { documentBlocks } from "../document/document-blocks.ts"
import { decodePgm, type GreyImage } from "../ocr/page-recognition.ts"
import { encodePng } from "../pages/encode-png.ts"
import { failure, type OpenedInput, type Parser, type TextRecognizer } from "../parser.ts"
import { preparePicture, type PreparedPicture } from "./prepare-picture.ts"

/** Side above which decoded images are made smaller before they are encoded. Models are sent images of half this size. */
const maxDecodedSide = 3_136

/** Prepares the picture in a document that `input.scan` names for a model. Throws `ParseFailure` if it can't be shown. */
export async function prepareShownPicture(
  input: OpenedInput,
  parserFor: (input: OpenedInput) => Promise<Parser>,
): Promise<PreparedPicture> {
  let found: Uint8Array | undefined
  // Parsers pass the picture on for OCR, in one of the formats of `TextRecognizer`.
  const ocr: TextRecognizer = {
    colourSide: maxDecodedSide,
    recognize(image) {
      found = image
      return Promise.resolve([])
    },
  }
  for await (const _ of documentBlocks(input, { parserFor, note: () => undefined, ocr })) if (found) break
  if (!found) throw failure("picture_damaged")
  const grey = decodePgm(found)
  return preparePicture(grey ? encodeGrey(grey) : found)
}

/** Encodes a grey image as PNG. Leaves out rows and columns of a large one, because each pixel takes many times its size in memory. */
function encodeGrey({ width, height, pixels }: GreyImage): Buffer {
  const step = Math.ceil(Math.max(width, height) / maxDecodedSide)
  const size = { width: Math.ceil(width / step), height: Math.ceil(height / step) }
  const shown = new Uint8Array(size.width * size.height * 4)
  for (let row = 0, to = 0; row < size.height; row++)
    for (let column = 0; column < size.width; column++, to += 4)
      shown.fill(pixels[row * step * width + column * step] ?? 0, to, to + 4)
  return encodePng({ ...size, pixels: shown }, "rgba")
}
