import type { FileReason } from "../../../shared/contract/files.ts"
import { lockedReasons } from "../../../shared/contract/locked-reasons.ts"
import {
  failure,
  ParseFailure,
  type TextRecognizer,
  type Block,
  type DocumentProperties,
  type EmbeddedDocument,
  type ParseContext,
  type OpenedInput,
  type Parser,
  type Scan,
  type ScannedPages,
} from "../parser.ts"
import { removeInvisible } from "../text/invisible-characters.ts"
import { createMemoryFile } from "./document-file.ts"

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
  /** Password of the file itself, which also applies to the document inside an encrypted or signed file. */
  password?: string
  /** The only scan to read. Other documents inside the file aren't read. */
  scan?: Scan
  /** Called when the document with the requested scan starts and when it ends, possibly with a failure. */
  onWanted?(event: "begun" | "ended", failure?: unknown): void
}

/** Creates the context that a parser receives with its file. Documents inside the file are read from memory. */
export function createParseContext(options: ParseContextOptions): ParseContext {
  const { parserFor, note, describe, ocr, leaveScans, password, scan, onWanted } = options
  let documents = 0
  let members = 0
  let bytesInAll = 0
  let scanCount = 0

  function count(role: EmbeddedDocument["role"], archives: number): void {
    // Each message of a mailbox may contain as much as a file, but an archive no more with mailboxes in it. The time for all is limited.
    if (role === "message") documents = 0
    if (role === "message" && archives === 0) [members, bytesInAll] = [0, 0]
    if (role === undefined && ++documents > maxDocuments)
      throw failure("documents_left_out", { count: maxDocuments })
    if (role === "member" && ++members > maxMembers) throw failure("members_left_out", { count: maxMembers })
  }

  async function getBytes({ bytes, role }: EmbeddedDocument, fetched: number): Promise<Uint8Array> {
    if (bytesInAll > maxBytes) throw failure("unpacks_too_large")
    const own = typeof bytes === "function" ? await bytes(maxFetchedBytes - fetched) : bytes
    if (role !== "message" && (bytesInAll += own.length) > maxBytes) throw failure("unpacks_too_large")
    return own
  }

  function at({
    depth,
    outer,
    inside,
    archives,
    fetched,
    describeDocument,
    noteDocument,
  }: Place): ParseContext {
    let number = 0
    return {
      archives,
      onlyScan: scan !== undefined,
      note: (fileReason) =>
        noteDocument(outer === "" ? fileReason : { document: outer.slice(0, 200), ...fileReason }),
      describe: (properties) => describeDocument?.(properties),
      ...(ocr && { ocr }),
      ...(leaveScans && {
        leaveScans(left) {
          scanCount += left.scans.length
          leaveScans(nestScans(left, inside))
        },
      }),
      async *embedded(document: EmbeddedDocument): AsyncGenerator<Block, void, undefined> {
        const { name, whole, role } = document
        if (depth >= maxNesting) throw failure("embedded_too_deep", { name, count: maxNesting })
        count(role, archives)
        const place = whole ? inside : [...inside, ++number]
        const way = scan?.inside ?? []
        if (scan && place.some((step, index) => step !== way[index])) return
        const isWanted = scan !== undefined && place.length === way.length
        const bytes = await getBytes(document, fetched)
        const file = createMemoryFile(bytes)
        const isFileItself = place.length === 0
        const input = {
          file,
          name,
          ...(isFileItself && password !== undefined && { password }),
          ...(isWanted && { scan: { page: scan.page } }),
        }
        const context = at({
          depth: depth + 1,
          // A mailbox names its messages itself.
          outer: isFileItself || role === "message" ? outer : name,
          inside: place,
          archives: role === "member" ? archives + 1 : archives,
          fetched: fetched + bytes.length,
          describeDocument: isFileItself ? describe : document.describe?.bind(document),
          noteDocument: document.note?.bind(document) ?? noteDocument,
        })
        const scansBefore = scanCount
        let hasText = false
        try {
          const parser = document.parser ?? (await parserFor({ file, name }))
          if (isWanted) onWanted?.("begun")
          for await (const block of parser.parse(input, context)) {
            hasText ||= block.text.trim() !== ""
            yield block
          }
          if (isWanted) onWanted?.("ended")
        } catch (error) {
          if (isWanted) onWanted?.("ended", error)
          throw isFileItself ? error : disablePasswordPrompt(error)
        }
        if (role && !hasText && scanCount === scansBefore && !scan) throw failure("no_text")
      },
    }
  }

  return at({
    depth: 0,
    outer: "",
    inside: [],
    archives: 0,
    fetched: 0,
    describeDocument: describe,
    noteDocument: note,
  })
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

type DocumentOptions = Omit<ParseContextOptions, "scan" | "password" | "onWanted">

/** Yields the blocks of a document, or of one requested scan anywhere in the file, without invisible characters. */
export async function* documentBlocks(
  input: OpenedInput,
  options: DocumentOptions,
): AsyncGenerator<Block, void, undefined> {
  for await (const block of readBlocks(input, options)) {
    const text = removeInvisible(block.text)
    if (text.trim() !== "") yield text === block.text ? block : { ...block, text }
  }
}

async function* readBlocks(
  input: OpenedInput,
  options: DocumentOptions,
): AsyncGenerator<Block, void, undefined> {
  const parser = await options.parserFor(input)
  const { scan, password } = input
  const fileOptions = { ...(scan && { scan }), ...(password !== undefined && { password }) }
  if (!scan?.inside) {
    yield* parser.parse(input, createParseContext({ ...options, ...fileOptions }))
    return
  }
  const wanted: { state: "ahead" | "begun" | "ended"; failure?: unknown } = { state: "ahead" }
  const onWanted: ParseContextOptions["onWanted"] = (state, failure) =>
    Object.assign(wanted, { state, failure })
  // The text of the surrounding documents was read earlier.
  for await (const block of parser.parse(
    input,
    createParseContext({ ...options, ...fileOptions, onWanted }),
  )) {
    if (wanted.state === "begun") yield block
    if (wanted.state === "ended") break
  }
  // Parsing a message continues after an attachment fails.
  if (wanted.failure !== undefined) throw wanted.failure
}
