import type { FileReason } from "../../../shared/contract/files.ts"
import type { TextRecognizer } from "../ocr/text-recognizer.ts"
import { fileOfBytes } from "./document-file.ts"
import { withoutPassword } from "./without-password.ts"
import { failure } from "../parser.ts"
import type {
  Block,
  EmbeddedDocument,
  ParseContext,
  OpenedInput,
  Parser,
  Scan,
  ScannedPages,
} from "../parser.ts"

const maxNesting = 5
/** Documents inside one file, at all depths together. */
const maxDocuments = 1000
/** Their bytes, at all depths together: a text may hold the same ones over and over. */
const maxBytes = 2 ** 30

export interface ParseContextOptions {
  parserFor(input: OpenedInput): Promise<Parser>
  note(said: FileReason): void
  ocr?: TextRecognizer
  leaveScans?(scans: ScannedPages): void
  /** Of the file itself: the same document is inside where it is encrypted or signed. */
  password?: string
  /** The only scan that is wanted. Other documents inside the file aren't read then. */
  scan?: Scan
  /** The document with the wanted scan was begun, or has ended, perhaps by failing. */
  onWanted?(event: "begun" | "ended", failure?: unknown): void
}

/** What a parser gets beside its file. Documents inside it are read from memory. */
export function createParseContext(options: ParseContextOptions): ParseContext {
  const { parserFor, note, ocr, leaveScans, password, scan, onWanted } = options
  let documents = 0
  let bytesInAll = 0

  function at(depth: number, outer: string, inside: readonly number[]): ParseContext {
    let number = 0
    return {
      note: (said) => note(outer === "" ? said : { ...said, document: outer.slice(0, 200) }),
      ...(ocr && { ocr }),
      ...(leaveScans && { leaveScans: (left) => leaveScans(placed(left, inside)) }),
      async *embedded({ name, bytes, whole }: EmbeddedDocument): AsyncGenerator<Block, void, undefined> {
        if (depth >= maxNesting) throw failure("embedded_too_deep", { name, count: maxNesting })
        if (++documents > maxDocuments) throw failure("documents_left_out", { count: maxDocuments })
        if ((bytesInAll += bytes.length) > maxBytes) throw failure("unpacks_too_large")
        const place = whole ? inside : [...inside, ++number]
        const way = scan?.inside ?? []
        if (scan && place.some((step, index) => step !== way[index])) return
        const isWanted = scan !== undefined && place.length === way.length
        const file = fileOfBytes(bytes)
        const isFileItself = place.length === 0
        const input = {
          file,
          name,
          ...(isFileItself && password !== undefined && { password }),
          ...(isWanted && { scan: { page: scan.page } }),
        }
        try {
          const parser = await parserFor({ file, name })
          if (isWanted) onWanted?.("begun")
          yield* parser.parse(input, at(depth + 1, isFileItself ? outer : name, place))
          if (isWanted) onWanted?.("ended")
        } catch (error) {
          if (isWanted) onWanted?.("ended", error)
          throw isFileItself ? error : withoutPassword(error)
        }
      },
    }
  }

  return at(0, "", [])
}

function placed({ scans, pageCount }: ScannedPages, inside: readonly number[]): ScannedPages {
  if (inside.length === 0) return { scans, pageCount }
  return { scans: scans.map(({ page }) => ({ page, inside: [...inside] })), pageCount }
}
