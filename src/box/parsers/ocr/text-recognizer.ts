/** An area of a picture, in pixels from the top left. */
export interface Area {
  left: number
  top: number
  width: number
  height: number
}

/** A paragraph found in a picture. */
export interface RecognisedParagraph {
  text: string
  /** In pixels of the picture. */
  area: Area | undefined
}

/** Finds the text in a picture. */
export interface TextRecognizer {
  /**
   * Paragraphs in reading order, none when nothing legible is there.
   * Throws `ParseFailure` when the picture can't be decoded or takes too long.
   *
   * @param image the bytes of a PNG, JPEG, GIF, WebP or PGM file
   */
  recognize(image: Uint8Array): Promise<RecognisedParagraph[]>
}

/** Reading goes no further without OCR, and wasn't allowed to use it. */
export class OcrNeeded extends Error {
  override readonly name = "OcrNeeded"

  constructor() {
    super("This document holds pictures of text.")
  }
}
