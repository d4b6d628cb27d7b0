/** An area of an image, in pixels from the top left. */
export interface Area {
  left: number
  top: number
  width: number
  height: number
}

/** A paragraph found in an image. */
export interface RecognisedParagraph {
  text: string
  /** In pixels of the image. */
  area: Area | undefined
}

/** Finds the text in an image. */
export interface TextRecognizer {
  /**
   * Returns paragraphs in reading order, or none if nothing is legible. Throws `ParseFailure` when the image can't be decoded or takes too
   * long.
   *
   * @param image the bytes of a PNG, JPEG, GIF, WebP or PGM file
   */
  recognize(image: Uint8Array): Promise<RecognisedParagraph[]>
}

/** Reading can't continue without OCR, which wasn't allowed. */
export class OcrNeeded extends Error {
  override readonly name = "OcrNeeded"

  constructor() {
    super("This document holds pictures of text.")
  }
}
