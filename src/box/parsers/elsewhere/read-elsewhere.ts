import { constants } from "node:fs"
import { open, type FileHandle } from "node:fs/promises"
import type { FileReason } from "../../../shared/contract/files.ts"
import { WorkerLost } from "../../http/workers/worker-channel.ts"
import type { WorkerSlot, Workers } from "../../http/workers/workers.ts"
import { getIdentity } from "../document/opened-document.ts"
import { describeLanguages } from "../ocr/languages.ts"
import type { Block, ParserInput } from "../parser.ts"
import type { DocumentReader, ReadOptions } from "../process/document-reader.ts"
import { documentEnds, nextBatch, ReadReply, type ReadRequest } from "./messages.ts"

/** Number of a document's bytes that are sent at once. */
const chunkBytes = 1 << 18
/** Timeout for the next message, in ms. The other box has its own limits, which are lower. */
const timeoutMs = 60 * 60_000

type Reader = Pick<DocumentReader, "read">

/**
 * Reads documents on a standby server if one has a free slot, otherwise here. If the standby server doesn't finish for any reason, reading
 * continues here. A document can only fail here.
 * @param ocrLanguages directory of language files, which must have the same content there
 */
export function createOffloadingReader(
  here: Reader,
  workers: Pick<Workers, "take">,
  ocrLanguages: string,
): Reader {
  return {
    async *read(input, options = {}) {
      const { ocr = false } = options
      const languages = ocr ? await describeLanguages(ocrLanguages) : undefined
      if (languages === null) return yield* here.read(input, options)
      using slot = workers.take(ocr ? "recognise" : "read")
      await using file = slot && (await openDocument(input))
      if (!slot || !file) {
        slot?.done()
        return yield* here.read(input, options)
      }
      const seen = { blocks: 0, notes: 0 }
      try {
        for await (const block of readAt(slot, file, input, languages, { ...options, onNote: counted })) {
          seen.blocks++
          yield block
        }
        return
      } catch (error) {
        if (!(error instanceof WorkerLost)) throw error
      }
      // Reading here starts again from the beginning and yields the same text.
      let blocks = 0
      let notes = 0
      const onNote = (note: FileReason) => ++notes > seen.notes && options.onNote?.(note)
      for await (const block of here.read(input, { ...options, onNote })) {
        if (++blocks > seen.blocks) yield block
      }

      function counted(note: FileReason): void {
        seen.notes++
        options.onNote?.(note)
      }
    },
  }
}

/** Throws `WorkerLost` if that box didn't finish. */
async function* readAt(
  slot: WorkerSlot,
  file: FileHandle,
  { name, password, scan }: ParserInput,
  languages: string | undefined,
  { signal, onNote, onScans }: ReadOptions,
): AsyncGenerator<Block> {
  const request: ReadRequest = {
    type: "read",
    name,
    ...(password !== undefined && { password }),
    ...(scan && { scan }),
    leaveScans: onScans !== undefined,
    ...(languages !== undefined && { languages }),
  }
  await slot.send(request, signal)
  await sendBytes(slot, file, signal)
  for (;;) {
    const told = ReadReply.safeParse(await slot.receive(timeoutMs, signal))
    if (!told.success) throw new WorkerLost("Another box answered what nobody asked.", { cause: told.error })
    const reply = told.data
    if (reply.type !== "batch") {
      if (reply.type === "unread") slot.done()
      throw new WorkerLost("Another box couldn't read a document.")
    }
    for (const note of reply.notes) onNote?.(note)
    if (reply.done) slot.done()
    else await slot.send(nextBatch, signal)
    if (reply.scans && reply.scans.scans.length > 0) onScans?.(reply.scans)
    yield* reply.blocks
    if (reply.done) return
  }
}

/** Returns null if it isn't the intended file. The local reader then reports what is wrong with it. */
async function openDocument({ path, identity }: ParserInput): Promise<FileHandle | null> {
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)
  const file = await open(path, flags).catch(() => null)
  if (file === null) return null
  const { device, inode } = await getIdentity(file)
  if ((await file.stat()).isFile() && device === identity?.device && inode === identity.inode) return file
  await file.close()
  return null
}

async function sendBytes(slot: WorkerSlot, file: FileHandle, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(chunkBytes) })
    if (bytesRead === 0) break
    await slot.send(buffer.subarray(0, bytesRead), signal)
  }
  await slot.send(documentEnds, signal)
}
