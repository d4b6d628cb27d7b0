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
import { newId } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { unlessAborted, waitAtMost } from "../../core/waiting/abort-and-timeout.ts"
import { createDelayedWork } from "../../core/waiting/delayed-work.ts"
import type { ParserInput } from "../../parsers/parser.ts"
import type { QueriedFile } from "./asking/answer-query.ts"
import { checkSql, type TableAsker } from "./asking/table-asker.ts"
import {
  type StoredFileTables,
  type NamedTable,
  type TableDatabases,
  chooseTableName,
  type MadeTable,
} from "./keeping/kept-tables.ts"
import type { TableMaker } from "./making/table-maker.ts"

/** How long a folder's tables keep being created after the last request, in ms. The next request resumes the work. */
const usualMs = 600_000

/** Returns whether a file's tables could be created now. */
type MakeFile = (fileId: string, signal: AbortSignal) => Promise<boolean>

interface FolderTableMaker extends AsyncDisposable {
  /**
   * Creates the tables that a folder lacks, whether or not the caller keeps waiting, and resolves with the files that couldn't be
   * processed. Callers that arrive during a pass share one more pass, which includes all changes up to their calls.
   */
  ask(folderId: string, pass: Pass): Promise<ReadonlySet<string>>
  isMaking(folderId: string): boolean
}

/** Finds the tables that a folder lacks and returns how to create them. */
type Pass = () => Promise<{ fileIds: readonly string[]; make: MakeFile }>

interface Running {
  now: Promise<ReadonlySet<string>>
  next: Promise<ReadonlySet<string>> | undefined
  askedAt: number
}

/** Creates tables of folders in the background, one file at a time in each folder. */
function createFolderTableMaker(logger: Logger, maxMs = usualMs): FolderTableMaker {
  const folders = new Map<string, Running>()
  const closing = new AbortController()

  async function run(folderId: string, pass: Pass): Promise<ReadonlySet<string>> {
    const failed = new Set<string>()
    if (closing.signal.aborted) return failed
    try {
      const { fileIds, make } = await pass()
      for (const fileId of fileIds) {
        const waited = performance.now() - (folders.get(folderId)?.askedAt ?? 0)
        if (closing.signal.aborted || waited > maxMs) break
        const isMade = await make(fileId, closing.signal).catch((error: unknown) => {
          logger.warn({ err: error, fileId }, "The tables of a file couldn't be made")
          return false
        })
        if (!isMade) failed.add(fileId)
      }
    } catch (error) {
      logger.warn({ err: error, folderId }, "The tables of a folder couldn't be made")
    }
    return failed
  }

  function begin(folderId: string, pass: Pass): Running {
    const running: Running = { now: run(folderId, pass), next: undefined, askedAt: performance.now() }
    folders.set(folderId, running)
    void running.now.then(() => {
      if (folders.get(folderId) === running && !running.next) folders.delete(folderId)
    })
    return running
  }

  return {
    ask(folderId, pass) {
      const running = folders.get(folderId)
      if (!running) return begin(folderId, pass).now
      running.askedAt = performance.now()
      return (running.next ??= running.now.then(() => begin(folderId, pass).now))
    },
    isMaking: (folderId) => folders.has(folderId),
    async [Symbol.asyncDispose]() {
      closing.abort()
      while (folders.size > 0) await Promise.all([...folders.values()].map(({ now, next }) => next ?? now))
    },
  }
}

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

export interface TablesDeps {
  /** Created with the first table; `asker` is created with the first query. */
  maker(): Promise<TableMaker>
  asker(): Promise<TableAsker>
  kept: TableDatabases
  /** Returns the folder's spreadsheets that the user may see, oldest first. Throws `not_found` or `forbidden`. */
  spreadsheets(userId: string, folderId: string): Promise<Spreadsheet[]>
  /** Maps files to their folders. Files that don't exist are left out. */
  getFolders(fileIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  bus: EventBus
  logger: Logger
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
}

export interface QueryOptions extends ListOptions {
  limit?: number | undefined
}

const sweepAfterMs = 200
/** Maximum columns of all tables of a folder. Their descriptions are read for each query, so files beyond it get no tables. */
const maxColumns = 50_000
/** How long a query waits for tables that aren't created yet, and how often it checks for them, in ms. */
const usualWaitMs = 20_000
const pollMs = 1_000

interface FileTables {
  file: Spreadsheet
  was: StoredFileTables | undefined
  state: "made" | "making" | "folder_full"
}

export function createTables(deps: TablesDeps): Tables {
  const { maker, asker, kept, spreadsheets, getFolders, logger, waitMs = usualWaitMs } = deps
  const making = createFolderTableMaker(logger)

  /** Returns the folder's spreadsheets that the caller asked to include. */
  async function findIncluded(
    userId: string,
    folderId: string,
    { generated = "all" }: ListOptions,
  ): Promise<FileTables[]> {
    const found = await findFiles(userId, folderId)
    return found.filter(({ file }) => !file.isGenerated || includesFile(generated, file.id))
  }

  /** Returns all spreadsheets of a folder, and which of them need their tables created. */
  async function findFiles(userId: string, folderId: string): Promise<FileTables[]> {
    const files = await spreadsheets(userId, folderId)
    const found = await Promise.all(
      files.map(async (file) => ({ file, was: await kept.find(folderId, file.id) })),
    )
    const columns = countColumns(found.flatMap(({ was }) => was?.tables ?? []))
    return found.map(({ file, was }) => {
      // Reads files again that have been unlocked since.
      const isLocked = was?.why === "unreadable" && was.withPassword !== true
      if (was?.revision === file.revision && !(isLocked && file.isUnlocked))
        return { file, was, state: "made" }
      const hasRoom = columns - countColumns(was?.tables ?? []) < maxColumns
      return { file, was, state: hasRoom ? "making" : "folder_full" }
    })
  }

  async function makeMissing(userId: string, folderId: string): Promise<ReadonlySet<string>> {
    const failed = await making.ask(folderId, async () => {
      const found = await findFiles(userId, folderId)
      const taken = new Set(found.flatMap(({ was }) => (was?.tables ?? []).map(({ name }) => name)))
      let columns = countColumns(found.flatMap(({ was }) => was?.tables ?? []))
      const missing = new Map(
        found.filter(({ state }) => state === "making").map((each) => [each.file.id, each]),
      )
      return {
        fileIds: [...missing.keys()],
        async make(fileId, signal) {
          const { file, was } = missing.get(fileId) ?? {}
          const before = was?.tables ?? []
          const others = columns - countColumns(before)
          if (!file || others >= maxColumns) return true // The folder is full, so there is nothing left to try.
          const tables = await make(userId, folderId, file, before, taken, signal)
          if (tables) columns = others + countColumns(tables)
          await kept.shrink()
          return tables !== undefined
        },
      }
    })
    sweeping.ask() // Tables of a file deleted in the meantime may still have been created.
    return failed
  }

  /** Returns undefined when the file isn't available now. */
  async function make(
    userId: string,
    folderId: string,
    file: Spreadsheet,
    before: readonly NamedTable[],
    taken: Set<string>,
    signal: AbortSignal,
  ): Promise<NamedTable[] | undefined> {
    const { id, name, revision } = file
    const input = await file.document().catch((error: unknown) => {
      if (error instanceof AppError) return undefined
      throw error
    })
    if (!input) return undefined
    await kept.prepare(folderId)
    const { make: makeTables } = await maker()
    const made = await makeTables(userId, input, kept.databasePath(folderId, id, revision), signal)
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

  /** Returns undefined on timeout. The work itself continues. */
  const wait = <T>(work: Promise<T>, ms: number, signal: AbortSignal): Promise<T | undefined> =>
    unlessAborted(waitAtMost(ms, work), signal)

  /** Answers from the tables that exist, or returns a code for what is missing. */
  async function attempt(
    userId: string,
    folderId: string,
    sql: string,
    options: QueryOptions,
    mayWait = true,
  ) {
    const { limit, signal } = options
    const found = await findIncluded(userId, folderId, options)
    const words = sql.toLowerCase()
    const isNamed = ({ name }: NamedTable) => words.includes(name)
    const files: QueriedFile[] = []
    const wanted: { file: Spreadsheet; was: StoredFileTables }[] = []
    const tables: Table[] = []
    for (const { file, was, state } of found) {
      if (!was?.tables.some(isNamed)) continue
      if (state !== "made") return state === "making" ? "lacks_named" : "full"
      if (!(await kept.hasDatabase(folderId, file.id, file.revision))) {
        await kept.outdate(folderId, file.id, was)
        return "lacks_named"
      }
      wanted.push({ file, was })
      const path = kept.databasePath(folderId, file.id, file.revision)
      files.push({ path, tables: was.tables.map(({ key, name, columns }) => ({ key, name, columns })) })
      tables.push(...was.tables.filter(isNamed).map(toTable(file)))
    }
    const { ask } = await asker()
    const allowMissingTables = mayWait && found.some(({ state }) => state === "making")
    const answer = await ask(
      userId,
      { files, sql, limit: limit ?? usualRows },
      { signal, allowMissingTables },
    )
    if (answer) return { answer, tables }
    if (answer === undefined) return "lacks_some"
    for (const { file, was } of wanted) await kept.outdate(folderId, file.id, was)
    return "lacks_named"
  }

  async function sweep(): Promise<void> {
    const all = await kept.all()
    if (all.length === 0) return
    const folders = await getFolders(all.map(({ fileId }) => fileId))
    for (const { folderId, fileId } of all)
      if (folders.get(fileId) !== folderId) await kept.remove(folderId, fileId)
    await kept.removeEmpty(making.isMaking)
  }

  const sweeping = createDelayedWork(sweep, sweepAfterMs, (error) =>
    logger.warn({ err: error }, "Tables of deleted files couldn't be removed"),
  )
  const unsubscribe = deps.bus.subscribe("files.changed", sweeping.ask)

  return {
    async list(userId, folderId, options) {
      let found = await findIncluded(userId, folderId, options)
      let failed: ReadonlySet<string> | undefined
      if (found.some(({ state }) => state === "making")) {
        failed = await wait(makeMissing(userId, folderId), waitMs, options.signal)
        found = await findIncluded(userId, folderId, options)
      }
      return {
        tables: found.flatMap(({ file, was, state }) =>
          state === "made" ? (was?.tables ?? []).map(toTable(file)) : [],
        ),
        without: found.flatMap(({ file: { id, name }, was, state }) => {
          const why = state === "made" ? was?.why : failed?.has(id) ? "unavailable" : state
          return why ? [{ fileId: id, fileName: name, why }] : []
        }),
      }
    },

    async query(userId, folderId, sql, options) {
      checkSql(sql)
      const until = performance.now() + waitMs
      for (;;) {
        const attempted = await unlessAborted(attempt(userId, folderId, sql, options), options.signal)
        if (typeof attempted !== "string") return attempted
        const left = until - performance.now()
        if (attempted === "full") throw new AppError("unprocessable", sentence("tables.folder_full"))
        if (left <= 0) throw new AppError("conflict", sentence("tables.being_made"))
        const made = makeMissing(userId, folderId)
        if (!(await wait(made, Math.min(left, pollMs), options.signal))) continue
        const last = await unlessAborted(attempt(userId, folderId, sql, options, false), options.signal)
        if (typeof last !== "string") return last
        throw new AppError("unavailable", sentence("tables.gone"))
      }
    },

    sweep,
    async [Symbol.asyncDispose]() {
      unsubscribe()
      await making[Symbol.asyncDispose]()
      await sweeping[Symbol.asyncDispose]()
    },
  }
}

const countColumns = (tables: readonly MadeTable[]): number =>
  tables.reduce((sum, { columns }) => sum + columns.length, 0)

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
    const [was] = index < 0 ? [] : left.splice(index, 1)
    const name = was?.name ?? chooseTableName(fileName, table.sheet, taken)
    taken.add(name)
    return { ...table, id: was?.id ?? newId(), name }
  })
}
