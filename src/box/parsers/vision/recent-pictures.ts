import type { PreparedPicture } from "./prepare-picture.ts"

/** Maximum bytes of images kept, and how long after the last use of any image, in ms. */
const most = { bytes: 16 * 2 ** 20, idleMs: 10 * 60_000 }

/** Caches recently prepared images, because a chat sends the images of its earlier messages again with each question. */
export function createRecentPictures() {
  const pictures = new Map<string, PreparedPicture>()
  let bytes = 0
  let ending: NodeJS.Timeout | undefined

  function keep(key: string, picture: PreparedPicture): void {
    pictures.delete(key)
    pictures.set(key, picture)
    clearTimeout(ending)
    ending = setTimeout(() => {
      pictures.clear()
      bytes = 0
    }, most.idleMs).unref()
  }

  return {
    get(key: string): PreparedPicture | undefined {
      const known = pictures.get(key)
      if (known) keep(key, known)
      return known
    },
    add(key: string, picture: PreparedPicture): void {
      if (!pictures.has(key)) bytes += picture.bytes.byteLength
      keep(key, picture)
      for (const [oldest, { bytes: room }] of pictures) {
        if (bytes <= most.bytes) break
        pictures.delete(oldest)
        bytes -= room.byteLength
      }
    },
  }
}
