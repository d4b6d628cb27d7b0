// Cost of a user's actions for a box, its PostgreSQL server and its object store, for docs/sizing.md: node bench/team-costs.ts
import { mkdtemp, rm } from "node:fs/promises"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { Client } from "pg"
import { spawnBoxProcess } from "../src/box/testing/box-process.ts"
import { startModelServer } from "../src/box/testing/model-servers/model-server.ts"
import { createClient } from "../src/shared/client/http-client.ts"
import { startTestObjectStore } from "../src/shared/testing/test-object-store.ts"
import { startTestPostgres } from "../src/shared/testing/test-postgres.ts"
import { getChildren, getPostgres, residentMb, spentMs } from "./processes.ts"
import { printResults, type BenchResult } from "./result.ts"

const files = 200
const paragraphsPerFile = 40
const wordsPerParagraph = 100
const questions = 100
const tokensPerAnswer = 200
const searches = 200
const listed = 500

/** Resources used so far by all of them. */
interface Used {
  boxMs: number
  postgresMs: number
  commits: number
  walBytes: number
  requests: number
}

export async function run(): Promise<BenchResult[]> {
  const directory = await mkdtemp(join(tmpdir(), "casella-bench-costs-"))
  await using store = await startTestObjectStore()
  await using server = startTestPostgres()
  await using model = await startModelServer(() => ({ text: "word ".repeat(tokensPerAnswer) }))
  const url = await server.createDatabase()
  const env = {
    CASELLA_DATABASE_URL: url,
    ...store.variables("team"),
    CASELLA_MODEL: model.baseUrl,
  }
  const started = spawnBoxProcess(join(directory, "data"), [], { env })
  const sql = new Client({ connectionString: url, application_name: "bench" })
  try {
    const box = await started.ready
    await sql.connect()
    const pid = started.child.pid ?? 0
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": box.firstRunKey ?? "" } })
    const { id } = (await client.folders.create({ body: { name: "Bench" } })).vector

    async function used(): Promise<Used> {
      await wait(1_500) // includes the background work that follows an answer
      const { rows } = await sql.query<{ commits: number; wal: number }>(
        `SELECT pg_snapshot_xmax(pg_current_snapshot())::text::float8 AS commits,
          pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal`,
      )
      return {
        boxMs: spentMs([pid, ...getChildren(pid)]),
        postgresMs: spentMs([getPostgres(server.directory), ...getChildren(getPostgres(server.directory))]),
        commits: rows[0]?.commits ?? 0,
        walBytes: rows[0]?.wal ?? 0,
        requests: store.requests.length,
      }
    }
    async function cost(name: string, count: number, work: () => Promise<unknown>): Promise<BenchResult[]> {
      const before = await used()
      await work()
      const after = await used()
      const each = (key: keyof Used) => (after[key] - before[key]) / count
      return [
        { name: `${name}: processor time of the box`, value: each("boxMs"), unit: "ms" },
        { name: "… of PostgreSQL", value: each("postgresMs"), unit: "ms" },
        { name: "… commits that write", value: each("commits"), unit: "" },
        { name: "… written to PostgreSQL's log", value: each("walBytes") / 1000, unit: "kB" },
        { name: "… requests to the store", value: each("requests"), unit: "" },
      ]
    }

    const random = sequence(7)
    const word = () => `w${Math.floor(random() ** 2 * 20_000).toString(36)}`
    const text = () =>
      Array.from({ length: paragraphsPerFile }, () =>
        Array.from({ length: wordsPerParagraph }, word).join(" "),
      ).join("\n\n")
    const runSequentially = async (count: number, one: (index: number) => Promise<unknown>) => {
      for (let index = 0; index < count; index++) await one(index)
    }
    const upload = (index: number) =>
      client.files.upload({ params: { id }, file: new Blob([text()]), fileName: `${index}.txt` })
    const results: BenchResult[] = []
    await client.folders.update({ params: { id }, body: { paused: true } })
    results.push(...(await cost("an upload of 24 kB", files, () => runSequentially(files, upload))))
    const size = async () =>
      Number(
        (await sql.query<{ size: string }>("SELECT pg_database_size(current_database()) AS size")).rows[0]
          ?.size,
      )
    const sizeBefore = await size()
    results.push(
      ...(await cost("… until it can be found", files, async () => {
        await client.folders.update({ params: { id }, body: { paused: false } })
        const done = async () =>
          (await client.files.list({ params: { id }, query: { status: "completed", limit: 1 } })).total >=
          files
        while (!(await done())) await wait(100)
      })),
    )
    const passages = Number(
      (await sql.query<{ count: string }>("SELECT count(*) FROM passages")).rows[0]?.count,
    )
    results.push(
      { name: "… passages", value: passages / files, unit: "" },
      {
        name: "… in the database, for each passage",
        value: ((await size()) - sizeBefore) / passages / 1000,
        unit: "kB",
      },
    )
    const search = () => client.folders.search({ body: { query: `${word()} ${word()}`, vector: [id] } })
    await search()
    results.push(...(await cost("a search", searches, () => runSequentially(searches, search))))
    const list = () => client.folders.list({ query: {} })
    results.push(...(await cost("a list of folders", listed, () => runSequentially(listed, list))))
    const ask = async (index: number) => {
      const messages = [{ role: "user" as const, content: `What is said of ${word()}?` }]
      for await (const _ of client.chat.send({
        body: { id: `chat-${index % 10}`, messages, boxAddress: box.url },
      }));
    }
    await ask(0)
    results.push(
      ...(await cost(`a question and its answer of ${tokensPerAnswer} tokens`, questions, () =>
        runSequentially(questions, ask),
      )),
      { name: "memory of the box afterwards", value: residentMb(pid), unit: "MB" },
    )
    return results
  } finally {
    await sql.end().catch(() => undefined)
    started.child.kill("SIGKILL")
    if (started.child.exitCode === null && started.child.signalCode === null)
      await once(started.child, "exit")
    await rm(directory, { recursive: true, force: true })
  }
}

function sequence(seed: number): () => number {
  let state = seed
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647
}

if (import.meta.main) printResults(await run())
