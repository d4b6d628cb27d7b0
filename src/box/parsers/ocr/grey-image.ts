import type { ScannedPage } from "./page-recognition.ts"

/** A picture of one byte for each pixel, row by row from the top, 0 is black. */
export interface GreyImage {
  width: number
  height: number
  pixels: Uint8Array
}

/** As a PGM file, the plainest format that Tesseract reads. */
export function encodePgm({ width, height, pixels }: GreyImage): Uint8Array {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), pixels])
}

/** For OCR, which reads it as it is. */
export const scanned = (picture: GreyImage): ScannedPage => ({
  image: encodePgm(picture),
  width: picture.width,
  height: picture.height,
})
