import type { Table, TableAnswer } from "../../../shared/contract/tables.ts"
import { usualRows } from "../../../shared/contract/tables.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { EventBus } from "../../core/event-bus.ts"
import { newId } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { createDelayedWork } from "../../core/waiting/delayed-work.ts"
import { createKeyedLock } from "../../core/waiting/keyed-lock.ts"
import type { ParserInput } from "../../parsers/parser.ts"
import { checkSql } from "./asking/check-sql.ts"
import type { TableAsker } from "./asking/table-asker.ts"
import type { KeptTable, KeptTables } from "./keeping/kept-tables.ts"
import { tableName } from "./keeping/table-names.ts"
import type { MadeTable } from "./made-table.ts"
import type { TableMaker } from "./making/table-maker.ts"

/** A spreadsheet in a folder, completely indexed. */
export interface Spreadsheet {
  id: string
  name: string
  /** Another one once its content is. */
  revision: number
  /** Where it is. Throws when it isn't there. */
  document(): Promise<ParserInput>
}

export interface TablesDeps {
  /** Made with the first table, as what asks is with the first query. */
  maker(): Promise<TableMaker>
  asker(): Promise<TableAsker>
  kept: KeptTables
  /** Those of a folder that the user may see, the oldest first. Throws `not_found` or `forbidden`. */
  spreadsheets(userId: string, folderId: string): Promise<Spreadsheet[]>
  /** The folders in which the files are; nothing of those that there aren't. */
  foldersOf(fileIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  bus: EventBus
  logger: Logger
}

/** An answer, and the tables that its SQL may speak of. */
export interface AskedTables {
  answer: TableAnswer
  tables: Table[]
}

/** Spreadsheets of folders as tables, for those who may see the folder (extensions.md 3). */
export interface Tables extends AsyncDisposable {
  list(userId: string, folderId: string): Promise<Table[]>
  /** Throws `unprocessable` with the reason for anything but a SELECT that keeps to its limits. */
  query(userId: string, folderId: string, sql: string, limit?: number): Promise<AskedTables>
  /** Removes what was made of files that are no longer there. */
  sweep(): Promise<void>
}

const sweepAfterMs = 200
/** Of all tables of a folder. What is known of them is read with each question: further files have no tables. */
const mostColumns = 50_000

interface FileTables {
  file: Spreadsheet
  tables: KeptTable[]
}

export function createTables(deps: TablesDeps): Tables {
  const { maker, asker, kept, spreadsheets, foldersOf, logger } = deps
  const lock = createKeyedLock()
  /** Folders of which a file is being made into tables. */
  const making = new Set<string>()
  /** All tables of a folder, those of new and changed files made first. */
  const upToDate = (userId: string, folderId: string): Promise<FileTables[]> =>
    lock.run(folderId, async () => {
      const files = await spreadsheets(userId, folderId)
      const found = await Promise.all(
        files.map(async (file) => ({ file, was: await kept.find(folderId, file.id) })),
      )
      const taken = new Set(found.flatMap(({ was }) => (was?.tables ?? []).map(({ name }) => name)))
      let columns = columnsOf(found.flatMap(({ was }) => was?.tables ?? []))
      const all: FileTables[] = []
      let isNew = false
      for (const { file, was } of found) {
        const before = was?.tables ?? []
        const others = columns - columnsOf(before)
        if (was?.revision === file.revision) all.push({ file, tables: before })
        else if (others < mostColumns) {
          const tables = await make(userId, folderId, file, before, taken)
          if (tables) {
            all.push({ file, tables })
            columns = others + columnsOf(tables)
          }
          isNew = true
        }
      }
      if (isNew) await kept.shrink()
      return all
    })

  /** Undefined when the file isn't there at the moment. */
  async function make(
    userId: string,
    folderId: string,
    file: Spreadsheet,
    before: readonly KeptTable[],
    taken: Set<string>,
  ): Promise<KeptTable[] | undefined> {
    const { id, name, revision } = file
    const input = await file.document().catch((error: unknown) => {
      if (error instanceof AppError) return undefined
      throw error
    })
    if (!input) return undefined
    making.add(folderId)
    try {
      await kept.prepare(folderId)
      const { make: makeTables } = await maker()
      const made = await makeTables(userId, input, kept.databasePath(folderId, id, revision))
      if (made.problem !== null) logger.warn({ fileId: id, problem: made.problem }, "A file has no tables")
      const tables = named(name, made.tables, before, taken)
      await kept.keep(folderId, id, { revision, tables })
      return tables
    } finally {
      making.delete(folderId)
    }
  }

  /** The databases of the files whose tables a query may speak of, and those; made again where they went. */
  async function opened(userId: string, folderId: string, sql: string) {
    const words = sql.toLowerCase()
    const isNamed = ({ name }: KeptTable) => words.includes(name)
    const wanted = (await upToDate(userId, folderId)).filter(({ tables }) => tables.some(isNamed))
    const tables = wanted.flatMap(({ file, tables: all }) => all.filter(isNamed).map(toTable(file)))
    const files = await Promise.all(
      wanted.map(async ({ file, tables }) => {
        const path = kept.databasePath(folderId, file.id, file.revision)
        if (!(await kept.isThere(folderId, file.id, file.revision)))
          await lock.run(folderId, () => make(userId, folderId, file, tables, new Set()))
        return { path, tables: tables.map(({ key, name, columns }) => ({ key, name, columns })) }
      }),
    )
    return { files, tables }
  }

  async function sweep(): Promise<void> {
    const all = await kept.all()
    if (all.length === 0) return
    const folders = await foldersOf(all.map(({ fileId }) => fileId))
    for (const { folderId, fileId } of all)
      if (folders.get(fileId) !== folderId) await kept.remove(folderId, fileId)
    await kept.removeEmpty((folderId) => making.has(folderId))
  }

  const sweeping = createDelayedWork(sweep, sweepAfterMs, (error) =>
    logger.warn({ err: error }, "Tables of deleted files couldn't be removed"),
  )
  const unsubscribe = deps.bus.subscribe("files.changed", sweeping.ask)

  return {
    async list(userId, folderId) {
      const all = await upToDate(userId, folderId)
      return all.flatMap(({ file, tables }) => tables.map(toTable(file)))
    },

    async query(userId, folderId, sql, limit = usualRows) {
      checkSql(sql)
      const { files, tables } = await opened(userId, folderId, sql)
      const { ask } = await asker()
      const answer = await ask(userId, { files, sql, limit })
      if (answer) return { answer, tables }
      for (const { path } of files) await kept.removeDatabase(path)
      const anew = await opened(userId, folderId, sql)
      const again = await ask(userId, { files: anew.files, sql, limit })
      if (again) return { answer: again, tables: anew.tables }
      throw new AppError("unavailable", sentence("tables.gone"))
    },

    sweep,
    async [Symbol.asyncDispose]() {
      unsubscribe()
      await sweeping[Symbol.asyncDispose]()
    },
  }
}

const columnsOf = (tables: readonly MadeTable[]): number =>
  tables.reduce((sum, { columns }) => sum + columns.length, 0)

const toTable =
  (file: Spreadsheet) =>
  ({ id, sheet, name, rows, columns }: KeptTable): Table => ({
    id,
    fileId: file.id,
    fileName: file.name,
    sheet,
    name,
    rows,
    columns,
  })

/** Gives tables the ids and names that they had before; new ones get names that nobody has. */
function named(
  fileName: string,
  made: readonly MadeTable[],
  before: readonly KeptTable[],
  taken: Set<string>,
): KeptTable[] {
  const left = [...before]
  return made.map((table) => {
    const index = left.findIndex(({ sheet }) => sheet === table.sheet)
    const [was] = index < 0 ? [] : left.splice(index, 1)
    const name = was?.name ?? tableName(fileName, table.sheet, taken)
    taken.add(name)
    return { ...table, id: was?.id ?? newId(), name }
  })
}
