import {
  PostgresAdapter,
  type Kysely,
  sql,
  type Compilable,
  type CompiledQuery,
  type QueryResult,
} from "kysely"
import { z } from "zod"
import { isOwnId } from "../ids.ts"

/** Whether rows are on PostgreSQL: for the few statements that have no form that SQLite accepts too. */
export const isPostgres = (db: Pick<Kysely<unknown>, "getExecutor">): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter

/** Does the same for a list that is already JSON. */
export const amongJson = (list: string) => sql<string>`(SELECT value FROM json_each(${list}))`

/** A list for `in`, of any length: a statement accepts only a limited number of separate values. */
export const among = (values: readonly string[]) => amongJson(JSON.stringify(values))

/**
 * Returns the condition that a column of a view is in a JSON list, which `IN` can't express well: PostgreSQL would calculate the whole view
 * before it selects rows.
 */
export const isAmong = (db: Pick<Kysely<unknown>, "getExecutor">, column: string, list: string) =>
  isPostgres(db)
    ? sql<boolean>`${sql.ref(column)} = ANY(ARRAY(SELECT value FROM json_each(${list})))`
    : sql<boolean>`${sql.ref(column)} IN ${amongJson(list)}`

/** For queries with an offset but no limit: SQLite accepts an offset only after a limit. */
export const noLimit = Number.MAX_SAFE_INTEGER

/** Returns the text without differences of case, in every script: SQL's own comparison handles only ASCII. */
export const foldCase = (text: string): string => text.normalize("NFC").toUpperCase().normalize("NFC")

/** Returns the `like` pattern for values that contain the text; `%` and `_` are matched literally. */
export const containsAnywhere = (text: string): string =>
  `%${text.replace(/[\\%_]/g, (character) => `\\${character}`)}%`

/** Returns a condition that a folded column contains the text, in any case. */
export function containsFolded(column: string, text: string) {
  return sql<boolean>`${sql.ref(column)} like ${containsAnywhere(foldCase(text))} escape '\\'`
}

type Ask = { executeQuery<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>> }

/**
 * A query that is built and compiled at its first use, and then reused with other texts for its `names`: building most queries takes longer
 * than SQLite needs to run them. `build` receives placeholders for the texts, and may only use them in comparisons.
 */
export function createPreparedQuery<const Name extends string, Row>(
  db: Ask,
  names: readonly Name[],
  build: (placeholders: Record<Name, string>) => Compilable<Row>,
): (texts: Record<Name, string | Buffer>) => Promise<Row[]> {
  const nameByPlaceholder = new Map<unknown, Name>(names.map((name) => [`\0${name}`, name]))
  const placeholders = Object.fromEntries(names.map((name) => [name, `\0${name}`])) as Record<Name, string>
  let compiled: CompiledQuery<Row> | undefined
  return async (texts) => {
    compiled ??= build(placeholders).compile()
    const parameters = compiled.parameters.map((value) => {
      const name = nameByPlaceholder.get(value)
      return name === undefined ? value : texts[name]
    })
    return (await db.executeQuery<Row>({ ...compiled, parameters })).rows
  }
}

/** Pages that one step writes; it takes up to 10 ms. SQLite's own steps write 64 pages per level of the index, in up to 0.3 s. */
const pagesPerStep = 16
/** SQLite's default number of segments to merge. */
const usualParts = 4

/**
 * Runs work that deletes many rows of the full-text index. Segments that have lost half their rows are rewritten in small steps when the
 * work calls `tidy`, and not by SQLite. Interrupted work must be repeated, or the index is never merged again.
 */
export async function withOwnMerges<Tables>(
  db: Kysely<Tables>,
  index: "messageTexts",
  work: (mergeIndex: () => Promise<void>) => Promise<void>,
): Promise<void> {
  if (isPostgres(db)) return work(() => Promise.resolve()) // PostgreSQL maintains its own indexes
  const sendCommand = (on: Kysely<Tables>, command: string, value: number) =>
    sql`INSERT INTO ${sql.table(index)} (${sql.ref(index)}, rank) VALUES (${sql.lit(command)}, ${sql.lit(value)})`.execute(
      on,
    )

  /** Whether there was anything to do, which SQLite shows by the number of changed rows. */
  const step = () =>
    db.transaction().execute(async (transaction) => {
      const before = await getChanges(transaction)
      await sendCommand(transaction, "merge", pagesPerStep)
      return (await getChanges(transaction)) - before > 1
    })

  await sendCommand(db, "automerge", 0)
  try {
    await work(async () => {
      while (await step());
    })
  } finally {
    await sendCommand(db, "automerge", usualParts)
  }
}

async function getChanges<Tables>(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ changes: number }>`SELECT total_changes() AS changes`.execute(db)
  return rows[0]?.changes ?? 0
}

/** Parses stored JSON. Returns undefined if it doesn't match the schema, for example in a modified backup. */
export function readStored<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
): z.output<Schema> | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  return schema.safeParse(value).data
}

const Texts = z.array(z.string())

/**
 * Parses a stored JSON list of Casella's IDs and drops invalid ones, for example from a modified backup: responses that contain one would
 * fail.
 */
export const readStoredIds = (text: string): string[] => (readStored(Texts, text) ?? []).filter(isOwnId)
