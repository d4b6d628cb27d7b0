import { open } from "node:fs/promises"
import { join } from "node:path"
import type { FileReason } from "../../../shared/contract/files.ts"
import { makeTemporaryDirectory, removeTemporaryDirectory } from "../../core/files/temporary-files.ts"
import type { Channel } from "../../http/workers/worker-channel.ts"
import { describeLanguages, prepareLanguages } from "../ocr/languages.ts"
import type { Block, ScannedPages } from "../parser.ts"
import type { DocumentReader } from "../process/document-reader.ts"
import { batchBlocks, batchCharacters, type ParserReply } from "../process/parser-protocol.ts"
import { ReadRequest, unread } from "./messages.ts"

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
  { leaveScans, languages, name, password, scan }: ReadRequest,
): Promise<void> {
  let notes: FileReason[] = []
  let blocks: Block[] = []
  let characters = 0
  let scans: ScannedPages | undefined
  let wanted: Promise<unknown> = Promise.resolve()

  async function sendBatch(done: boolean): Promise<void> {
    await wanted
    const batch: ParserReply = { type: "batch", blocks, done, notes, ...(done && scans && { scans }) }
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
      ...(leaveScans && { onScans: (left: ScannedPages) => void (scans = left) }),
    }
    const input = { path, name, ...(password !== undefined && { password }), ...(scan && { scan }) }
    for await (const block of reader.read(input, options)) {
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
