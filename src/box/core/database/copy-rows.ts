import { createHash } from "node:crypto"
import { sql, type Kysely } from "kysely"
import type { Database } from "./database.ts"
import type { DatabaseSchema } from "./database-schema.ts"
import { isPostgres } from "./sql-helpers.ts"

type Table = keyof DatabaseSchema

/** Tables with their primary keys, in the order in which rows can be written: referenced tables first. */
const copied = {
  users: ["id"],
  workspaces: ["id"],
  memberships: ["workspaceId", "userId"],
  apiKeys: ["id"],
  keyCalls: ["number"],
  sessions: ["id"],
  signInTokens: ["hash"],
  providerAccounts: ["issuer", "subject"],
  settings: ["key"],
  userSettings: ["userId", "key"],
  modelServers: ["id"],
  toolServers: ["ownerId", "key"],
  assistants: ["id"],
  memories: ["id"],
  projects: ["id"],
  folders: ["id"],
  folderMounts: ["folderId", "path"],
  files: ["id"],
  unfinishedChanges: ["fileId"],
  returningFiles: ["fileId"],
  trashedFiles: ["id"],
  awaitedFolders: ["folderId"],
  fileArrivals: ["number"],
  unusedObjects: ["object"],
  fileTexts: ["fileId", "position"],
  passages: ["id"],
  passageEmbeddings: ["passageId"],
  pictureDescriptions: ["fileId", "hash", "modelId"],
  conversations: ["ownerId", "id"],
  messages: ["id"],
  answerPieces: ["id"],
  retrievals: ["messageId"],
  approvals: ["messageId", "toolCallId"],
  parkedTurns: ["messageId"],
  begunTurns: ["messageId"],
  rememberedTools: ["ownerId", "chatId", "toolName"],
  chatFiles: ["id"],
  chatImports: ["id"],
  readNotes: ["id"],
  readNoteFiles: ["fileId", "noteId"],
  queuedQuestions: ["number"],
  automations: ["id"],
  automationRuns: ["id"],
  questions: ["id"],
  filings: ["id"],
  fileHistory: ["number"],
  deletions: ["number"],
  notifications: ["id"],
  supportTickets: ["id"],
  egress: ["id"],
  quotas: ["kind", "id"],
  dailyUse: ["userId", "day"],
  auditLog: ["id"],
} as const satisfies Partial<Record<Table, readonly string[]>>

export type CopiedTable = keyof typeof copied
export const primaryKeys: Record<CopiedTable, readonly string[]> = copied
export const copiedTables = Object.keys(copied) as CopiedTable[]

/** Filled by triggers from other rows, or views of them. */
export const derivedTables = [
  "notificationCounts",
  "fileCounts",
  "folderSizes",
  "conversationCounts",
  "namedFiles",
  "searchedMessages",
  "usedObjects",
] as const satisfies readonly Table[]

/** Whether a table of a database file of any version is derived. This includes full-text search and its tables. */
export const isDerivedInFile = (table: string): boolean =>
  (derivedTables as readonly string[]).includes(table) || /^(messageTexts|fileNames|sqlite_)/.test(table)

const rowsAtOnce = 200

type AnyRow = Record<string, unknown>
type AnyTables = Kysely<Record<string, AnyRow>>

/**
 * Copies all rows into a database of the same schema, as a snapshot, even if others write at the same time. Resumes after the rows that an
 * earlier attempt copied. Throws when `signal` aborts.
 */
export async function copyRows(from: Database, to: Database, signal?: AbortSignal): Promise<void> {
  await readSnapshot(from, async (snapshot) => {
    for (const table of copiedTables) await copyTable(table, snapshot, to as unknown as AnyTables, signal)
  })
  if (isPostgres(to)) await continueNumbering(to as unknown as AnyTables)
}

async function copyTable(
  table: CopiedTable,
  from: AnyTables,
  to: AnyTables,
  signal: AbortSignal | undefined,
): Promise<void> {
  const last = await selectInOrder(to, table, "desc").limit(1).executeTakeFirst()
  for await (const rows of pages(from, table, last)) {
    signal?.throwIfAborted()
    await to.insertInto(table).values(rows).execute()
  }
}

/** A server numbers some rows itself: lets it continue after the largest copied number. */
async function continueNumbering(to: AnyTables): Promise<void> {
  const { rows } = await sql<{ table: string; key: string }>`
    SELECT table_name AS table, column_name AS key FROM information_schema.columns
    WHERE table_schema = current_schema() AND is_identity = 'YES'`.execute(to)
  for (const { table, key } of rows)
    await sql`SELECT setval(pg_get_serial_sequence(${`"${table}"`}, ${key}), coalesce(max(${sql.ref(key)}), 0) + 1, false)
      FROM ${sql.table(table)}`.execute(to)
}

/** Returns the number of rows of each table, and a hash of them that doesn't depend on the database. */
export async function summarise(
  db: Database,
  signal?: AbortSignal,
): Promise<Map<CopiedTable, { rows: number; hash: string }>> {
  const sums = new Map<CopiedTable, { rows: number; hash: string }>()
  await readSnapshot(db, async (snapshot) => {
    for (const table of copiedTables) {
      const hash = createHash("sha256")
      let count = 0
      for await (const rows of pages(snapshot, table)) {
        signal?.throwIfAborted()
        for (const row of rows) hash.update(`${serialiseRow(row)}\n`)
        count += rows.length
      }
      sums.set(table, { rows: count, hash: hash.digest("hex") })
    }
  })
  return sums
}

const serialiseRow = (row: AnyRow): string =>
  JSON.stringify(
    Object.keys(row)
      .toSorted()
      .map((column) => [column, row[column]]),
  )

const readSnapshot = (db: Database, read: (snapshot: AnyTables) => Promise<void>): Promise<void> =>
  db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute((snapshot) => read(snapshot as unknown as AnyTables))

/** Yields the rows of a table by primary key, after the given row. */
async function* pages(db: AnyTables, table: CopiedTable, last?: AnyRow): AsyncGenerator<AnyRow[]> {
  for (let after = last; ;) {
    const rows = await selectAfter(selectInOrder(db, table, "asc"), table, after)
      .limit(rowsAtOnce)
      .execute()
    if (rows.length > 0) yield rows
    if (rows.length < rowsAtOnce) return
    after = rows.at(-1)
  }
}

function selectInOrder(db: AnyTables, table: CopiedTable, direction: "asc" | "desc") {
  let query = db.selectFrom(table).selectAll()
  for (const column of copied[table]) query = query.orderBy(column, direction)
  return query
}

function selectAfter(query: ReturnType<typeof selectInOrder>, table: CopiedTable, after: AnyRow | undefined) {
  if (after === undefined) return query
  const columns: readonly string[] = copied[table]
  const keyColumns = sql.join(columns.map((column) => sql.ref(column)))
  return query.where(sql<boolean>`(${keyColumns}) > (${sql.join(columns.map((column) => after[column]))})`)
}
