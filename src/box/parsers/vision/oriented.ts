import type { ColourImage } from "../pages/encode-png.ts"

/**
 * Returns an image rotated and mirrored by its Exif orientation, 1 to 8, on a white background, so that pixels hidden by transparency are
 * removed.
 */
export function orientImage({ width, height, pixels }: ColourImage, orientation: number): ColourImage {
  const liesOnItsSide = orientation >= 5 && orientation <= 8
  const shown = liesOnItsSide ? { width: height, height: width } : { width, height }
  const result = new Uint8Array(pixels.length)
  const [start, right, down] = getSteps(orientation, shown)
  let from = 0
  for (let row = 0; row < height; row++) {
    let to = start + row * down
    for (let column = 0; column < width; column++, from += 4, to += right) {
      const opacity = (pixels[from + 3] ?? 0) / opaque
      for (let channel = 0; channel < 3; channel++)
        result[to * 4 + channel] = opaque + ((pixels[from + channel] ?? 0) - opaque) * opacity
      result[to * 4 + 3] = opaque
    }
  }
  return { ...shown, pixels: result }
}

const opaque = 255

/** Returns the target index of the first pixel, and the distances to its right and lower neighbours. */
function getSteps(orientation: number, { width, height }: { width: number; height: number }) {
  const last = width * height - 1
  switch (orientation) {
    case 2:
      return [width - 1, -1, width] as const
    case 3:
      return [last, -1, -width] as const
    case 4:
      return [last - width + 1, 1, -width] as const
    case 5:
      return [0, width, 1] as const
    case 6:
      return [width - 1, width, -1] as const
    case 7:
      return [last, -width, -1] as const
    case 8:
      return [last - width + 1, -width, 1] as const
    default:
      return [0, 1, width] as const
  }
}
