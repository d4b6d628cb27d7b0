import { ticketLimits } from "../../../shared/contract/support.ts"

/** A part of a picture that is made black; shares of its width and height. */
export interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** A picture, and what of it nobody is to see. */
export interface Picture {
  dataUrl: string
  boxes: Box[]
}

/** Wider screens are scaled down: text stays readable, and a ticket takes no more than 4 million characters. */
const widest = 1920

async function draw(source: string | Blob): Promise<HTMLCanvasElement> {
  const blob = typeof source === "string" ? blobOf(source) : source
  const bitmap = await createImageBitmap(blob)
  const scale = Math.min(1, widest / Math.max(bitmap.width, bitmap.height))
  const canvas = document.createElement("canvas")
  canvas.width = Math.max(1, Math.round(bitmap.width * scale))
  canvas.height = Math.max(1, Math.round(bitmap.height * scale))
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  return canvas
}

/** The page's policy lets nothing be fetched but the box, data URLs neither. */
function blobOf(dataUrl: string): Blob {
  const [head = "", data = ""] = dataUrl.split(",", 2)
  const type = /^data:([^;]*)/.exec(head)?.[1] ?? ""
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
  return new Blob([bytes], { type })
}

/** As PNG, or as ever smaller JPEG until it fits. */
function encode(canvas: HTMLCanvasElement): string {
  const png = canvas.toDataURL("image/png")
  if (png.length <= ticketLimits.screenshot) return png
  for (const quality of [0.9, 0.75, 0.5]) {
    const jpeg = canvas.toDataURL("image/jpeg", quality)
    if (jpeg.length <= ticketLimits.screenshot) return jpeg
  }
  return canvas.toDataURL("image/jpeg", 0.2)
}

/** Takes a picture of any size or kind that the browser reads; throws for what isn't one. */
export async function readPicture(source: string | Blob): Promise<Picture> {
  return { dataUrl: encode(await draw(source)), boxes: [] }
}

/** The picture as it is sent: what is black has no other pixels under it. */
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

/** A picture of a window or screen that the user picks; null when they don't. */
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
