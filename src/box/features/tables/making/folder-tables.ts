import { AppError } from "../../../../shared/contract/errors.ts"
import { newId } from "../../../core/ids.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import type { ParserInput } from "../../../parsers/parser.ts"
import {
  type StoredFileTables,
  type NamedTable,
  type TableDatabases,
  chooseTableName,
  type MadeTable,
} from "../keeping/kept-tables.ts"
import type { TableMaker } from "./table-maker.ts"

/** A fully indexed spreadsheet in a folder. */
export interface Spreadsheet {
  id: string
  name: string
  /** Changes when the file's content changes. */
  revision: number
  /** Whether a model wrote it. */
  isGenerated?: boolean
  /** Whether the password of the file is known. */
  isUnlocked?: boolean
  /** Returns the document. Throws when the file isn't there. */
  document(): Promise<ParserInput>
}

export interface FolderTablesDeps {
  /** Created with the first table. */
  maker(): Promise<TableMaker>
  kept: TableDatabases
  /** Returns the folder's spreadsheets that the user may see, oldest first. Throws `not_found` or `forbidden`. */
  spreadsheets(userId: string, folderId: string): Promise<Spreadsheet[]>
  logger: Logger
}

export interface FileTables {
  file: Spreadsheet
  storedTables: StoredFileTables | undefined
  state: "made" | "making" | "folder_full"
}

/** How long a folder's tables keep being created after the last request, in ms. The next request resumes the work. */
const timeoutMs = 600_000
/** Maximum columns of all tables of a folder. Their descriptions are read for each query, so files beyond it get no tables. */
const maxColumns = 50_000

/** Finds the spreadsheets of folders with their tables, and creates missing tables. */
export class FolderTables implements AsyncDisposable {
  readonly #deps: FolderTablesDeps
  readonly #queue: FolderQueue

  constructor(deps: FolderTablesDeps) {
    this.#deps = deps
    this.#queue = new FolderQueue(deps.logger)
  }

  isMaking(folderId: string): boolean {
    return this.#queue.isRunning(folderId)
  }

  /** Returns all spreadsheets of a folder, and which of them need their tables created. */
  async find(userId: string, folderId: string): Promise<FileTables[]> {
    const files = await this.#deps.spreadsheets(userId, folderId)
    const found = await Promise.all(
      files.map(async (file) => ({ file, storedTables: await this.#deps.kept.find(folderId, file.id) })),
    )
    const columns = countColumns(found.flatMap(({ storedTables }) => storedTables?.tables ?? []))
    return found.map(({ file, storedTables }) => {
      // Reads files again that have been unlocked since.
      const isLocked = storedTables?.why === "unreadable" && storedTables.withPassword !== true
      if (storedTables?.revision === file.revision && !(isLocked && file.isUnlocked))
        return { file, storedTables, state: "made" }
      const hasRoom = columns - countColumns(storedTables?.tables ?? []) < maxColumns
      return { file, storedTables, state: hasRoom ? "making" : "folder_full" }
    })
  }

  /**
   * Creates the tables that a folder lacks, whether or not the caller keeps waiting, and resolves with the files that couldn't be
   * processed. Callers that arrive during a pass share one more pass, which includes all changes up to their calls.
   */
  makeMissing(userId: string, folderId: string): Promise<ReadonlySet<string>> {
    return this.#queue.ask(folderId, () => this.#startPass(userId, folderId))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#queue[Symbol.asyncDispose]()
  }

  async #startPass(userId: string, folderId: string): Promise<Pass> {
    const found = await this.find(userId, folderId)
    const missing = found.filter(({ state }) => state === "making")
    const folder: FolderPass = {
      userId,
      folderId,
      missing: new Map(missing.map((each) => [each.file.id, each])),
      taken: new Set(
        found.flatMap(({ storedTables }) => (storedTables?.tables ?? []).map(({ name }) => name)),
      ),
      columns: countColumns(found.flatMap(({ storedTables }) => storedTables?.tables ?? [])),
    }
    return {
      fileIds: [...folder.missing.keys()],
      make: (fileId, signal) => this.#makeIfRoom(folder, fileId, signal),
    }
  }

  async #makeIfRoom(folder: FolderPass, fileId: string, signal: AbortSignal): Promise<boolean> {
    const { file, storedTables } = folder.missing.get(fileId) ?? {}
    const before = storedTables?.tables ?? []
    const others = folder.columns - countColumns(before)
    if (!file || others >= maxColumns) return true // The folder is full, so there is nothing left to try.
    const tables = await this.#make(folder, file, before, signal)
    if (tables) folder.columns = others + countColumns(tables)
    await this.#deps.kept.shrink()
    return tables !== undefined
  }

  /** Returns undefined when the file isn't available now. */
  async #make(
    { userId, folderId, taken }: FolderPass,
    file: Spreadsheet,
    before: readonly NamedTable[],
    signal: AbortSignal,
  ): Promise<NamedTable[] | undefined> {
    const { kept, logger } = this.#deps
    const { id, name, revision } = file
    const input = await file.document().catch((error: unknown) => {
      if (error instanceof AppError) return undefined
      throw error
    })
    if (!input) return undefined
    await kept.prepare(folderId)
    const maker = await this.#deps.maker()
    const made = await maker.make(userId, input, kept.databasePath(folderId, id, revision), signal)
    if (made.problem !== null) logger.warn({ fileId: id, problem: made.problem }, "A file has no tables")
    const tables = assignNames(name, made.tables, before, taken)
    await kept.keep(folderId, id, {
      revision,
      tables,
      ...(made.problem !== null && { why: made.why }),
      ...(input.password !== undefined && { withPassword: true }),
    })
    return tables
  }
}

/** A pass over a folder. `taken` and `columns` change with each file. */
interface FolderPass {
  userId: string
  folderId: string
  missing: ReadonlyMap<string, FileTables>
  /** Names of the folder's tables. */
  taken: Set<string>
  /** Columns of the folder's tables. */
  columns: number
}

const countColumns = (tables: readonly MadeTable[]): number =>
  tables.reduce((sum, { columns }) => sum + columns.length, 0)

/** Keeps the previous ids and names of tables. New tables get unused names. */
function assignNames(
  fileName: string,
  made: readonly MadeTable[],
  before: readonly NamedTable[],
  taken: Set<string>,
): NamedTable[] {
  const left = [...before]
  return made.map((table) => {
    const index = left.findIndex(({ sheet }) => sheet === table.sheet)
    const [previous] = index < 0 ? [] : left.splice(index, 1)
    const name = previous?.name ?? chooseTableName(fileName, table.sheet, taken)
    taken.add(name)
    return { ...table, id: previous?.id ?? newId(), name }
  })
}

/** The files whose tables a folder lacks, and how to create them. */
interface Pass {
  fileIds: readonly string[]
  /** Returns whether a file's tables could be created now. */
  make(fileId: string, signal: AbortSignal): Promise<boolean>
}

interface Running {
  now: Promise<ReadonlySet<string>>
  next: Promise<ReadonlySet<string>> | undefined
  askedAt: number
}

/** Creates tables of folders in the background, one file at a time in each folder. */
class FolderQueue implements AsyncDisposable {
  readonly #logger: Logger
  readonly #folders = new Map<string, Running>()
  readonly #closing = new AbortController()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  ask(folderId: string, start: () => Promise<Pass>): Promise<ReadonlySet<string>> {
    const running = this.#folders.get(folderId)
    if (!running) return this.#begin(folderId, start).now
    running.askedAt = performance.now()
    return (running.next ??= running.now.then(() => this.#begin(folderId, start).now))
  }

  isRunning(folderId: string): boolean {
    return this.#folders.has(folderId)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    while (this.#folders.size > 0)
      await Promise.all([...this.#folders.values()].map(({ now, next }) => next ?? now))
  }

  #begin(folderId: string, start: () => Promise<Pass>): Running {
    const now = this.#run(folderId, start)
    const running: Running = { now, next: undefined, askedAt: performance.now() }
    this.#folders.set(folderId, running)
    void running.now.then(() => {
      if (this.#folders.get(folderId) === running && !running.next) this.#folders.delete(folderId)
    })
    return running
  }

  async #run(folderId: string, start: () => Promise<Pass>): Promise<ReadonlySet<string>> {
    const { signal } = this.#closing
    const failed = new Set<string>()
    if (signal.aborted) return failed
    try {
      const pass = await start()
      for (const fileId of pass.fileIds) {
        const waited = performance.now() - (this.#folders.get(folderId)?.askedAt ?? 0)
        if (signal.aborted || waited > timeoutMs) break
        const isMade = await pass.make(fileId, signal).catch((error: unknown) => {
          this.#logger.warn({ err: error, fileId }, "The tables of a file couldn't be created")
          return false
        })
        if (!isMade) failed.add(fileId)
      }
    } catch (error) {
      this.#logger.warn({ err: error, folderId }, "The tables of a folder couldn't be created")
    }
    return failed
  }
}
