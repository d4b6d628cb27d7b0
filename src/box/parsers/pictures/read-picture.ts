import { failure, OcrNeeded, type Block, type ParseContext } from "../parser.ts"

/** Noise that OCR finds in photos has no words of three letters. */
const word = /[\p{L}\p{N}]{3}|\p{Lo}/u

/**
 * Yields the text in a picture of a document.
 *
 * @param image a format that Tesseract decodes
 */
export async function* recognisePicture(
  image: Uint8Array,
  { ocr }: Pick<ParseContext, "ocr">,
): AsyncGenerator<Block, void, undefined> {
  if (!ocr) throw new OcrNeeded()
  const paragraphs = await ocr.recognize(image)
  if (!paragraphs.some(({ text }) => word.test(text))) return
  for (const { text } of paragraphs) yield { kind: "image", text, location: {} }
}

/** Yields the text in a picture of a document, given by the bytes of its file. Throws `ParseFailure` if they aren't a picture. */
export async function* readPicture(
  bytes: Uint8Array | undefined,
  context: Pick<ParseContext, "ocr">,
): AsyncGenerator<Block, void, undefined> {
  const { readPictures } = await import("../formats/image.ts")
  const [picture] = bytes ? readPictures(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) : []
  if (!picture) throw failure("picture_damaged")
  yield* recognisePicture(picture().image, context)
}
