import { open } from "node:fs/promises"
import { openPromise, type Entry } from "yauzl"
import { splitJson, type JsonElement } from "./split-json.ts"

const maxEntries = 200_000
/** Maximum unpacked size of one export, in bytes. The sizes stated in the archive aren't trusted. */
const maxUnpackedBytes = 8 * 2 ** 30
/** Chats compress to about a tenth. An archive that unpacks to more than this many times its size contains only repetition. */
const maxRatio = 100
const minUnpackedLimit = 64 * 2 ** 20
/** Maximum number of chats and other elements in one export, because each is examined, however small it is. */
export const maxElements = 200_000
const isOfChats = /(^|\/)(conversations(-\d+)?|chat-export[^/]*)\.json$/i

/** The archive unpacks to more than the limit, or can't be read. */
export class BadArchive extends Error {
  override readonly name = "BadArchive"
}

/** The export contains more chats than the limit. */
export class TooManyChats extends Error {
  override readonly name = "TooManyChats"
}

/**
 * Returns the chats of an export, ZIP or JSON, one after another, until it should end. It can also end in the middle of a chat, which may
 * be as long as the whole export. Throws `BadArchive`, `NotJson` or `TooManyChats`.
 *
 * @param pause called between chats, and within data that isn't a chat, so that other imports can continue
 */
export async function* readExport(
  path: string,
  isEnded: () => boolean,
  pause?: () => Promise<void>,
): AsyncGenerator<JsonElement> {
  let count = 0
  for await (const element of readAll(path, isEnded, pause)) {
    if (isEnded()) return
    if (++count > maxElements) throw new TooManyChats()
    yield element
  }
}

async function* readAll(
  path: string,
  isEnded: () => boolean,
  pause: (() => Promise<void>) | undefined,
): AsyncGenerator<JsonElement> {
  await using file = await open(path)
  const head = Buffer.alloc(4)
  await file.read(head, 0, 4, 0)
  if (head.readUInt32LE() === 0x04034b50) yield* readArchive(path, (await file.stat()).size, isEnded, pause)
  else {
    const stream = file.createReadStream({ start: 0, highWaterMark: 2 ** 18, autoClose: false })
    yield* splitJson(until(isEnded, stream), pause)
  }
}

async function* until(isEnded: () => boolean, chunks: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    if (isEnded()) return
    yield chunk as Buffer
  }
}

async function* readArchive(
  path: string,
  size: number,
  isEnded: () => boolean,
  pause: (() => Promise<void>) | undefined,
): AsyncGenerator<JsonElement> {
  const maxUnpacked = Math.min(maxUnpackedBytes, Math.max(minUnpackedLimit, size * maxRatio))
  const zip = await openPromise(path, { autoClose: false, strictFileNames: false }).catch(bad)
  try {
    const entries: Entry[] = []
    const others: Entry[] = []
    let count = 0
    for await (const entry of zip.eachEntry()) {
      if (isEnded()) return
      if (++count > maxEntries) throw new BadArchive()
      if (isOfChats.test(entry.fileName)) entries.push(entry)
      else if (entry.fileName.endsWith(".json") && others.length < 100) others.push(entry)
    }
    const chosen = entries.length > 0 ? entries : others
    if (chosen.length === 0) throw new BadArchive()
    let unpacked = 0
    for (const entry of chosen) {
      if (isEnded()) return
      const stream = await zip.openReadStreamPromise(entry)
      async function* counted() {
        for await (const bytes of until(isEnded, stream)) {
          unpacked += bytes.length
          if (unpacked > maxUnpacked) throw new BadArchive()
          yield bytes
        }
      }
      yield* splitJson(counted(), pause)
    }
  } catch (error) {
    bad(error)
  } finally {
    zip.close()
  }
}

/** The errors of yauzl and zlib don't help users. */
function bad(error: unknown): never {
  if (error instanceof Error && error.name === "NotJson") throw error
  throw new BadArchive("", { cause: error })
}
