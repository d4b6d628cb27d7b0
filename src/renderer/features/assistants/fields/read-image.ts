/** Side of a stored image in pixels. It is shown at half that size at most. */
const side = 192
const maxDataUrlLength = 400_000
/** Larger files aren't opened. */
export const largestImageBytes = 20 * 1024 * 1024

/** Converts an image to a small square data URL, cropped around its centre. Returns null if the file isn't a readable image. */
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
  return url.length <= maxDataUrlLength ? url : null
}
