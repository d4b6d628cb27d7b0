import { constants } from "node:fs"
import { open, type FileHandle } from "node:fs/promises"
import { join } from "node:path"
import { z } from "zod"
import { type FileReason, ReadAs } from "../../../shared/contract/files.ts"
import { makeTemporaryDirectory, removeTemporaryDirectory } from "../../core/files/temporary-files.ts"
import { WorkerLost, type Channel } from "../../http/workers/worker-channel.ts"
import type { WorkerSlot, Workers } from "../../http/workers/workers.ts"
import { getIdentity } from "../document/opened-document.ts"
import { describeLanguages, prepareLanguages } from "../ocr/languages.ts"
import type { ParserInput, Block, ScannedPages, StatedProperties } from "../parser.ts"
import { hasScans, type DocumentReader, type ReadOptions } from "../process/document-reader.ts"
import { parserReply } from "../process/parser-processes.ts"
import { batchBlocks, batchCharacters, type ParserReply } from "../process/parser-protocol.ts"

/**
 * A document for a standby server to read. The document's bytes follow, then `end`. After each batch except the last, the standby server
 * waits for `next`.
 */
interface ReadRequest extends Pick<ParserInput, "name" | "password" | "scan" | "readAs" | "marksHidden"> {
  type: "read"
  leaveScans: boolean
  wantsPictures?: boolean
  /** OCR languages to use. A box with different languages closes the connection. */
  languages?: string
}
const ReadRequest = z.object({
  type: z.literal("read"),
  name: z.string(),
  password: z.string().optional(),
  scan: z
    .object({ page: z.int(), inside: z.array(z.int()).optional(), picture: z.string().optional() })
    .optional(),
  readAs: ReadAs.optional(),
  marksHidden: z.boolean().optional(),
  leaveScans: z.boolean(),
  wantsPictures: z.boolean().optional(),
  languages: z.string().optional(),
}) as z.ZodType<ReadRequest>

/** The document can't be read there. The active server finds out whether the document or that computer is the cause. */
const unread = { type: "unread" } as const

/** The text read so far, or a message that the document can't be read. */
const ReadReply = z.union([z.object({ type: z.literal(unread.type) }), parserReply])

export const documentEnds = { type: "end" } as const
const nextBatch = { type: "next" } as const

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
  { path: _path, identity: _identity, article: _article, ...input }: ParserInput,
  languages: string | undefined,
  { signal, onNote, onScans, wantsPictures = false, onProperties, onReaders }: ReadOptions,
): AsyncGenerator<Block> {
  const request: ReadRequest = {
    type: "read",
    ...input,
    leaveScans: onScans !== undefined,
    ...(wantsPictures && { wantsPictures }),
    ...(languages !== undefined && { languages }),
  }
  await slot.send(request, signal)
  await sendBytes(slot, file, signal)
  for (;;) {
    const parsed = ReadReply.safeParse(await slot.receive(timeoutMs, signal))
    if (!parsed.success)
      throw new WorkerLost("Another server sent an answer that it wasn't asked for.", { cause: parsed.error })
    const reply = parsed.data
    if (reply.type !== "batch") {
      if (reply.type === "unread") slot.done()
      throw new WorkerLost("Another server couldn't read a document.")
    }
    for (const note of reply.notes) onNote?.(note)
    if (reply.done) slot.done()
    else await slot.send(nextBatch, signal)
    if (reply.scans && hasScans(reply.scans)) onScans?.(reply.scans)
    if (reply.properties) onProperties?.(reply.properties)
    if (reply.readers !== undefined) onReaders?.(reply.readers)
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

/**
 * Reads documents one after another for the active server, until the connection ends or a document needs other OCR languages than those in
 * this directory.
 */
export async function readFor(
  channel: Channel,
  reader: Pick<DocumentReader, "read">,
  ocrLanguages: string,
): Promise<void> {
  for (;;) {
    const request = ReadRequest.parse(await channel.receive())
    if (!(await hasLanguages(ocrLanguages, request))) return
    const directory = makeTemporaryDirectory("read-for-")
    try {
      const path = join(directory, "document")
      await receiveDocument(channel, path)
      await readOne(channel, reader, path, request)
    } finally {
      removeTemporaryDirectory(directory)
    }
  }
}

async function hasLanguages(directory: string, { languages }: ReadRequest): Promise<boolean> {
  if (languages === undefined) return true
  await prepareLanguages(directory)
  return (await describeLanguages(directory)) === languages
}

async function receiveDocument(channel: Channel, path: string): Promise<void> {
  await using file = await open(path, "wx", 0o600)
  for (;;) {
    const message = await channel.receive()
    if (!Buffer.isBuffer(message)) break // The end of the document.
    await file.writeFile(message)
  }
}

async function readOne(
  channel: Channel,
  reader: Pick<DocumentReader, "read">,
  path: string,
  { type: _type, leaveScans, wantsPictures = false, languages, ...input }: ReadRequest,
): Promise<void> {
  let notes: FileReason[] = []
  let blocks: Block[] = []
  let characters = 0
  let scans: ScannedPages | undefined
  let properties: StatedProperties | undefined
  let readers: string | undefined
  let wanted: Promise<unknown> = Promise.resolve()

  async function sendBatch(done: boolean): Promise<void> {
    await wanted
    const batch: ParserReply = {
      type: "batch",
      blocks,
      done,
      notes,
      ...(done && {
        ...(scans && { scans }),
        ...(properties && { properties }),
        ...(readers !== undefined && { readers }),
      }),
    }
    notes = []
    blocks = []
    characters = 0
    await channel.send(batch)
    if (done) return
    wanted = channel.receive()
    wanted.catch(() => undefined) // Code that awaits it receives the error.
  }

  try {
    const options = {
      signal: channel.gone,
      onNote: (note: FileReason) => void notes.push(note),
      ocr: languages !== undefined,
      wantsPictures,
      ...(leaveScans && { onScans: (left: ScannedPages) => void (scans = left) }),
      onProperties: (stated: StatedProperties) => void (properties = stated),
      onReaders: (used: string) => void (readers = used),
    }
    for await (const block of reader.read({ path, ...input }, options)) {
      blocks.push(block)
      characters += block.text.length
      if (characters >= batchCharacters || blocks.length >= batchBlocks) await sendBatch(false)
    }
    await sendBatch(true)
  } catch {
    channel.gone.throwIfAborted()
    await wanted
    await channel.send(unread)
  }
}
