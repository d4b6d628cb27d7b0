import { ticketLimits } from "../../../shared/contract/support.ts"

/** A part of an image to black out, as fractions of its width and height. */
export interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** An image, and its parts to black out. */
export interface Picture {
  dataUrl: string
  boxes: Box[]
}

/** Wider screenshots are scaled down. Text stays readable, and a ticket stays within 4 million characters. */
const widest = 1920

async function draw(source: string | Blob): Promise<HTMLCanvasElement> {
  const blob = typeof source === "string" ? getBlob(source) : source
  const bitmap = await createImageBitmap(blob)
  const scale = Math.min(1, widest / Math.max(bitmap.width, bitmap.height))
  const canvas = document.createElement("canvas")
  canvas.width = Math.max(1, Math.round(bitmap.width * scale))
  canvas.height = Math.max(1, Math.round(bitmap.height * scale))
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  return canvas
}

/** The page's policy allows fetching from the box only, and not even data URLs. */
function getBlob(dataUrl: string): Blob {
  const [head = "", data = ""] = dataUrl.split(",", 2)
  const type = /^data:([^;]*)/.exec(head)?.[1] ?? ""
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
  return new Blob([bytes], { type })
}

/** Encodes as PNG, or as JPEG of decreasing size until it fits. */
function encode(canvas: HTMLCanvasElement): string {
  const png = canvas.toDataURL("image/png")
  if (png.length <= ticketLimits.screenshot) return png
  for (const quality of [0.9, 0.75, 0.5]) {
    const jpeg = canvas.toDataURL("image/jpeg", quality)
    if (jpeg.length <= ticketLimits.screenshot) return jpeg
  }
  return canvas.toDataURL("image/jpeg", 0.2)
}

/** Reads an image of any size and format that the browser supports; throws if it isn't an image. */
export async function readPicture(source: string | Blob): Promise<Picture> {
  return { dataUrl: encode(await draw(source)), boxes: [] }
}

/** Returns the image to send. Black parts have no other pixels beneath them. */
export async function flatten({ dataUrl, boxes }: Picture): Promise<string> {
  if (boxes.length === 0) return dataUrl
  const canvas = await draw(dataUrl)
  const context = canvas.getContext("2d")
  if (!context) throw new Error("No canvas")
  context.fillStyle = "#000000"
  for (const { x, y, width, height } of boxes) {
    context.fillRect(
      Math.floor(x * canvas.width),
      Math.floor(y * canvas.height),
      Math.ceil(width * canvas.width) + 1,
      Math.ceil(height * canvas.height) + 1,
    )
  }
  return encode(canvas)
}

/** Captures a window or screen that the user picks; null if they don't. */
export async function recordScreen(): Promise<Picture | null> {
  const stream = await navigator.mediaDevices.getDisplayMedia({ video: true }).catch(() => null)
  if (!stream) return null
  try {
    const video = document.createElement("video")
    video.srcObject = stream
    video.muted = true
    await video.play()
    const canvas = document.createElement("canvas")
    canvas.width = video.videoWidth
    canvas.height = video.videoHeight
    canvas.getContext("2d")?.drawImage(video, 0, 0)
    return await readPicture(canvas.toDataURL("image/png"))
  } finally {
    for (const track of stream.getTracks()) track.stop()
  }
}
