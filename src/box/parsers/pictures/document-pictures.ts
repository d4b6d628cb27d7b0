import { createHash } from "node:crypto"
import { imageSize } from "image-size"
import { reason } from "../../../shared/contract/file-reasons.ts"
import type { FileReason } from "../../../shared/contract/files.ts"
import type { Location } from "../../../shared/contract/location.ts"
import {
  maxPictureBytes,
  maxPictureKey,
  ParseFailure,
  type Block,
  type FoundPicture,
  type PictureCollector,
  type SeenPicture,
} from "../parser.ts"

/** Formats that OCR reads. Drawings, such as EMF and SVG, aren't pictures. */
const formats = new Set(["png", "jpg", "gif", "webp", "bmp", "tiff"])

/** A smaller picture, in pixels, is an icon or a line. */
const minPixels = 100 * 100
const minSide = 32
/** A picture that a file shows more often is a logo or a background. */
const maxUses = 3

/** Maximum bytes of all pictures of a file, at all depths together. */
const maxBytes = 2 ** 28
/** Maximum pictures of a file that are read. */
const maxPictures = 200
/** Maximum pictures of a file that are examined, and the time for that, in ms. The rest of the file takes longer. */
const maxExamined = 5_000
const maxMs = 10_000

interface Seen {
  uses: number
  /** Whether all places at which it was seen are hidden. */
  isHidden: boolean
  picture?: FoundPicture
}

/** The pictures that a file and the documents inside it show. Each is listed once, at its first place. */
export class FilePictures {
  readonly #note: (fileReason: FileReason) => void
  /** By the hashes of their bytes. */
  readonly #seen = new Map<string, Seen>()
  readonly #marked = new Map<Block["picture"], Seen>()
  #examined = 0
  #bytes = 0
  #spentMs = 0
  #leftOut = 0

  /** @param note receives how many pictures are left out */
  constructor(note: (fileReason: FileReason) => void) {
    this.#note = note
  }

  /** Returns the collector for the document with this path inside the file. */
  collectFrom(inside: readonly number[]): PictureCollector {
    const known = new Map<string, Seen | undefined>()
    const [examine, marked] = [(picture: SeenPicture) => this.#examine(picture), this.#marked]
    return {
      see: async function* (picture) {
        const { key, location, area, isHidden = false } = picture
        if (key.length > maxPictureKey) return
        const seen = known.has(key) ? known.get(key) : await examine(picture)
        known.set(key, seen)
        if (!seen) return
        seen.isHidden &&= isHidden
        if (++seen.uses > 1) return
        const mark = { key, inside: [...inside] }
        marked.set(mark, seen)
        yield { kind: "image", text: "", location, ...(area && { area }), picture: mark }
      },
    }
  }

  /** Takes the block of a picture once its location is complete. */
  add({ picture: mark, location, area }: Block): void {
    const seen = this.#marked.get(mark)
    if (!mark || !seen) return
    const { key, inside } = mark
    seen.picture = { key, ...(inside.length > 0 && { inside }), location, ...(area && { area }) }
  }

  /** Returns the pictures to read, numbered in their documents, on their pages, slides and sheets. */
  finish(): FoundPicture[] {
    const found = [...this.#seen.values()].flatMap(({ uses, isHidden, picture }) =>
      picture && uses <= maxUses ? [{ ...picture, ...(isHidden && { isHidden }) }] : [],
    )
    const leftOut = this.#leftOut + Math.max(0, found.length - maxPictures)
    if (leftOut > 0) this.#note(reason("images_left_out", { count: leftOut }))
    const numbers = new Map<string, number>()
    return found.slice(0, maxPictures).map(({ location, ...picture }) => {
      const place = describePlace(picture.inside, location)
      const image = (numbers.get(place) ?? 0) + 1
      numbers.set(place, image)
      return { ...picture, location: { ...location, image } }
    })
  }

  /** Returns what is known of a picture with the same bytes; undefined for a picture that isn't read. */
  async #examine({ size, load }: SeenPicture): Promise<Seen | undefined> {
    if (size && !isLargeEnough(size)) return undefined
    if (++this.#examined > maxExamined || this.#bytes >= maxBytes || this.#spentMs > maxMs) {
      this.#leftOut++
      return undefined
    }
    const started = performance.now()
    try {
      const bytes = await load(Math.min(maxPictureBytes, maxBytes - this.#bytes))
      if (!bytes) return undefined
      this.#bytes += bytes.length
      if (!size && !isLargeEnough(getSize(bytes))) return undefined
      const hash = createHash("sha256").update(bytes).digest("base64")
      const seen = this.#seen.get(hash) ?? { uses: 0, isHidden: true }
      this.#seen.set(hash, seen)
      return seen
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error
      this.#leftOut++
      return undefined
    } finally {
      this.#spentMs += performance.now() - started
    }
  }
}

/** The part of a file in which pictures are numbered. */
const describePlace = (inside: number[] = [], { message, entry, page, slide, sheet }: Location): string =>
  JSON.stringify([inside, message, entry, page, slide, sheet])

const isLargeEnough = ({ width, height }: { width: number; height: number }): boolean =>
  width * height >= minPixels && Math.min(width, height) >= minSide

const unreadable = { width: 0, height: 0 }

/** Returns the size of a picture in a format that OCR reads, from its header. */
function getSize(bytes: Uint8Array): { width: number; height: number } {
  try {
    const { type = "", width, height } = imageSize(bytes)
    return formats.has(type) ? { width, height } : unreadable
  } catch {
    return unreadable
  }
}
