import { imageSize } from "image-size"
import { reasonText } from "../../../shared/contract/file-reasons.ts"
import { createMemoryFile } from "../document/document-file.ts"
import { documentBlocks } from "../document/document-blocks.ts"
import { detectType } from "../document/detect-type.ts"
import { decodePgm } from "../ocr/page-recognition.ts"
import { encodePng } from "../pages/encode-png.ts"
import { failure, type FoundPicture, type OpenedInput, type Parser, type TextRecognizer } from "../parser.ts"

/** Reads the width of a picture, so that a test sees which picture was read. */
const ocr: TextRecognizer = {
  recognize(image) {
    const { width } = decodePgm(image) ?? imageSize(image)
    return Promise.resolve([{ text: `words ${width}`, area: undefined }])
  },
}

/** Creates a picture of this size. */
export const pngOf = (width: number, height = 200): Buffer =>
  encodePng({ width, height, pixels: new Uint8Array(width * height * 4).fill(200) }, "rgba")

export async function parserFor({ file, name }: OpenedInput): Promise<Parser> {
  const detection = await detectType(file, name)
  if ("unsupported" in detection) throw failure("type_unread", { name })
  return detection.format.load()
}

/** Reads a document as the box does: first its text, then its pictures one at a time. */
export async function readWithPictures(
  bytes: Uint8Array,
  name: string,
  {
    wantsPictures = true,
    marksHidden = false,
    password,
  }: { wantsPictures?: boolean; marksHidden?: boolean; password?: string } = {},
) {
  const file = createMemoryFile(bytes)
  const found: FoundPicture[] = []
  const notes: string[] = []
  const texts: string[] = []
  const input = { file, name, marksHidden, ...(password !== undefined && { password }) }
  const options = { parserFor, note: () => undefined }
  const blocks = documentBlocks(input, {
    ...options,
    note: (note) => notes.push(reasonText(note)),
    wantsPictures,
    leaveScans: ({ pictures = [] }) => found.push(...pictures),
  })
  for await (const { text } of blocks) texts.push(text)
  const pictures: unknown[] = []
  for (const { key, inside, location, isHidden } of found) {
    const scan = { page: 1, ...(inside && { inside }), picture: key }
    for await (const { kind, text } of documentBlocks({ ...input, scan }, { ...options, ocr }))
      pictures.push([kind, text, location, ...(isHidden ? ["hidden"] : [])])
  }
  return { texts, pictures, notes }
}
