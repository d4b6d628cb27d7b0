import { noteSkipped } from "../document/left-out-parts.ts"
import type { CompoundArchive } from "../compound/compound-archive.ts"
import { decodeHtml } from "../formats/html.ts"
import { rtfBlocks } from "../formats/rtf.ts"
import { formatMailDate, mailBody, mailHead, person } from "../mail/mail-text.ts"
import { failure, ParseFailure, type Block, type ParseContext, type WantedScan } from "../parser.ts"
import { findPicture, isDataPicture } from "../pictures/data-pictures.ts"
import { readPicture } from "../pictures/read-picture.ts"
import { withinHeading } from "../text/flow-outline.ts"
import { PropertyStore, getMessageCodePage, property, headerBytes } from "./property-store.ts"

/** The initial content of every dictionary (MS-OXRTFCP 2.1.2.1). */
const initialDictionary =
  "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans " +
  "SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
const dictionaryBytes = 4096
const rtfHeaderBytes = 16
const uncompressed = 0x414c454d

/** Decompresses the RTF body of a message (MS-OXRTFCP). Damaged data is read up to the damage. */
export function decompressRtf(data: Buffer): Buffer {
  if (data.length < rtfHeaderBytes) return Buffer.alloc(0)
  if (data.readUInt32LE(8) === uncompressed) return data.subarray(rtfHeaderBytes)
  const dictionary = Buffer.alloc(dictionaryBytes, 0x20)
  dictionary.write(initialDictionary, "latin1")
  let write = initialDictionary.length
  const output = Buffer.alloc((data.length - rtfHeaderBytes) * 9) // Two bytes represent 17 at most.
  let length = 0
  const put = (byte: number): void => {
    output[length++] = byte
    dictionary[write] = byte
    write = (write + 1) % dictionaryBytes
  }
  let at = rtfHeaderBytes
  while (at < data.length) {
    const control = data[at++] ?? 0
    for (let bit = 0; bit < 8 && at < data.length; bit++) {
      if ((control & (1 << bit)) === 0) {
        put(data[at++] ?? 0)
        continue
      }
      const reference = ((data[at] ?? 0) << 8) | (data[at + 1] ?? 0)
      at += 2
      const offset = reference >>> 4
      if (offset === write) return output.subarray(0, length)
      for (let index = 0; index < (reference & 0xf) + 2; index++) {
        put(dictionary[(offset + index) % dictionaryBytes] ?? 0)
      }
    }
  }
  return output.subarray(0, length)
}

const entryBytes = 8
const firstNamedProperty = 0x8000
const maxCategories = 100

/** Returns the categories of a message. They are a named property, whose number differs in each file (MS-OXMSG 2.2.3). */
function getCategories(archive: CompoundArchive, message: PropertyStore): string[] {
  const id = namedProperty(archive, "Keywords")
  if (id === undefined) return []
  const found: string[] = []
  for (let index = 0; index < maxCategories; index++) {
    const category = message.item(id, index)
    if (category === undefined) break
    found.push(category)
  }
  return found
}

/** Returns the number of the property with this name. */
function namedProperty(archive: CompoundArchive, name: string): number | undefined {
  const entries = archive.read("__nameid_version1.0/__substg1.0_00030102") ?? Buffer.alloc(0)
  const names = archive.read("__nameid_version1.0/__substg1.0_00040102") ?? Buffer.alloc(0)
  for (let at = 0; at + entryBytes <= entries.length; at += entryBytes) {
    const isString = (entries.readUInt16LE(at + 4) & 1) === 1
    const start = entries.readUInt32LE(at)
    if (!isString || start + 4 > names.length) continue
    const end = start + 4 + names.readUInt32LE(start)
    if (names.toString("utf16le", start + 4, end) === name)
      return firstNamedProperty + entries.readUInt16LE(at + 6)
  }
  return undefined
}

const maxNesting = 5
const attachmentStorage = /^(.*?__attach_version1\.0_#[\da-f]{8}\/)/i
const recipientStorage = /^(.*?__recip_version1\.0_#[\da-f]{8}\/)/i
const embeddedMessage = "__substg1.0_3701000D/"

/**
 * Reads an Outlook message: subject, people and date, text, then its attachments, each as a separate document.
 *
 * Written here because @kenjiuno/msgreader 1.28.0 (Apache-2.0) reads 8-bit text as Latin unless it is given the code page that the message
 * itself names, and includes a container reader that never finishes on some damaged files.
 */
export async function* readMsg(
  archive: CompoundArchive,
  context: ParseContext,
  scan?: WantedScan,
): AsyncGenerator<Block, void, undefined> {
  const message = new PropertyStore(archive, "", headerBytes.message)
  if (scan?.picture === undefined) yield* readMessage(archive, message, context, 0)
  else yield* readPicture(await loadPicture(archive, message, scan.picture), context)
}

/** Returns the bytes of an image that is displayed in the text: one in its HTML, or an attachment, by its path. */
async function loadPicture(
  archive: CompoundArchive,
  message: PropertyStore,
  key: string,
): Promise<Buffer | undefined> {
  if (isDataPicture(key)) {
    const html = getHtml(message, getMessageCodePage(message))
    return findPicture([await decodeHtml(html)], key)
  }
  if (!storages(archive, message.path, attachmentStorage).includes(key)) return undefined
  return new PropertyStore(archive, key, headerBytes.recipientOrAttachment).bytes(property.attachData)
}

const getHtml = (message: PropertyStore, codePage: string): Buffer =>
  message.bytes(property.html) ?? Buffer.from(message.text(property.html, codePage) ?? "")

async function* readMessage(
  archive: CompoundArchive,
  message: PropertyStore,
  context: ParseContext,
  depth: number,
): AsyncGenerator<Block, void, undefined> {
  const codePage = getMessageCodePage(message)
  const html = getHtml(message, codePage)
  yield* head(archive, message, codePage, depth === 0 ? context : undefined)
  const subject = message.text(property.subject, codePage) ?? ""
  // Pictures of attached messages aren't read, because they have no keys.
  const { pictures: _, ...rest } = context
  const own = depth === 0 ? context : rest
  for await (const block of readBody(message, codePage, html, own)) {
    const { line: _, ...location } = block.location
    yield withinHeading(subject, { ...block, location })
  }
  for (const path of storages(archive, message.path, attachmentStorage)) {
    const attachment = new PropertyStore(archive, path, headerBytes.recipientOrAttachment)
    const name =
      attachment.text(property.attachLongFileName, codePage) ??
      attachment.text(property.attachFileName, codePage) ??
      attachment.text(property.displayName, codePage) ??
      "attachment"
    try {
      for await (const block of readAttachment(archive, attachment, name, html, context, depth))
        yield block.picture && !block.location.heading ? withinHeading(subject, block) : block
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error
      noteSkipped(context, name, error)
    }
  }
}

async function* readAttachment(
  archive: CompoundArchive,
  attachment: PropertyStore,
  name: string,
  html: Buffer,
  context: ParseContext,
  depth: number,
): AsyncGenerator<Block, void, undefined> {
  const inner = attachment.path + embeddedMessage
  if (archive.has(`${inner}__properties_version1.0`)) {
    if (depth + 1 >= maxNesting) throw failure("message_too_deep", { count: maxNesting })
    const message = new PropertyStore(archive, inner, headerBytes.embeddedMessage)
    yield* readMessage(archive, message, context, depth + 1)
    return
  }
  const bytes = attachment.bytes(property.attachData)
  // Images displayed in the text are usually logos.
  const contentId = attachment.text(property.contentId, "latin1")
  const isShown = attachment.flag(property.hidden) || (contentId && html.includes(`cid:${contentId}`))
  if (!bytes) return
  if (isShown) {
    const { pictures } = context
    const load = () => Promise.resolve(bytes)
    if (pictures && depth === 0) yield* pictures.see({ key: attachment.path, location: {}, load })
    return
  }
  for await (const block of context.embedded({ name, bytes })) yield withinHeading(name, block)
}

function* head(
  archive: CompoundArchive,
  message: PropertyStore,
  codePage: string,
  context: Pick<ParseContext, "describe"> | undefined,
): Generator<Block, void, undefined> {
  const text = (id: number): string => message.text(id, codePage) ?? ""
  const address =
    text(property.senderSmtpAddress) || text(property.senderAddress) || text(property.sentByAddress)
  const recipients = storages(archive, message.path, recipientStorage).map((path) => {
    const recipient = new PropertyStore(archive, path, headerBytes.recipientOrAttachment)
    const of = (id: number): string => recipient.text(id, codePage) ?? ""
    return {
      name: of(property.recipientName),
      address: of(property.recipientSmtpAddress) || of(property.recipientAddress),
    }
  })
  const sender = { name: text(property.senderName) || text(property.sentByName), address }
  const date = message.date(property.submitTime) ?? message.date(property.deliveryTime)
  context?.describe({ date, people: [sender, ...recipients] })
  const to = recipients.map(({ name, address: at }) => person(name, at)).join("; ")
  yield* mailHead(text(property.subject), [
    ["From", person(sender.name, address)],
    ["To", to || text(property.displayTo)],
    ["Cc", text(property.displayCc)],
    ["Bcc", text(property.displayBcc)],
    ["Categories", getCategories(archive, message).join(", ")],
    ["Date", date ? formatMailDate(date) : ""],
  ])
}

/** Yields the text of a message: as plain text or HTML, otherwise as RTF. */
async function* readBody(
  message: PropertyStore,
  codePage: string,
  html: Buffer,
  context: ParseContext,
): AsyncGenerator<Block, void, undefined> {
  const plain = message.text(property.body, codePage) ?? ""
  const compressed = message.bytes(property.compressedRtf)
  if (plain.trim() !== "" || html.length > 0) {
    yield* mailBody(plain, html.length > 0 ? await decodeHtml(html) : "", context)
  } else if (compressed) yield* rtfBlocks([decompressRtf(compressed)], context)
}

/** Returns the paths of the storages of one kind directly inside a message, in order. */
function storages(archive: CompoundArchive, parent: string, kind: RegExp): string[] {
  const found = new Set<string>()
  for (const path of archive.paths) {
    if (!path.toLowerCase().startsWith(parent.toLowerCase())) continue
    const storage = kind.exec(path.slice(parent.length))?.[1]
    // The storages of an attached message are nested deeper.
    if (storage && storage.indexOf("/") === storage.length - 1) found.add(parent + storage)
  }
  return [...found].toSorted()
}
