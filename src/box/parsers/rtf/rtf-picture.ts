import { findBitmapInMetafile, toBitmapFile } from "../image/metafile.ts"
import { failure, maxPictureBytes } from "../parser.ts"

/** Control words for the kinds of pictures that are read. Others are drawings. */
const kinds: Record<string, "file" | "bitmap" | "metafile"> = {
  pngblip: "file",
  jpegblip: "file",
  dibitmap: "bitmap",
  wmetafile: "metafile",
}

/** A picture in an RTF file, whose bytes arrive in parts: in hexadecimal digits, or as they are. */
export class RtfPicture {
  #kind: (typeof kinds)[string] | undefined
  readonly #digits: Buffer[] = []
  readonly #bytes: Buffer[] = []
  #length = 0

  /** Reads a control word of its description. */
  describe(word: string): void {
    this.#kind ??= kinds[word]
  }

  addDigits(digits: Buffer): void {
    this.#add(this.#digits, digits, digits.length / 2)
  }

  addBytes(bytes: Buffer): void {
    this.#add(this.#bytes, bytes, bytes.length)
  }

  #add(parts: Buffer[], part: Buffer, length: number): void {
    this.#length += length
    if (this.#length <= maxPictureBytes) parts.push(part)
    else parts.length = 0
  }

  /** Whether it isn't a drawing. */
  get isPicture(): boolean {
    return this.#kind !== undefined && this.#length > 0
  }

  /** Returns its file; undefined for a drawing. Throws `ParseFailure` if it is too large. */
  getFile(): Buffer | undefined {
    if (this.#length > maxPictureBytes) throw failure("picture_too_large")
    const digits = Buffer.concat(this.#digits).toString("latin1").replace(/\s+/g, "")
    const bytes = this.#bytes.length > 0 ? Buffer.concat(this.#bytes) : Buffer.from(digits, "hex")
    if (this.#kind === "bitmap") return toBitmapFile(bytes)
    return this.#kind === "metafile" ? findBitmapInMetafile(bytes) : bytes
  }
}
