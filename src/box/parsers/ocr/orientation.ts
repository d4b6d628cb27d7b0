import type { GreyImage } from "./grey-image.ts"
import type { Area } from "./text-recognizer.ts"

/** Number of clockwise 90° rotations of an image. */
export type Rotation = 0 | 1 | 2 | 3

export function rotate({ width, height, pixels }: GreyImage, turn: Rotation): GreyImage {
  const size = turn % 2 === 0 ? { width, height } : { width: height, height: width }
  const result = new Uint8Array(pixels.length)
  // Target index of the top left pixel, and the distances to its right and lower neighbours.
  const [start, right, down] = (
    [
      [0, 1, width],
      [height - 1, height, -1],
      [width * height - 1, -1, -width],
      [height * (width - 1), -height, 1],
    ] as const
  )[turn]
  for (let row = 0, from = 0; row < height; row++) {
    let to = start + row * down
    for (let column = 0; column < width; column++, to += right) result[to] = pixels[from++] ?? 0
  }
  return { ...size, pixels: result }
}

export function crop({ width, pixels }: GreyImage, area: Area): GreyImage {
  const result = new Uint8Array(area.width * area.height)
  for (let row = 0; row < area.height; row++) {
    const from = (area.top + row) * width + area.left
    result.set(pixels.subarray(from, from + area.width), row * area.width)
  }
  return { width: area.width, height: area.height, pixels: result }
}

/** Maps an area of the rotated image to the original image. */
export function toOriginalArea(
  { left, top, width, height }: Area,
  turn: Rotation,
  picture: Pick<GreyImage, "width" | "height">,
): Area {
  const right = picture.width - left - width
  const bottom = picture.height - top - height
  if (turn === 1) return { left: top, top: picture.height - left - width, width: height, height: width }
  if (turn === 2) return { left: right, top: bottom, width, height }
  if (turn === 3) return { left: picture.width - top - height, top: left, width: height, height: width }
  return { left, top, width, height }
}

const sampleLength = 768

/** Returns the middle of an area, large enough to show whether its text is legible. */
export function getMiddle({ left, top, width, height }: Area): Area {
  const [columns, rows] = [Math.min(width, sampleLength), Math.min(height, sampleLength)]
  return {
    left: left + Math.floor((width - columns) / 2),
    top: top + Math.floor((height - rows) / 2),
    width: columns,
    height: rows,
  }
}
