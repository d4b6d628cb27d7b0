import { sql, type Selectable, type RawBuilder } from "kysely"
import { AuditAction, AuditOutcome } from "../../../shared/contract/audit-log.ts"
import { Notify, RunStatus } from "../../../shared/contract/automations.ts"
import { ChatImport } from "../../../shared/contract/chat-imports.ts"
import { FinishReason, ApprovalReason, Reading, Rewrite, Role } from "../../../shared/contract/chat.ts"
import { Origin, QuerySource } from "../../../shared/contract/conversations.ts"
import { DeletionKind } from "../../../shared/contract/deletions.ts"
import { FilePhase, FileStatus } from "../../../shared/contract/files.ts"
import { FilingAction, HistoryStep } from "../../../shared/contract/filing.ts"
import {
  FolderImages,
  FolderRemote,
  HiddenParts,
  Strategy,
  Visibility,
} from "../../../shared/contract/folders.ts"
import { ServerState } from "../../../shared/contract/model-servers.ts"
import { Category } from "../../../shared/contract/notifications.ts"
import { EgressOutcome, EgressPurpose } from "../../../shared/contract/privacy.ts"
import { OutboxState } from "../../../shared/contract/support.ts"
import { TicketStatus, TicketType } from "../../../shared/contract/tickets.ts"
import { copiedTables, type CopiedTable, primaryKeys } from "./copy-rows.ts"
import type { DatabaseSchema } from "./database-schema.ts"
import type { Database } from "./database.ts"
import { isPostgres } from "./sql-helpers.ts"

/** The values of a column, as keys, and what replaces any other value; `removed`: the row is removed. */
interface Rule<Value extends string> {
  values: Record<Value, unknown>
  otherwise: Value | typeof removed
}
const removed = Symbol("removed")

type Row<Table extends CopiedTable> = Selectable<DatabaseSchema[Table]>
/** The values of an enumerated column; `never` for other columns. */
type ValuesOf<Column> =
  NonNullable<Column> extends infer Value extends string ? (string extends Value ? never : Value) : never
type Rules<Columns> = {
  [Name in keyof Columns as [ValuesOf<Columns[Name]>] extends [never] ? never : Name]: Rule<
    ValuesOf<Columns[Name]>
  >
}
type AllRules = {
  [Table in CopiedTable as [keyof Rules<Row<Table>>] extends [never] ? never : Table]: Rules<Row<Table>>
}

const visibility = { values: Visibility.enum, otherwise: "PRIVATE" } as const
const strategy = { values: Strategy.enum, otherwise: "hybrid" } as const

/** Every column with enumerated values, and the most private or most harmless value as the replacement for an invalid one. */
export const enumeratedColumns: AllRules = {
  memberships: { role: { values: { owner: 1, member: 1 }, otherwise: "member" } },
  apiKeys: { kind: { values: { box: 1, embedded: 1 }, otherwise: "box" } },
  notifications: {
    type: { values: { info: 1, success: 1, error: 1 }, otherwise: "info" },
    category: { values: Category.enum, otherwise: "system" },
  },
  folders: {
    strategy,
    pipeline: { values: { full: 1, light: 1 }, otherwise: "full" },
    remote: { values: FolderRemote.enum, otherwise: "never" },
    images: { values: FolderImages.enum, otherwise: "none" },
    visibility,
    hiddenParts: { values: HiddenParts.enum, otherwise: "skip" },
  },
  supportTickets: {
    state: { values: OutboxState.enum, otherwise: "refused" },
    type: { values: TicketType.enum, otherwise: "BUG" },
    status: { values: TicketStatus.enum, otherwise: "CLOSED" },
  },
  egress: {
    purpose: { values: EgressPurpose.enum, otherwise: removed },
    outcome: { values: EgressOutcome.enum, otherwise: "failed" },
  },
  auditLog: {
    via: { values: { session: 1, key: 1, command: 1 }, otherwise: removed },
    action: { values: AuditAction.enum, otherwise: removed },
    outcome: { values: AuditOutcome.enum, otherwise: removed }, // a trigger prevents changes to entries
  },
  files: {
    storage: { values: { local: 1, cloud: 1 }, otherwise: "local" },
    status: { values: FileStatus.enum, otherwise: "queued" },
    phase: { values: FilePhase.enum, otherwise: "done" },
  },
  quotas: { kind: { values: { everybody: 1, person: 1, workspace: 1 }, otherwise: removed } },
  assistants: {
    visibility,
    permissionMode: { values: { auto: 1, ask: 1, bypass: 1 }, otherwise: "ask" },
  },
  conversations: {
    origin: { values: Origin.enum, otherwise: "APP" },
    streamStatus: { values: { active: 1, completed: 1, aborted: 1, error: 1 }, otherwise: "error" },
  },
  messages: {
    role: { values: Role.enum, otherwise: "user" },
    finishReason: { values: FinishReason.enum, otherwise: "error" },
  },
  retrievals: { strategy, querySource: { values: QuerySource.enum, otherwise: "question" } },
  approvals: {
    reasonCode: { values: ApprovalReason.enum, otherwise: "untrusted" },
    state: { values: { waiting: 1, allowed: 1, denied: 1, expired: 1 }, otherwise: "expired" },
  },
  chatImports: { status: { values: ChatImport.shape.status.enum, otherwise: "failed" } },
  questions: { status: { values: { open: 1, answered: 1, expired: 1 }, otherwise: "expired" } },
  filings: {
    action: { values: FilingAction.enum, otherwise: removed },
    status: { values: { moving: 1, done: 1, undoing: 1, undone: 1 }, otherwise: "undone" },
  },
  fileHistory: { step: { values: HistoryStep.enum, otherwise: removed } },
  automations: {
    kind: { values: { schedule: 1, file: 1, hook: 1, manual: 1 }, otherwise: "manual" },
    reading: { values: Reading.enum, otherwise: "auto" },
    notify: { values: Notify.enum, otherwise: "always" },
  },
  automationRuns: { status: { values: RunStatus.enum, otherwise: "cancelled" } },
  queuedQuestions: {
    reading: { values: Reading.enum, otherwise: "auto" },
    rewrite: { values: Rewrite.enum, otherwise: "auto" },
  },
  deletions: { kind: { values: DeletionKind.enum, otherwise: removed } },
  modelServers: { state: { values: ServerState.enum, otherwise: "unknown" } },
}

/** Replaces invalid values in these columns of a restored database, because responses that contain one would fail. */
export async function correctEnumeratedColumns(db: Database): Promise<void> {
  for (const [table, rules] of Object.entries(enumeratedColumns))
    for (const [column, { values, otherwise }] of Object.entries<Rule<string>>(rules)) {
      const isOther = sql`${sql.ref(column)} NOT IN (${sql.join(Object.keys(values))})`
      await (
        otherwise === removed
          ? sql`DELETE FROM ${sql.table(table)} WHERE ${isOther}`
          : sql`UPDATE ${sql.table(table)} SET ${sql.ref(column)} = ${otherwise} WHERE ${isOther}`
      ).execute(db)
    }
}

/** Removes rows of a restored database with numbers beyond JavaScript's safe integers, because responses that contain one would fail. */
export async function removeUnsafeNumbers(db: Database): Promise<void> {
  const { MAX_SAFE_INTEGER: max } = Number
  for (const { name: table, columns } of await db.introspection.getTables()) {
    const numbers = columns.filter(({ dataType }) => /int|real|double/i.test(dataType))
    if (numbers.length === 0 || !(copiedTables as string[]).includes(table)) continue
    const isUnsafe = numbers.map(
      ({ name }) => sql`${sql.ref(name)} NOT BETWEEN ${sql.lit(-max)} AND ${sql.lit(max)}`,
    )
    await sql`DELETE FROM ${sql.table(table)} WHERE ${sql.join(isUnsafe, sql` OR `)}`.execute(db)
  }
}

/** Columns with IDs that Casella doesn't generate, and their maximum length; null: any value is valid. */
const foreignIdLengths: Readonly<Record<string, number | null>> = {
  afterId: null, // empty: it starts the chat
  chatId: 200,
  conversationId: 200,
  itemId: null,
  modelId: null,
  requestId: null,
  subjectId: 100,
  ticketId: null,
  toolCallId: null,
}

/** The same check as `!isOwnId`, for a column in each row. */
export function isForeignId(db: Database, column: string): RawBuilder<boolean> {
  const id = sql.ref(column)
  // SQLite compares a text only up to its first NUL, but a blob completely.
  const hasOther = isPostgres(db)
    ? sql`${id} ~ '[^-_A-Za-z0-9]'`
    : sql`${id} GLOB '*[^-_A-Za-z0-9]*' OR length(CAST(${id} AS BLOB)) <> length(${id})`
  return sql`(length(${id}) NOT BETWEEN 1 AND 100 OR ${hasOther})`
}

/**
 * Removes IDs that aren't Casella's from the rows of a restored database, because responses that contain one would fail. A row that
 * requires the ID is removed.
 */
export async function removeForeignIds(db: Database): Promise<void> {
  for (const { name, columns } of await db.introspection.getTables()) {
    const table = copiedTables.find((one) => one === name)
    if (table === undefined) continue
    const texts = columns.filter(({ dataType }) => /text/i.test(dataType))
    for (const { name: column, isNullable } of texts.filter((one) => one.name.endsWith("Id"))) {
      const longest = foreignIdLengths[column]
      if (longest === null) continue
      const isWrong =
        longest === undefined
          ? isForeignId(db, column)
          : sql`length(${sql.ref(column)}) NOT BETWEEN 1 AND ${longest}`
      // A trigger prevents changes to entries of the audit log.
      const isOptional = isNullable && !primaryKeys[table].includes(column) && table !== "auditLog"
      const change = isOptional
        ? sql`UPDATE ${sql.table(table)} SET ${sql.ref(column)} = NULL`
        : sql`DELETE FROM ${sql.table(table)}`
      await sql`${change} WHERE ${isWrong}`.execute(db)
    }
  }
}
