import { t } from "i18next"
import { box, describeError } from "../box.ts"
import { showToast } from "../toasts.ts"

/**
 * Downloads a path of the box through the browser, with a ticket: the browser's request has none of the page's headers, and a fetch by the
 * page would have to fit into memory.
 */
export async function download(path: string): Promise<void> {
  try {
    const link = document.createElement("a")
    link.href = (await box.account.download({ body: { path } })).path
    link.download = ""
    link.click()
  } catch (error) {
    showToast(t("common:downloadFailed", { reason: describeError(error) }), "error")
  }
}

/** Saves text as a browser download. */
export function saveFile(name: string, text: string, mediaType: string): void {
  saveBlob(name, new Blob([text], { type: mediaType }))
}

/** Saves a canvas as a PNG browser download, on its visible background. */
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

/** Saves bytes as a browser download. */
export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

const maxNameLength = 100

/**
 * Makes a file name without extension from a title that every operating system accepts; `otherwise` if nothing in the title can be used.
 */
export function toFileName(title: string, otherwise: string): string {
  const bare = title
    // oxlint-disable-next-line no-control-regex -- they are what has to go
    .replaceAll(/[\u0000-\u001f\u007f<>:"/\\|?*]/g, " ")
    .replaceAll(/\s+/g, " ")
    .slice(0, maxNameLength)
    .toWellFormed()
    .replaceAll(/^[. ]+|[. ]+$/g, "")
  const reserved = /^(con|prn|aux|nul|com\d|lpt\d)$/i.test(bare)
  return bare === "" || reserved ? otherwise : bare
}
