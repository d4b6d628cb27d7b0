import { join } from "node:path"
import type { Request, Response } from "express"
import { AppError } from "../../../shared/contract/errors.ts"
import type { FileEntry, ReadAs } from "../../../shared/contract/files.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { includesFile, type GeneratedFiles } from "../../core/files/generated-files.ts"
import { openInside } from "../../core/files/path-jail.ts"
import { createCloseSignal } from "../../http/answers/answer-limits.ts"
import type { SentFile } from "../../http/answers/send-file.ts"
import { getIdentity } from "../../parsers/document/opened-document.ts"
import type { PageViewer } from "../../parsers/pages/page-viewer.ts"
import type { Block, FileIdentity } from "../../parsers/parser.ts"
import type { FindBytes } from "./disk/find-stored.ts"
import type { FileAccess } from "./file-access.ts"
import { getNames, getReadAs, presentFile, type FileRow } from "./file-entry.ts"
import type { FileQuery } from "./rows/file-queries.ts"
import type { FileStore } from "./store.ts"

export interface FileReadingDeps {
  access: Pick<FileAccess, "place" | "find">
  store: Pick<FileStore, "page" | "completed">
  /** The extracted text of a file, in reading order. */
  blocks(fileId: string): AsyncIterable<Block[]>
  getPassword: FilePasswords["of"]
  find: FindBytes
}

/** A file whose bytes are available. Reading throws the same errors as `open`, and fails for a file that has grown since. */
export interface ReadableEntry {
  /** Path inside the folder. */
  path: string
  size: number
  read(): Promise<Uint8Array>
}

/** A file that may hold tables. */
export interface SpreadsheetEntry {
  id: string
  name: string
  /** Changes whenever the content changes. */
  revision: number
  isGenerated: boolean
  /** Whether the password of the file is known. */
  isUnlocked: boolean
  /** Throws the same errors as `open`. */
  document(): Promise<StoredDocument>
}

/**
 * Read access to files for every user who may see their folder. Pass `generated` when a model reads: files that a model wrote are then
 * hidden unless they are listed there.
 */
export interface FileReading {
  list(userId: string, folderId: string, query: FileQuery): Promise<{ total: number; files: FileEntry[] }>
  read(userId: string, folderId: string, fileId: string, generated?: GeneratedFiles): Promise<FileEntry>
  /** Throws `unsupported_media_type` while the bytes are only in a cloud drive. */
  open(userId: string, folderId: string, fileId: string): Promise<SentFile>
  /** The files of a folder that the user may see, for use by a model. Returns at most `max` files. */
  readable(
    userId: string,
    folderId: string,
    max: number,
    which: Pick<FileQuery, "generated" | "only">,
  ): Promise<ReadableEntry[]>
  /** All bytes of a file. Throws the same errors as `open`, and fails for a file that has grown since. */
  bytes(userId: string, folderId: string, fileId: string): Promise<Uint8Array>
  /** Location of the bytes, for rendering pages. Throws the same errors as `open`. */
  document(userId: string, folderId: string, fileId: string): Promise<StoredDocument>
  /** Completely indexed spreadsheets of a folder that the user may see, oldest first. */
  spreadsheets(userId: string, folderId: string): Promise<SpreadsheetEntry[]>
  /** Throws `conflict` while the file isn't completely indexed. */
  text(
    userId: string,
    folderId: string,
    fileId: string,
    generated?: GeneratedFiles,
  ): Promise<AsyncIterable<Block[]>>
}

const maxSpreadsheets = 1_000
/** How long a document stays available by its path. The program that reads it has started by then. */
const foundSoonMs = 300_000

export const createFileReading = (deps: FileReadingDeps): FileReading => new FileReader(deps)

class FileReader implements FileReading {
  readonly #deps: FileReadingDeps

  constructor(deps: FileReadingDeps) {
    this.#deps = deps
  }

  async readable(
    userId: string,
    folderId: string,
    max: number,
    which: Pick<FileQuery, "generated" | "only">,
  ): Promise<ReadableEntry[]> {
    await this.#deps.access.place(userId, folderId, "read")
    const { rows } = await this.#deps.store.page(folderId, { limit: max, offset: 0, ...which })
    return rows.map((row) => ({
      path: getNames(row).join("/"),
      size: row.size,
      read: () => this.#readWhole(userId, folderId, row),
    }))
  }

  /** Reads at most the recorded size, because a file may grow while it is read. */
  async #readWhole(
    userId: string,
    folderId: string,
    { id, size }: Pick<FileRow, "id" | "size">,
  ): Promise<Uint8Array> {
    const { place: location, row } = await this.#findStored(userId, folderId, id)
    using stored = await this.#deps.find(location.path, row)
    await using handle = await openInside(stored.root, stored.names)
    const bytes = Buffer.alloc((await handle.stat()).size > size ? 0 : size)
    const { bytesRead } = await handle.read(bytes, 0, bytes.byteLength, 0)
    if (bytesRead === size) return bytes
    throw new AppError("conflict", sentence("files.changed_since"))
  }

  async #findStored(userId: string, folderId: string, fileId: string) {
    const found = await this.#deps.access.find(userId, folderId, fileId, "read")
    if (found.row.storage === "local") return found
    throw new AppError("unsupported_media_type", sentence("files.cloud_only"))
  }

  async list(
    userId: string,
    folderId: string,
    query: FileQuery,
  ): Promise<{ total: number; files: FileEntry[] }> {
    await this.#deps.access.place(userId, folderId, "read")
    const { total, rows } = await this.#deps.store.page(folderId, query)
    return { total, files: rows.map(presentFile) }
  }

  async read(
    userId: string,
    folderId: string,
    fileId: string,
    generated: GeneratedFiles = "all",
  ): Promise<FileEntry> {
    return presentFile(await this.#findRow(userId, folderId, fileId, generated))
  }

  /** Checks only whether the column is set. A value written by another version still shows that a model wrote the file. */
  async #findRow(
    userId: string,
    folderId: string,
    fileId: string,
    generated: GeneratedFiles,
  ): Promise<FileRow> {
    const { row } = await this.#deps.access.find(userId, folderId, fileId, "read")
    if (row.generatedBy === null || includesFile(generated, row.id)) return row
    throw new AppError("not_found", sentence("files.none_such"))
  }

  async bytes(userId: string, folderId: string, fileId: string): Promise<Uint8Array> {
    return this.#readWhole(userId, folderId, (await this.#findStored(userId, folderId, fileId)).row)
  }

  async document(userId: string, folderId: string, fileId: string): Promise<StoredDocument> {
    const { place: location, row } = await this.#findStored(userId, folderId, fileId)
    const stored = await this.#deps.find(location.path, row)
    setTimeout(() => stored[Symbol.dispose](), foundSoonMs).unref()
    await using handle = await openInside(stored.root, stored.names)
    const { size, mtimeMs } = await handle.stat()
    const path = join(stored.root, ...stored.names)
    const password = this.#deps.getPassword(row.id)
    const readAs = getReadAs(row)
    return {
      path,
      ...(password !== undefined && { password }),
      ...(readAs && { readAs }),
      identity: await getIdentity(handle),
      name: row.name,
      version: row.object ?? `${row.id}-${size}-${Math.round(mtimeMs)}`,
    }
  }

  async spreadsheets(userId: string, folderId: string): Promise<SpreadsheetEntry[]> {
    await this.#deps.access.place(userId, folderId, "read")
    const { spreadsheetExtensions } = await import("../../parsers/registry.ts")
    const rows = await this.#deps.store.completed(folderId, spreadsheetExtensions, maxSpreadsheets)
    return rows.map(({ id, name, revision, generatedBy }) => ({
      id,
      name,
      revision,
      isGenerated: generatedBy !== null,
      isUnlocked: this.#deps.getPassword(id) !== undefined,
      document: () => this.document(userId, folderId, id),
    }))
  }

  async open(userId: string, folderId: string, fileId: string): Promise<SentFile> {
    const { place: location, row } = await this.#findStored(userId, folderId, fileId)
    using stored = await this.#deps.find(location.path, row)
    return { handle: await openInside(stored.root, stored.names), name: row.name, mimeType: row.mimeType }
  }

  async text(
    userId: string,
    folderId: string,
    fileId: string,
    generated: GeneratedFiles = "all",
  ): Promise<AsyncIterable<Block[]>> {
    const row = await this.#findRow(userId, folderId, fileId, generated)
    if (row.status !== "completed") {
      throw new AppError("conflict", sentence("files.no_text_yet", { status: row.status }))
    }
    return startReading(this.#deps.blocks(fileId))
  }
}

/** Returns the same pieces. If the first piece can't be read, this throws at once instead of in the middle of an answer. */
async function startReading<Piece>(pieces: AsyncIterable<Piece>): Promise<AsyncIterable<Piece>> {
  const iterator = pieces[Symbol.asyncIterator]()
  const first = await iterator.next()
  return (async function* () {
    if (first.done === true) return
    yield first.value
    yield* { [Symbol.asyncIterator]: () => iterator }
  })()
}

/** A file on disk, with a version that changes when its bytes do. */
interface StoredDocument {
  path: string
  identity: FileIdentity
  name: string
  /** Password of an encrypted file, if known. */
  password?: string
  /** How a person chose that it is read. */
  readAs?: ReadAs
  version: string
}

/** Pages of files as people see them, rendered on request. */
export interface FilePages {
  list(document: StoredDocument, request: Request): Promise<{ width: number; height: number }[]>
  send(
    document: StoredDocument,
    number: string,
    width: number,
    request: Request,
    response: Response,
  ): Promise<void>
}

export function createFilePages(viewer: Pick<PageViewer, "sizes" | "picture">): FilePages {
  return {
    // A user who scrolls on no longer needs the page being rendered.
    list: (document, request) => viewer.sizes(document, createCloseSignal(request)),

    async send(document, number, width, request, response) {
      if (!/^[1-9]\d{0,5}$/.test(number)) throw new AppError("not_found", sentence("files.no_page"))
      const etag = `"${document.version}-${number}-${width}"`
      response.setHeader("etag", etag)
      response.setHeader("cache-control", "private, no-cache")
      if (request.headers["if-none-match"] === etag) {
        response.status(304).end()
        return
      }
      const { mediaType, bytes } = await viewer.picture(
        document,
        Number(number),
        width,
        createCloseSignal(request),
      )
      response.setHeader("content-type", mediaType)
      response.setHeader("x-content-type-options", "nosniff")
      // Opened directly, a document's image must not load or run anything.
      response.setHeader("content-security-policy", "default-src 'none'; sandbox")
      response.end(bytes)
    },
  }
}

/** Passwords for reading and showing encrypted files. They are kept only in memory, until the server stops. */
export interface FilePasswords {
  of(this: void, fileId: string): string | undefined
  remember(fileId: string, password: string): void
}

/** Above this limit, the oldest password is dropped. Files with newer passwords may still have to be read. */
const maxRemembered = 1_000

export function createFilePasswords(): FilePasswords {
  const passwords = new Map<string, string>()
  return {
    of: (fileId) => passwords.get(fileId),
    remember(fileId, password) {
      passwords.delete(fileId)
      const [oldest] = passwords.keys()
      if (oldest !== undefined && passwords.size >= maxRemembered) passwords.delete(oldest)
      passwords.set(fileId, password)
    },
  }
}
