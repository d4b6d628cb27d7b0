import type { Location } from "../../../shared/contract/location.ts"
import { takeDataUris, type PictureTaker } from "../blobs/base64.ts"
import type { Block, ParseContext } from "../parser.ts"

/** Whether a picture's key is that of a picture in a `data:` URI. */
export const isDataPicture = (key: string): boolean => key.startsWith("picture-")

/** Maximum length of the base64 of pictures whose elements haven't been read: 64 MB. */
const maxWaitingLength = 2 ** 26

/** The pictures in the `data:` URIs of a text, by their number. */
export class DataPictures {
  /** In the order of the text. */
  readonly #waiting = new Map<string, string>()
  #waitingLength = 0
  #count = 0

  /** Keeps a picture until its element is read, unless there is too much waiting, and returns its key. */
  add(base64: string): string {
    const key = `picture-${++this.#count}`
    if (this.#waitingLength + base64.length > maxWaitingLength) return key
    this.#waiting.set(key, base64)
    this.#waitingLength += base64.length
    return key
  }

  /** Returns a waiting picture. Those before it belong to no element, and aren't kept any longer. */
  #take(wanted: string): string | undefined {
    const base64 = this.#waiting.get(wanted)
    if (base64 === undefined) return undefined
    for (const [key, { length }] of this.#waiting) {
      this.#waiting.delete(key)
      this.#waitingLength -= length
      if (key === wanted) break
    }
    return base64
  }

  async *see(
    key: string,
    location: Location,
    context?: Pick<ParseContext, "pictures">,
  ): AsyncGenerator<Block, void, undefined> {
    const base64 = this.#take(key)
    if (base64 === undefined || !context?.pictures) return
    const load = () => Promise.resolve(Buffer.from(base64, "base64"))
    yield* context.pictures.see({ key, location, load })
  }
}

/**
 * Returns the bytes of the picture in a `data:` URI with this key.
 *
 * @param follows where the text has pictures
 */
export async function findPicture(
  chunks: AsyncIterable<string> | Iterable<string>,
  wanted: string,
  follows?: PictureTaker["follows"],
): Promise<Buffer | undefined> {
  const pictures = new DataPictures()
  let found: Buffer | undefined
  const take = (base64: string) => {
    const key = pictures.add(base64)
    if (key === wanted) found = Buffer.from(base64, "base64")
    return key
  }
  for await (const _ of takeDataUris(chunks, undefined, { take, ...(follows && { follows }) }))
    if (found) break
  return found
}
