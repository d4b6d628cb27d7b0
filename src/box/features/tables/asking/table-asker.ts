import { z } from "zod"
import { AppError } from "../../../../shared/contract/errors.ts"
import { CellOfAnswer, TableColumn } from "../../../../shared/contract/tables.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { type SpawnChild, permissionArguments } from "../../../core/children/child.ts"
import { ProcessEnded, TookTooLong, createJobRunner } from "../../../tools/job-runner.ts"
import type { QueryAnswer, QueryJob, QueryRows } from "./answer-query.ts"

export interface TableAsker extends AsyncDisposable {
  /**
   * Returns null when a file's database is missing or damaged, and undefined when `allowMissingTables` is set and the query names a table outside the
   * job. Throws `unprocessable` with the reason when the query can't be answered, and the signal's reason when it is aborted.
   */
  ask(userId: string, job: QueryJob, options?: AskOptions): Promise<QueryRows | null | undefined>
}

export interface AskOptions {
  signal?: AbortSignal | undefined
  allowMissingTables?: boolean
}

export interface AskerLimits {
  /** Timeout of one query, in ms. */
  jobMs: number
  /** Memory limit of the process, in MB. */
  megabytes: number
}

/** Two queries run at once, from different users, so that no one waits for another user's slow query. */
const limits = {
  startMs: 60_000,
  slots: 2,
  slotsEach: 1,
  maxWaiting: 32,
  maxWaitingEach: 8,
  idleMs: 30_000,
}
const usual: AskerLimits = { jobMs: 10_000, megabytes: 512 }
const heapMegabytes = 256

const answer: z.ZodType<QueryAnswer> = z.union([
  z.object({
    columns: z.array(TableColumn),
    rows: z.array(z.array(CellOfAnswer)),
    truncated: z.boolean(),
    ms: z.number(),
  }),
  z.object({ wrong: z.enum(["only_select", "only_tables", "answer_too_large", "unread"]) }),
  z.object({ words: z.string() }),
])

/** Answers SQL in a process without permissions. The process is stopped when a query exceeds its time or memory limit. */
export function createTableAsker(spawn: SpawnChild, { jobMs, megabytes } = usual): TableAsker {
  const runner = createJobRunner<QueryJob, QueryAnswer>({
    ...limits,
    jobMs,
    processes: "kept",
    answer,
    spawn,
    child: () => ({
      entry: "table-query",
      env: {},
      execArgv: [
        ...permissionArguments({ threads: true, addons: true }),
        `--max-old-space-size=${heapMegabytes}`,
      ],
      args: [String(megabytes * 2 ** 20)],
    }),
  })

  function explain(error: unknown): never {
    if (error instanceof TookTooLong)
      throw new AppError("unprocessable", sentence("tables.too_slow", { count: jobMs / 1000 }))
    if (error instanceof ProcessEnded)
      throw new AppError("unprocessable", sentence("tables.too_much_memory", { count: megabytes }))
    throw error
  }

  return {
    async ask(userId, job, { signal = AbortSignal.any([]), allowMissingTables = false } = {}) {
      const reply = await runner.run(() => job, { userId, signal }).catch(explain)
      if ("rows" in reply) return reply
      if ("words" in reply && allowMissingTables && reply.words.startsWith("no such table")) return undefined
      if ("words" in reply)
        throw new AppError("unprocessable", sentence("tables.sql_wrong", { words: reply.words }))
      if (reply.wrong === "unread") return null
      throw new AppError("unprocessable", sentence(`tables.${reply.wrong}`))
    },
    [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
  }
}

const maxSqlLength = 100_000

/** Text allowed before the first word: whitespace, empty statements and comments. */
const blank = /^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/

/**
 * Rejects SQL that doesn't start with SELECT or WITH, before any of it is compiled. Statements that start with these words can't attach,
 * set or store anything; SQLite itself checks that they are a single read-only query. Throws `unprocessable`.
 */
export function checkSql(sql: string): void {
  if (sql.length > maxSqlLength)
    throw new AppError("unprocessable", sentence("tables.sql_too_long", { count: maxSqlLength }))
  if (!/^(?:select|with)\b/i.test(sql.replace(blank, "")) || sql.includes("\0"))
    throw new AppError("unprocessable", sentence("tables.only_select"))
}
