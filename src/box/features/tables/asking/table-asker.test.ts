import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { AppError } from "../../../../shared/contract/errors.ts"
import type { ColumnType } from "../../../../shared/contract/tables.ts"
import { spawnNodeChild } from "../../../core/children/child.ts"
import { answerQuery } from "./answer-query.ts"
import { checkSql, createTableAsker, type AskerLimits, type TableAsker } from "./table-asker.ts"

let directory: string
let path: string
interface WatchedAsker {
  asker: TableAsker
  /** Processes that the asker started. */
  pids: (number | undefined)[]
}
let unhurried: WatchedAsker
/** For queries that never end by themselves. */
let hasty: WatchedAsker

const columns = (["number", "text"] as ColumnType[]).map((type, index) => ({ name: `c${index}`, type }))

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "casella-asker-"))
  path = join(directory, "file.sqlite")
  makeFile(path, 1000)
  unhurried = watchedAsker({ jobMs: 60_000, megabytes: 256 })
  hasty = watchedAsker({ jobMs: 2000, megabytes: 256 })
})
afterAll(async () => {
  await unhurried.asker[Symbol.asyncDispose]()
  await hasty.asker[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true, force: true })
})

function watchedAsker(limits: AskerLimits): WatchedAsker {
  const pids: (number | undefined)[] = []
  const asker = createTableAsker((options) => {
    const child = spawnNodeChild(options)
    pids.push(child.pid)
    return child
  }, limits)
  return { asker, pids }
}

function makeFile(at: string, rows: number): void {
  const database = new SqliteDatabase(at)
  database.exec(`CREATE TABLE t0 ("c0" REAL, "c1" TEXT)`)
  database.exec(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) INSERT INTO t0 SELECT i, 'row ' || i FROM n`,
  )
  database.close()
}

/** Runs a query as the service does. */
async function ask(sql: string, limit = 200, { asker } = unhurried) {
  checkSql(sql)
  return asker.ask("alice", {
    files: [{ path, tables: [{ key: "t0", name: "rows_of_it", columns }] }],
    sql,
    limit,
  })
}

const getReason = (sql: string, watched = unhurried) =>
  ask(sql, 200, watched).then(
    (answer) => `answered: ${JSON.stringify(answer).slice(0, 200)}`,
    (error: unknown) => {
      expect((error as AppError).code, sql).toBe("unprocessable")
      return (error as AppError).message
    },
  )

test("answers a valid query and applies its limit", async () => {
  expect(await ask("-- sums\n/* of all */ SELECT sum(c0) AS s, count(*) FROM rows_of_it;")).toMatchObject({
    columns: [
      { name: "s", type: "number" },
      { name: "count(*)", type: "number" },
    ],
    rows: [[500_500, 1000]],
    truncated: false,
  })
  const some = await ask("WITH some AS (SELECT * FROM rows_of_it) SELECT c1 FROM some ORDER BY c0 DESC", 2)
  expect(some).toMatchObject({ rows: [["row 1000"], ["row 999"]], truncated: true })
})

// Catches numbers that change in transit, and an answer that isn't valid JSON.
test("returns values that JavaScript or JSON can't represent as text", async () => {
  const answer = await ask("SELECT 9007199254740993, 1e999, x'00ff', NULL, 7, 'a' || char(55357)")
  expect(answer?.rows).toEqual([["9007199254740993", null, "00ff", null, 7, expect.any(String)]])
})

describe("anything except a read-only SELECT", () => {
  const select = "Only a single SELECT statement is allowed."
  test.each([
    "INSERT INTO rows_of_it VALUES (1, 'x')",
    "WITH x AS (SELECT 1) DELETE FROM f0.t0",
    "UPDATE f0.t0 SET c0 = 0",
    "DROP TABLE f0.t0",
    "CREATE TABLE f0.more (a)",
    "PRAGMA query_only = OFF",
    "PRAGMA database_list",
    "ATTACH '/etc/passwd' AS secrets",
    "VACUUM INTO '/tmp/casella-copy'",
    "EXPLAIN SELECT 1",
    "VALUES (1)",
    "BEGIN",
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP TABLE f0.t0",
    "SELECT 1 /* ; */; ATTACH 'x' AS y",
    "SELECT\0 1",
    "",
  ])("is rejected: %s", async (sql) => {
    const before = readFileSync(path)
    const said = await getReason(sql)
    expect(said).toMatch(sql.startsWith("WITH") ? /The SQL can't be run|Only a single SELECT/ : select)
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(existsSync("/tmp/casella-copy")).toBe(false)
  })

  // Catches access to data directory paths or to tables outside the list, and functions that load code or access files.
  test.each([
    ["SELECT * FROM pragma_database_list", /reads something other/],
    [`SELECT * FROM "pragma_database_list"`, /reads something other/],
    ["SELECT file FROM (SELECT * FROM pragma_database_list()) AS x", /reads something other/],
    ["SELECT * FROM dbstat", /reads something other/],
    ["SELECT name FROM sqlite_schema", /reads something other/],
    ["SELECT count(*) FROM f0.sqlite_master", /reads something other/],
    ["SELECT sql FROM sqlite_temp_schema", /reads something other/],
    [
      "SELECT 1 WHERE EXISTS (SELECT 1 FROM [sqlite_temp_master] WHERE sql LIKE '%f0%')",
      /reads something other/,
    ],
    ["SELECT c1, (SELECT max(rootpage) FROM f0.sqlite_schema) FROM rows_of_it", /reads something other/],
    ["SELECT load_extension('/tmp/x.so')", /not authorized/],
    ["SELECT readfile('/etc/passwd')", /no such function/],
    ["SELECT writefile('/tmp/casella-copy', 'x')", /no such function/],
    ["SELECT fts3_tokenizer('simple', x'00')", /can't be run|disabled|parameter/i],
    ["SELECT edit('x')", /no such function/],
    ["SELECT * FROM f1.t0", /no such table/],
    ["SELECT ?", /can't be run/],
    ["SELECT 'open", /can't be run/],
    [`SELECT ${"(".repeat(5000)}1${")".repeat(5000)}`, /can't be run/],
  ])("can't access anything outside: %s", async (sql, reason) => {
    expect(await getReason(sql)).toMatch(reason)
  })

  test("is rejected when it exceeds the maximum length", async () => {
    expect(await getReason(`SELECT '${"x".repeat(1_000_000)}'`)).toMatch(/longer than 100,000 characters/)
  })
})

describe("a query that uses too many resources", () => {
  const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
  const tooSlow = /took longer than 2 s/
  const either = /took longer than 2 s|more than 256 MB|can't be run/

  // Catches a query that keeps a processor busy forever or fills the computer's memory.
  test.each([
    [`${endless} SELECT count(*) FROM n`, tooSlow],
    ["SELECT count(*) FROM rows_of_it a, rows_of_it b, rows_of_it c, rows_of_it d", tooSlow],
    [`${endless} SELECT group_concat(hex(randomblob(100000))) FROM n`, either],
    [`${endless} SELECT i, randomblob(1000) FROM n ORDER BY 2`, either],
    ["SELECT a.c1, b.c1, c.c1 FROM rows_of_it a, rows_of_it b, rows_of_it c ORDER BY random()", either],
    ["SELECT length(hex(zeroblob(400000000)))", either],
    ["SELECT length(printf('%.*c', 900000000, 'x'))", either],
    ["SELECT replace(hex(zeroblob(100000)), '00', hex(zeroblob(5000)))", either],
  ])("is stopped with the reason: %s", async (sql, reason) => {
    expect(await getReason(sql, hasty)).toMatch(reason)
    await expectNothingLeft(hasty)
  })

  // Catches an answer that is sent on whatever its size.
  test.each([
    ["SELECT printf('%.*c', 9000000, 'x')", /too large/],
    [`SELECT ${"n.*, ".repeat(100)} 1 FROM (SELECT 1 AS "${"n".repeat(90_000)}") n`, /too large/],
    ["SELECT group_concat(c1 || hex(zeroblob(20000))) FROM rows_of_it", /too large|256 MB/],
  ])("is rejected because of its size: %s", async (sql, reason) => {
    expect(await getReason(sql)).toMatch(reason)
    await expectNothingLeft(unhurried)
  })

  /** Expects the next query to be answered and no extra processes to be running. */
  async function expectNothingLeft(watched: WatchedAsker): Promise<void> {
    expect((await ask("SELECT count(*) FROM rows_of_it", 1, watched))?.rows).toEqual([[1000]])
    const alive = watched.pids.filter((pid) => isRunning(pid ?? 0))
    expect(alive.length).toBeLessThanOrEqual(2)
  }
})

// Catches a sort or text that uses gigabytes before the timeout.
test("stops a query that exceeds its memory before its timeout", async () => {
  await using patient = createTableAsker(spawnNodeChild, { jobMs: 20_000, megabytes: 256 })
  const sql =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, randomblob(10000) FROM n ORDER BY 2"
  await expect(patient.ask("alice", { files: [], sql, limit: 1 })).rejects.toMatchObject({
    code: "unprocessable",
    message: "The query needed more than 256 MB of memory, so it was stopped. Ask for less at once.",
  })
})

// Catches one user's slow query that blocks other users until its timeout, and one user who occupies every slot.
test("a slow query delays only other queries by the same user", async () => {
  const patient = createTableAsker(spawnNodeChild, { jobMs: 120_000, megabytes: 256 })
  const query = (userId: string, sql: string) => patient.ask(userId, { files: [], sql, limit: 1 })
  const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
  const settled: string[] = []
  const slow = query("alice", endless).finally(() => settled.push("slow"))
  const own = query("alice", "SELECT 1").finally(() => settled.push("own"))
  const ended = Promise.allSettled([slow, own])
  expect((await query("bob", "SELECT 2"))?.rows).toEqual([[2]])
  expect((await query("carol", "SELECT 3"))?.rows).toEqual([[3]])
  expect(settled).toEqual([])
  await patient[Symbol.asyncDispose]()
  expect((await ended).map(({ status }) => status)).toEqual(["rejected", "rejected"])
})

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

// Catches SQLite's limit of ten databases, and column types that are lost in a copy.
test("queries more files together than SQLite opens at once", async () => {
  const files = Array.from({ length: 15 }, (_, index) => {
    const at = join(directory, `month${index}.sqlite`)
    makeFile(at, index + 1)
    return { path: at, tables: [{ key: "t0", name: `month_${index}`, columns }] }
  })
  const union = files.map((_, index) => `SELECT c0 FROM month_${index}`).join(" UNION ALL ")
  const answer = await unhurried.asker.ask("alice", {
    files,
    sql: `SELECT count(*), sum(c0) FROM (${union})`,
    limit: 10,
  })
  expect(answer?.rows).toEqual([[120, 680]])
  const last = await unhurried.asker.ask("alice", { files, sql: "SELECT * FROM month_14", limit: 1 })
  expect(last).toMatchObject({ columns, rows: [[1, "row 1"]] })
})

// Catches SQLite errors about a cached file that reveal its path and look like errors in the query.
test("distinguishes a damaged file from a wrong query", async () => {
  const broken = join(directory, "broken.sqlite")
  writeFileSync(broken, "no database at all, but long enough to be looked at".repeat(100))
  const files = [{ path: broken, tables: [{ key: "t0", name: "broken", columns }] }]
  expect(await unhurried.asker.ask("alice", { files, sql: "SELECT * FROM broken", limit: 1 })).toBeNull()
})

// Catches a query that opens a virtual table or a schema where no process surrounds it.
test.each(["SELECT * FROM pragma_database_list", "SELECT name FROM sqlite_schema", "SELECT * FROM dbstat"])(
  "%s isn't answered",
  (sql) => {
    const files = [{ path, tables: [{ key: "t0", name: "rows_of_it", columns }] }]
    expect(answerQuery({ files, sql, limit: 10 })).toEqual({ wrong: "only_tables" })
    expect(answerQuery({ files, sql: "SELECT c0 FROM rows_of_it", limit: 1 })).toMatchObject({ rows: [[1]] })
  },
)
