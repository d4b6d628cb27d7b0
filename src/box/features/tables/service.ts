import { AppError } from "../../../shared/contract/errors.ts"
import {
  type FileWithoutTables,
  type Table,
  type TableAnswer,
  usualRows,
} from "../../../shared/contract/tables.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { EventBus } from "../../core/event-bus.ts"
import { includesFile, type GeneratedFiles } from "../../core/files/generated-files.ts"
import { unlessAborted, waitAtMost } from "../../core/waiting/abort-and-timeout.ts"
import { createDelayedWork, type DelayedWork } from "../../core/waiting/delayed-work.ts"
import type { QueriedFile } from "./asking/answer-query.ts"
import { checkSql, type TableAsker } from "./asking/table-asker.ts"
import type { StoredFileTables, NamedTable } from "./keeping/kept-tables.ts"
import {
  FolderTables,
  type FileTables,
  type FolderTablesDeps,
  type Spreadsheet,
} from "./making/folder-tables.ts"

export interface TablesDeps extends FolderTablesDeps {
  /** Created with the first query. */
  asker(): Promise<TableAsker>
  /** Maps files to their folders. Files that don't exist are left out. */
  getFolders(fileIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  bus: EventBus
  /** How long a query waits for tables that aren't created yet, in ms. */
  waitMs?: number
}

/** An answer, and the tables that its SQL may name. */
export interface TableQueryResult {
  answer: TableAnswer
  tables: Table[]
}

/** Tables of a folder, and why other files have none or none yet. */
export interface FoundTables {
  tables: Table[]
  without: FileWithoutTables[]
}

/** Makes the spreadsheets of folders available as tables, for users who may see the folder. */
export interface Tables extends AsyncDisposable {
  list(userId: string, folderId: string, options: ListOptions): Promise<FoundTables>
  /**
   * Throws `unprocessable` with the reason for anything except a SELECT within the limits, and `conflict` while a table it names is being
   * created.
   */
  query(userId: string, folderId: string, sql: string, options: QueryOptions): Promise<TableQueryResult>
  /** Removes tables of files that no longer exist. */
  sweep(): Promise<void>
}

export interface ListOptions {
  signal: AbortSignal
  /** Files written by a model whose tables are included; all by default. */
  generated?: GeneratedFiles | undefined
  /** Only tables of these files, by ID; all by default. */
  only?: ReadonlySet<string> | null | undefined
}

export interface QueryOptions extends ListOptions {
  limit?: number | undefined
}

const sweepAfterMs = 200
/** How long a query waits for tables that aren't created yet, and how often it checks for them, in ms. */
const usualWaitMs = 20_000
const pollMs = 1_000

export const createTables = (deps: TablesDeps): Tables => new TableService(deps)

interface TableQuery {
  userId: string
  folderId: string
  sql: string
  options: QueryOptions
}

/** The tables that a query names. */
interface NamedTables {
  files: QueriedFile[]
  stored: { file: Spreadsheet; storedTables: StoredFileTables }[]
  tables: Table[]
}

/** Why there is no answer: a named table or some other table isn't created yet, or the folder has no room for the named table. */
type Obstacle = "lacks_named" | "lacks_some" | "full"

class TableService implements Tables {
  readonly #deps: TablesDeps
  readonly #waitMs: number
  readonly #folderTables: FolderTables
  readonly #sweeping: DelayedWork
  readonly #unsubscribe: () => void

  constructor(deps: TablesDeps) {
    this.#deps = deps
    this.#waitMs = deps.waitMs ?? usualWaitMs
    this.#folderTables = new FolderTables(deps)
    this.#sweeping = createDelayedWork(
      () => this.sweep(),
      sweepAfterMs,
      (error) => deps.logger.warn({ err: error }, "Tables of deleted files couldn't be removed"),
    )
    this.#unsubscribe = deps.bus.subscribe("files.changed", () => this.#sweeping.ask())
  }

  async list(userId: string, folderId: string, options: ListOptions): Promise<FoundTables> {
    let found = await this.#findIncluded(userId, folderId, options)
    let failed: ReadonlySet<string> | undefined
    if (found.some(({ state }) => state === "making")) {
      failed = await wait(this.#makeMissing(userId, folderId), this.#waitMs, options.signal)
      found = await this.#findIncluded(userId, folderId, options)
    }
    return {
      tables: found.flatMap(({ file, storedTables, state }) =>
        state === "made" ? (storedTables?.tables ?? []).map(toTable(file)) : [],
      ),
      without: found.flatMap(({ file: { id, name }, storedTables, state }) => {
        const why = state === "made" ? storedTables?.why : failed?.has(id) ? "unavailable" : state
        return why ? [{ fileId: id, fileName: name, why }] : []
      }),
    }
  }

  async query(
    userId: string,
    folderId: string,
    sql: string,
    options: QueryOptions,
  ): Promise<TableQueryResult> {
    checkSql(sql)
    const query = { userId, folderId, sql, options }
    const { signal } = options
    const until = performance.now() + this.#waitMs
    for (;;) {
      const attempted = await unlessAborted(this.#attempt(query, true), signal)
      if (typeof attempted !== "string") return attempted
      const left = until - performance.now()
      if (attempted === "full") throw new AppError("unprocessable", sentence("tables.folder_full"))
      if (left <= 0) throw new AppError("conflict", sentence("tables.being_made"))
      const made = this.#makeMissing(userId, folderId)
      if (!(await wait(made, Math.min(left, pollMs), signal))) continue
      const last = await unlessAborted(this.#attempt(query, false), signal)
      if (typeof last !== "string") return last
      throw new AppError("unavailable", sentence("tables.gone"))
    }
  }

  async sweep(): Promise<void> {
    const { kept } = this.#deps
    const all = await kept.all()
    if (all.length === 0) return
    const folders = await this.#deps.getFolders(all.map(({ fileId }) => fileId))
    for (const { folderId, fileId } of all)
      if (folders.get(fileId) !== folderId) await kept.remove(folderId, fileId)
    await kept.removeEmpty((folderId) => this.#folderTables.isMaking(folderId))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe()
    await this.#folderTables[Symbol.asyncDispose]()
    await this.#sweeping[Symbol.asyncDispose]()
  }

  /** Returns the folder's spreadsheets that the caller asked to include. */
  async #findIncluded(
    userId: string,
    folderId: string,
    { generated = "all", only = null }: ListOptions,
  ): Promise<FileTables[]> {
    const found = await this.#folderTables.find(userId, folderId)
    return found.filter(
      ({ file }) =>
        (!file.isGenerated || includesFile(generated, file.id)) && (only === null || only.has(file.id)),
    )
  }

  async #makeMissing(userId: string, folderId: string): Promise<ReadonlySet<string>> {
    const failed = await this.#folderTables.makeMissing(userId, folderId)
    this.#sweeping.ask() // Tables of a file deleted in the meantime may still have been created.
    return failed
  }

  /**
   * Answers from the tables that exist, or returns why there is no answer. Tables that are being created may be missing if the caller can wait.
   */
  async #attempt(query: TableQuery, canWait: boolean): Promise<TableQueryResult | Obstacle> {
    const { userId, folderId, sql, options } = query
    const found = await this.#findIncluded(userId, folderId, options)
    const named = await this.#findNamed(query, found)
    if (typeof named === "string") return named
    const asker = await this.#deps.asker()
    const allowMissingTables = canWait && found.some(({ state }) => state === "making")
    const answer = await asker.ask(
      userId,
      { files: named.files, sql, limit: options.limit ?? usualRows },
      { signal: options.signal, allowMissingTables },
    )
    if (answer) return { answer, tables: named.tables }
    if (answer === undefined) return "lacks_some"
    for (const { file, storedTables } of named.stored)
      await this.#deps.kept.outdate(folderId, file.id, storedTables)
    return "lacks_named"
  }

  async #findNamed(
    { folderId, sql }: TableQuery,
    found: readonly FileTables[],
  ): Promise<NamedTables | Obstacle> {
    const { kept } = this.#deps
    const words = sql.toLowerCase()
    const isNamed = ({ name }: NamedTable) => words.includes(name)
    const named: NamedTables = { files: [], stored: [], tables: [] }
    for (const { file, storedTables, state } of found) {
      if (!storedTables?.tables.some(isNamed)) continue
      if (state !== "made") return state === "making" ? "lacks_named" : "full"
      if (!(await kept.hasDatabase(folderId, file.id, file.revision))) {
        await kept.outdate(folderId, file.id, storedTables)
        return "lacks_named"
      }
      named.stored.push({ file, storedTables })
      const path = kept.databasePath(folderId, file.id, file.revision)
      named.files.push({
        path,
        tables: storedTables.tables.map(({ key, name, columns }) => ({ key, name, columns })),
      })
      named.tables.push(...storedTables.tables.filter(isNamed).map(toTable(file)))
    }
    return named
  }
}

/** Returns undefined on timeout. The work itself continues. */
const wait = <T>(work: Promise<T>, ms: number, signal: AbortSignal): Promise<T | undefined> =>
  unlessAborted(waitAtMost(ms, work), signal)

const toTable =
  (file: Spreadsheet) =>
  ({ id, sheet, name, rows, columns }: NamedTable): Table => ({
    id,
    fileId: file.id,
    fileName: file.name,
    sheet,
    name,
    rows,
    columns,
  })
