import type { FileTypeResult } from "file-type"
import { reason } from "../../../shared/contract/file-reasons.ts"
import type { FileReason } from "../../../shared/contract/files.ts"
import {
  acceptedFormats,
  getExtension,
  findFormat,
  findFormatByContent,
  findFormatByFileType,
  findFormatByFileName,
  type Format,
  type Pipeline,
} from "../registry.ts"
import { detectionBytes } from "../parser.ts"
import { unicodeEncoding } from "../text/unicode-encoding.ts"
import type { DocumentFile } from "./document-file.ts"

/** Control characters that occur in text files: BS, TAB, LF, VT, FF, CR, DOS's end-of-file mark and ESC. */
const textControls = new Set([0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1a, 0x1b])

/** Returns the start of a file as text, accurate enough to recognise ASCII markup in any encoding. */
async function textStart(head: Buffer): Promise<string> {
  const encoding = unicodeEncoding(head)
  if (!encoding) return head.toString("latin1")
  const { createDecoder } = await import("../text/text-encoding.ts") // Loaded on demand to keep the box small, because most files don't need it.
  return createDecoder(encoding).write(head)
}

/** Returns the number of characters that don't belong in a text: none in most texts, many in any binary file. */
function countControls(text: string): number {
  let controls = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if ((code < 0x20 && !textControls.has(code)) || code === 0x7f || code === 0xfffd) controls++
  }
  return controls
}

/** Characters of text for each run of NULs, at least. Binary data has far fewer. */
const minTextForNuls = 4

/**
 * Whether this is text whose only odd characters are NULs, such as records with fields of a fixed length, lists that NULs separate, or a log
 * that a crash left with a gap.
 */
function isTextWithNuls(start: string): boolean {
  const pieces = start.split(/\0+/)
  if (pieces.length === 1) return false
  const text = pieces.join("")
  const isReadable = text.length >= minTextForNuls * (pieces.length - 1) && /[\p{L}\d]{3}/u.test(text)
  return isReadable && countControls(text) <= text.length / 200
}

/** Loaded with the first binary file, because it takes 10 MB and uploads are checked in the box's own process. */
const fileTypes = () => import("file-type")

export type Detection = { format: Format } | { unsupported: FileReason }

/** Detects the type of a stored file: first by its content, then by the extension of `name` if the content is ambiguous. */
export async function detectType(file: DocumentFile, name: string): Promise<Detection> {
  const head = Buffer.alloc(Math.min(detectionBytes, file.size))
  const length = await file.read(head, 0)
  return decide(head.subarray(0, length), name, async () =>
    (await fileTypes()).fileTypeFromBlob(toBlob(file) as Blob),
  )
}

/** Implements the parts of a blob that `file-type` uses, so that it reads only parts of a file. */
function toBlob(
  file: DocumentFile,
): Pick<Blob, "size" | "type"> & { slice(start: number, end: number): unknown } {
  return {
    size: file.size,
    type: "",
    slice: (start, end) => ({
      async arrayBuffer() {
        const bytes = new Uint8Array(end - start)
        return bytes.buffer.slice(0, await file.read(bytes, start))
      },
    }),
  }
}

/**
 * Detects the type from the first `detectionBytes` of an upload, for a folder with this pipeline. `unsupported` is the reason for the 422.
 */
export async function detectUpload(head: Uint8Array, name: string, pipeline: Pipeline): Promise<Detection> {
  const detection = await decide(Buffer.from(head), name, async () =>
    (await fileTypes()).fileTypeFromBuffer(head),
  )
  if ("unsupported" in detection || acceptedFormats(pipeline).includes(detection.format)) return detection
  return { unsupported: reason("light_only") }
}

async function decide(
  head: Buffer,
  name: string,
  binaryType: () => Promise<FileTypeResult | undefined>,
): Promise<Detection> {
  const extension = getExtension(name)
  const named = findFormatByFileName(name)
  if (head.length === 0 && named?.content === "binary") return { unsupported: reason("empty", { name }) }
  const start = await textStart(head)
  const controls = countControls(start)
  const detectAsText = (): Detection => {
    if (named?.recognises?.(head)) return { format: named }
    const recognised = named ? undefined : findFormatByContent(head)
    if (recognised) return { format: recognised }
    return decideText(start, name, extension, named)
  }
  if (controls === 0) return detectAsText()
  const type = await binaryType()
  if (type) return decideBinary(type, name, named)
  if (named?.name === "pdf" && start.slice(0, 1024).includes("%PDF-")) return { format: named }
  if (named?.recognises?.(head)) return { format: named }
  const recognised = named ? undefined : findFormatByContent(head)
  if (recognised) return { format: recognised }
  if (isTextWithNuls(start)) return detectAsText()
  // A stray control character or broken character doesn't make a text binary.
  if (controls <= 1 + start.length / 200) return detectAsText()
  return { unsupported: reason("type_binary", { name }) }
}

/** Extensions as returned by `file-type`. Its media types don't distinguish programs from archives. */
const programs = new Set(["exe", "elf", "macho", "deb", "rpm", "apk", "jar", "class", "wasm", "crx", "xpi"])
const archives = new Set([
  "zip",
  "7z",
  "rar",
  "tar",
  "gz",
  "tar.gz",
  "bz2",
  "xz",
  "lz",
  "lz4",
  "zst",
  "Z",
  "cab",
  "ar",
  "arj",
  "ace",
  "cpio",
  "lzh",
])

function decideBinary(
  { ext: type, mime }: FileTypeResult,
  name: string,
  named: Format | undefined,
): Detection {
  const known = findFormatByFileType(type)
  if (known) return { format: known }
  // Office files that file-type can't distinguish, and encrypted ones, which are CFB containers.
  if ((type === "zip" || type === "cfb") && named?.containers?.includes(type)) return { format: named }
  const archive = findFormatByFileName("a.zip")
  if (type === "zip" && getExtension(name) === "" && archive) return { format: archive }
  if (programs.has(type)) return { unsupported: reason("type_program", { name }) }
  if (archives.has(type)) return { unsupported: reason("type_archive", { name }) }
  if (/^(audio|video)\//.test(mime)) return { unsupported: reason("type_recording", { name }) }
  return { unsupported: reason("type_foreign", { name, type }) }
}

function decideText(start: string, name: string, extension: string, named: Format | undefined): Detection {
  const opening = start.slice(0, 1024).trimStart()
  if (opening.startsWith("%PDF-")) return toDetection("pdf", name)
  if (opening.startsWith("{\\rtf")) return toDetection("rtf", name)
  if (/^-----BEGIN (PKCS7|CMS)-----/.test(opening)) return toDetection("p7m", name)
  if (/<\?mso-application\s+progid="Word.Document"\?>/.test(opening)) return toDetection("word-xml", name)
  if (named?.content === "text") return { format: named }
  if (named?.content === "either" || extension === "") return toDetection(getMarkup(opening), name)
  if (named) return { unsupported: reason("type_is_text", { name, extension }) }
  return { unsupported: reason("extension_unknown", { extension }) }
}

function toDetection(format: string, name: string): Detection {
  const known = findFormat(format)
  return known ? { format: known } : { unsupported: reason("type_unread", { name }) }
}

function getMarkup(opening: string): string {
  if (/^(<!--.*?-->\s*)*<(!doctype\s+html|html|head|body)\b/is.test(opening)) return "html"
  if (/^<\?xml\b/i.test(opening)) return /<html\b/i.test(opening) ? "html" : "xml"
  return "text"
}
