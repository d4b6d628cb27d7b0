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
