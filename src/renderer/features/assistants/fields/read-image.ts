/** Side of a stored picture in pixels; it is shown at most at half of that. */
const side = 192
const longestDataUrl = 400_000
/** Larger files aren't opened at all. */
export const largestImageBytes = 20 * 1024 * 1024

/** A picture as a small square data URL, cut around its middle. Null when it isn't a picture that can be read. */
export async function readImage(file: File): Promise<string | null> {
  if (file.size > largestImageBytes) return null
  const bitmap = await createImageBitmap(file).catch(() => null)
  if (!bitmap) return null
  const canvas = document.createElement("canvas")
  canvas.width = side
  canvas.height = side
  const context = canvas.getContext("2d")
  const edge = Math.min(bitmap.width, bitmap.height)
  context?.drawImage(
    bitmap,
    (bitmap.width - edge) / 2,
    (bitmap.height - edge) / 2,
    edge,
    edge,
    0,
    0,
    side,
    side,
  )
  bitmap.close()
  const url = canvas.toDataURL("image/webp", 0.9)
  return url.length <= longestDataUrl ? url : null
}
