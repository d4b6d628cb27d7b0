/** Hands a text to the browser's downloads. */
export function saveFile(name: string, text: string, mediaType: string): void {
  saveBlob(name, new Blob([text], { type: mediaType }))
}

/** Hands a canvas to the browser's downloads as a PNG, on the background that it is seen on. */
export function saveCanvas(canvas: HTMLCanvasElement, name: string): void {
  const picture = document.createElement("canvas")
  picture.width = canvas.width
  picture.height = canvas.height
  const context = picture.getContext("2d")
  if (!context) return
  context.fillStyle = getComputedStyle(document.documentElement).backgroundColor
  context.fillRect(0, 0, picture.width, picture.height)
  context.drawImage(canvas, 0, 0)
  picture.toBlob((blob) => blob && saveBlob(name, blob), "image/png")
}

/** Hands bytes to the browser's downloads. */
export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
