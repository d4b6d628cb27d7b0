import type { FileReason, ReadAs } from "../../../shared/contract/files.ts"
import { lockedReasons } from "../../../shared/contract/locked-reasons.ts"
import {
  failure,
  maxBlockCharacters,
  ParseFailure,
  type TextRecognizer,
  type Block,
  type DocumentProperties,
  type EmbeddedDocument,
  type ParseContext,
  type OpenedInput,
  type Parser,
  type WantedScan,
  type ScannedPages,
} from "../parser.ts"
import type { FilePictures } from "../pictures/document-pictures.ts"
import { removeInvisible } from "../text/invisible-characters.ts"
import { separateFractions } from "../text/linear-math.ts"
import { createMemoryFile } from "./document-file.ts"
import { NoteGroups } from "./left-out-parts.ts"

/**
 * Replaces a failure that asks for a password with `encrypted` where no one can enter one: for a document inside another, or a workbook
 * whose tables are created.
 */
export function disablePasswordPrompt(error: unknown): unknown {
  const isLocked = error instanceof ParseFailure && lockedReasons.has(error.reason.code)
  return isLocked ? failure("encrypted") : error
}

const maxNesting = 5
/** Maximum documents inside one file, at all depths together, without members of archives and messages of mailboxes. */
const maxDocuments = 1000
/** Maximum members of the archives in one file, at all depths together. */
export const maxMembers = 10_000
/** Maximum bytes of these documents, at all depths together. A text may contain the same documents many times. */
const maxBytes = 2 ** 30
/** Maximum bytes that are fetched into memory at once, by a document and those around it. */
const maxFetchedBytes = 2 ** 28

interface ParseContextOptions {
  parserFor(input: OpenedInput): Promise<Parser>
  note(fileReason: FileReason): void
  /** Called with what the file itself states, not the documents inside it. */
  describe?(properties: DocumentProperties): void
  ocr?: TextRecognizer
  leaveScans?(scans: ScannedPages): void
  /** Collects the pictures in documents, if they are wanted. */
  pictures?: FilePictures
  /** Password of the file itself, which also applies to the document inside an encrypted or signed file. */
  password?: string
  /** How the file itself is read. */
  readAs?: ReadAs
  /** Whether hidden parts of the file and the documents inside it are read and marked. */
  marksHidden?: boolean
  /** The only scan to read. Other documents inside the file aren't read. */
  scan?: WantedScan
  /** Called when the document with the requested scan starts and when it ends, possibly with a failure. */
  onWanted?(event: "started" | "ended", failure?: unknown): void
}

/** Creates the context that a parser receives with its file. Documents inside the file are read from memory. */
export function createParseContext(options: ParseContextOptions): ParseContext {
  return new DocumentTree(options).createContext({
    depth: 0,
    outer: "",
    inside: [],
    archives: 0,
    fetched: 0,
    describeDocument: options.describe,
    noteDocument: options.note,
  })
}

/** Reads the documents inside a file, within limits for all of them together. */
class DocumentTree {
  readonly #options: ParseContextOptions
  #documents = 0
  #members = 0
  #bytes = 0
  #scanCount = 0

  constructor(options: ParseContextOptions) {
    this.#options = options
  }

  /** Creates the context for the parser of the document at this place. */
  createContext(place: Place): ParseContext {
    const { ocr, leaveScans, pictures, readAs, scan, marksHidden = false } = this.#options
    const { depth, outer, inside, archives, describeDocument, noteDocument } = place
    let number = 0
    return {
      archives,
      marksHidden,
      onlyScan: scan !== undefined,
      note: (fileReason) =>
        noteDocument(outer === "" ? fileReason : { document: outer.slice(0, 200), ...fileReason }),
      describe: (properties) => describeDocument?.(properties),
      ...(ocr && { ocr }),
      ...(readAs && depth === 0 && { readAs }),
      ...(pictures && { pictures: pictures.collectFrom(inside) }),
      ...(leaveScans && {
        leaveScans: (left) => {
          this.#scanCount += left.scans.length
          leaveScans(nestScans(left, inside))
        },
      }),
      embedded: (document) => this.#readEmbedded(document, place, () => ++number),
    }
  }

  /**
   * Yields the blocks of a document inside the one at `outer`.
   *
   * @param nextNumber returns the next number among the documents inside the outer one, from 1
   */
  async *#readEmbedded(
    document: EmbeddedDocument,
    outer: Place,
    nextNumber: () => number,
  ): AsyncGenerator<Block, void, undefined> {
    const { parserFor, password, scan, onWanted } = this.#options
    const { name, whole, role } = document
    if (outer.depth >= maxNesting) throw failure("embedded_too_deep", { name, count: maxNesting })
    this.#count(role, outer.archives)
    const path = whole ? outer.inside : [...outer.inside, nextNumber()]
    const way = scan?.inside ?? []
    if (scan && path.some((step, index) => step !== way[index])) return
    const isWanted = scan !== undefined && path.length === way.length
    const bytes = await this.#getBytes(document, outer.fetched)
    const file = createMemoryFile(bytes)
    const isFileItself = path.length === 0
    const input = {
      file,
      name,
      ...(isFileItself && password !== undefined && { password }),
      ...(isWanted && {
        scan: { page: scan.page, ...(scan.picture !== undefined && { picture: scan.picture }) },
      }),
    }
    const context = this.createContext(this.#getPlace(document, path, outer, bytes.length))
    const scansBefore = this.#scanCount
    let hasText = false
    try {
      const parser = document.parser ?? (await parserFor({ file, name }))
      if (isWanted) onWanted?.("started")
      for await (const block of parser.parse(input, context)) {
        hasText ||= block.text.trim() !== "" || block.picture !== undefined
        yield block
      }
      if (isWanted) onWanted?.("ended")
    } catch (error) {
      if (isWanted) onWanted?.("ended", error)
      throw isFileItself ? error : disablePasswordPrompt(error)
    }
    if (role && !hasText && this.#scanCount === scansBefore && !scan) throw failure("no_text")
  }

  #getPlace(document: EmbeddedDocument, path: readonly number[], outer: Place, size: number): Place {
    const { role } = document
    const isFileItself = path.length === 0
    return {
      depth: outer.depth + 1,
      // A mailbox names its messages itself.
      outer: isFileItself || role === "message" ? outer.outer : document.name,
      inside: path,
      archives: role === "member" ? outer.archives + 1 : outer.archives,
      fetched: outer.fetched + size,
      describeDocument: isFileItself ? this.#options.describe : document.describe?.bind(document),
      noteDocument: document.note?.bind(document) ?? outer.noteDocument,
    }
  }

  #count(role: EmbeddedDocument["role"], archives: number): void {
    // Each message of a mailbox may contain as much as a file, but an archive no more with mailboxes in it. The time for all is limited.
    if (role === "message") this.#documents = 0
    if (role === "message" && archives === 0) [this.#members, this.#bytes] = [0, 0]
    if (role === undefined && ++this.#documents > maxDocuments)
      throw failure("documents_left_out", { count: maxDocuments })
    if (role === "member" && ++this.#members > maxMembers)
      throw failure("members_left_out", { count: maxMembers })
  }

  async #getBytes({ bytes, role }: EmbeddedDocument, fetched: number): Promise<Uint8Array> {
    if (this.#bytes > maxBytes) throw failure("unpacks_too_large")
    const own = typeof bytes === "function" ? await bytes(maxFetchedBytes - fetched) : bytes
    if (role !== "message" && (this.#bytes += own.length) > maxBytes) throw failure("unpacks_too_large")
    return own
  }
}

/** Where a document lies in the file. */
interface Place {
  depth: number
  /** Name of the document, for its notes; empty for the file itself. */
  outer: string
  inside: readonly number[]
  archives: number
  /** Bytes in memory of the document and those around it. */
  fetched: number
  /** Receives what the document states about itself. */
  describeDocument: ((properties: DocumentProperties) => void) | undefined
  noteDocument(this: void, fileReason: FileReason): void
}

function nestScans({ scans, pageCount }: ScannedPages, inside: readonly number[]): ScannedPages {
  if (inside.length === 0) return { scans, pageCount }
  return { scans: scans.map(({ page }) => ({ page, inside: [...inside] })), pageCount }
}

/** The options that aren't part of a document's input. */
type BlockOptions = Omit<ParseContextOptions, "scan" | "password" | "readAs" | "marksHidden" | "onWanted">

type DocumentOptions = Omit<BlockOptions, "pictures"> & {
  /** Whether the pictures in documents are passed to `leaveScans`, once everything else was read. */
  wantsPictures?: boolean
}

/** Yields the blocks of a document, or of one requested scan anywhere in the file, without invisible characters. */
export async function* documentBlocks(
  input: OpenedInput,
  { wantsPictures = false, ...options }: DocumentOptions,
): AsyncGenerator<Block, void, undefined> {
  const notes = new NoteGroups(options.note)
  const note = (fileReason: FileReason) => notes.add(fileReason)
  const pictures = wantsPictures ? await createFilePictures(note) : undefined
  try {
    for await (const block of readBlocks(input, { ...options, note, ...(pictures && { pictures }) })) {
      if (block.picture) {
        pictures?.add(block)
        continue
      }
      const visible = removeInvisible(block.text)
      const text = block.kind === "code" ? visible : separateFractions(visible, maxBlockCharacters)
      if (text.trim() !== "") yield text === block.text ? block : { ...block, text }
    }
    const found = pictures?.finish() ?? []
    if (found.length > 0) options.leaveScans?.({ scans: [], pageCount: 0, pictures: found })
  } finally {
    notes.finish()
  }
}

/** Loaded only if pictures are wanted, because it needs further packages. */
async function createFilePictures(note: BlockOptions["note"]): Promise<FilePictures> {
  const { FilePictures } = await import("../pictures/document-pictures.ts")
  return new FilePictures(note)
}

async function* readBlocks(
  input: OpenedInput,
  options: BlockOptions,
): AsyncGenerator<Block, void, undefined> {
  const parser = await options.parserFor(input)
  const { scan, password, readAs, marksHidden = false } = input
  const fileOptions = {
    ...(scan && { scan }),
    ...(password !== undefined && { password }),
    ...(readAs && { readAs }),
    marksHidden,
  }
  if (!scan?.inside) {
    yield* parser.parse(input, createParseContext({ ...options, ...fileOptions }))
    return
  }
  const wanted: { state: "pending" | "started" | "ended"; failure?: unknown } = { state: "pending" }
  const onWanted: ParseContextOptions["onWanted"] = (state, failure) =>
    Object.assign(wanted, { state, failure })
  // The text of the surrounding documents was read earlier, and the scan isn't in the file itself.
  const { scan: _, ...outer } = input
  for await (const block of parser.parse(
    outer,
    createParseContext({ ...options, ...fileOptions, onWanted }),
  )) {
    if (wanted.state === "started") yield block
    if (wanted.state === "ended") break
  }
  // Parsing a message continues after an attachment fails.
  if (wanted.failure !== undefined) throw wanted.failure
}
