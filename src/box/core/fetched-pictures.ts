import { createHash } from "node:crypto"
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { AppError } from "../../shared/contract/errors.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import type { EgressPurpose } from "../../shared/contract/privacy.ts"
import { partialPrefix } from "./files/durable-file.ts"
import { newId } from "./ids.ts"
import type { SafeFetch } from "./safe-fetch/safe-fetch.ts"
import { makeDirectoryInside } from "./files/path-jail.ts"

export interface Picture {
  mediaType: string
  bytes: Buffer
}

/** Images of senders and assistants at web addresses. Only the box fetches them, and it keeps each for a week. */
export interface FetchedPictures {
  /** Throws `not_found` if it can't be fetched or isn't an image. */
  get(url: string, purpose: PicturePurpose): Promise<Picture>
  /** Deletes the copy of an image that isn't shown any more. */
  forget(url: string): Promise<void>
}

export type PicturePurpose = Extract<EgressPurpose, "sender-picture" | "assistant-picture">

const maxPictureBytes = 512_000
const limitMs = 10_000
const retentionMs = 7 * 24 * 3600_000
const maxKept = 500
/** A failed image isn't requested again for this time, however often a list is drawn. */
const failedMs = 10 * 60_000
const maxFailed = 1_000
const maxConcurrent = 8

export function createFetchedPictures(
  directory: string,
  safe: Pick<SafeFetch, "fetch" | "refusal">,
): FetchedPictures {
  const failed = new Map<string, number>()
  const pendingFetches = new Map<string, Promise<Picture>>()
  const getPath = (url: string) => join(directory, createHash("sha256").update(url).digest("hex"))

  async function kept(url: string): Promise<Picture | null> {
    try {
      const { mtimeMs } = await stat(getPath(url))
      if (Date.now() - mtimeMs > retentionMs) return null
      const bytes = await readFile(getPath(url))
      const mediaType = pictureType(bytes)
      return mediaType === null ? null : { mediaType, bytes }
    } catch {
      return null
    }
  }

  async function keep(url: string, bytes: Buffer): Promise<void> {
    await makeDirectoryInside(dirname(directory), [basename(directory)])
    const partial = join(directory, `${partialPrefix}${newId()}`)
    await writeFile(partial, bytes)
    await rename(partial, getPath(url))
    const names = await readdir(directory)
    if (names.length <= maxKept) return
    const ages = await Promise.all(
      names.map(async (name) => ({
        name,
        mtimeMs: (await stat(join(directory, name)).catch(() => null))?.mtimeMs ?? 0,
      })),
    )
    const oldest = ages.sort((a, b) => a.mtimeMs - b.mtimeMs).slice(0, names.length - maxKept)
    for (const { name } of oldest) await rm(join(directory, name), { force: true })
  }

  async function fetchPicture(url: string, purpose: PicturePurpose): Promise<Picture> {
    const signal = AbortSignal.timeout(limitMs)
    const { status, bytes } = await safe.fetch({
      purpose,
      url,
      signal,
      limitMs,
      maxBytes: maxPictureBytes,
    })
    const mediaType = status === 200 ? pictureType(bytes) : null
    if (mediaType === null) throw new AppError("not_found", sentence("core.no_picture_there"))
    await keep(url, bytes).catch(() => undefined) // if the disk is full, it is fetched again next time
    return { mediaType, bytes }
  }

  return {
    async get(url, purpose) {
      const known = await kept(url)
      if (known) return known
      if (performance.now() - (failed.get(url) ?? -Infinity) < failedMs) throw missing()
      const running = pendingFetches.get(url)
      if (running) return running
      if (pendingFetches.size >= maxConcurrent || safe.refusal()) throw missing()
      const work = fetchPicture(url, purpose)
        .catch((cause: unknown) => {
          if (failed.size >= maxFailed) failed.clear()
          failed.set(url, performance.now())
          throw new AppError("not_found", sentence("core.picture_not_fetched"), { cause })
        })
        .finally(() => pendingFetches.delete(url))
      pendingFetches.set(url, work)
      return work
    },
    async forget(url) {
      failed.delete(url)
      await pendingFetches.get(url)?.catch(() => undefined)
      await rm(getPath(url), { force: true })
    },
  }
}

const missing = () => new AppError("not_found", sentence("core.picture_not_fetched"))

/**
 * Returns the media type of the bytes, whatever the server declares; null for anything but the four supported types, especially for SVG.
 */
function pictureType(bytes: Buffer): string | null {
  const head = bytes.subarray(0, 12).toString("latin1")
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png"
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg"
  if (head.startsWith("GIF87a") || head.startsWith("GIF89a")) return "image/gif"
  if (head.startsWith("RIFF") && head.slice(8) === "WEBP") return "image/webp"
  return null
}
