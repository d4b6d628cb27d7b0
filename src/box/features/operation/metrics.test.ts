import { sql } from "kysely"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createEventBus } from "../../core/event-bus.ts"
import { signIn, connectApp } from "../../testing/clients.ts"
import { askInChat, addUser, getRows, startTestBox, type TestBox } from "../../testing/test-box.ts"
import { startModelServer, type ModelServer } from "../../testing/model-servers/model-server.ts"
import { createMetrics, type MetricsDeps } from "./metrics.ts"

let box: TestBox
let model: ModelServer
beforeEach(async () => {
  model = await startModelServer(() => ({ text: "Yes." }))
  box = await startTestBox({ model: model.baseUrl })
  await scrape()
})
afterEach(async () => {
  await box[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

const ask = (headers: Record<string, string>) => fetch(`${box.url}/api/metrics`, { headers })
const scrape = async () => (await ask({ "x-api-key": box.key })).text()

/** Samples of a metrics text, by name and labels. */
const getSamples = (text: string) =>
  new Map(
    text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  )
const sample = async (name: string) => getSamples(await scrape()).get(name)

// Catches metrics of all users that are readable with anyone's key, or with a restricted one.
test("only an owner's unrestricted key or session may read the metrics", async () => {
  const key = async (body: object) => (await box.client.keys.create({ body: { name: "Key", ...body } })).key
  expect((await ask({})).status).toBe(401)
  expect((await ask({ "x-api-key": await key({ scopes: ["read-only"] }) })).status).toBe(403)
  const member = (await (await addUser(box, "ann@example.com")).keys.create({ body: { name: "Full" } })).key
  expect((await ask({ "x-api-key": member })).status).toBe(403)
  expect((await ask({ "x-api-key": await key({}) })).status).toBe(200)
  const session = await signIn(box.url, await box.box.signInToken())
  const answer = await ask(session)
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ])
})

// Catches a text that Prometheus rejects completely because of one line.
test("every line conforms to the format", async () => {
  const line =
    /^(# (HELP|TYPE) [a-z0-9_]+ .+|[a-z0-9_]+(\{[a-z]+="[^"\\]*"(,[a-z]+="[^"\\]*")*\})? (-?[\d.]+(e[+-]\d+)?|Na[Nn]|\+Inf))$/
  const lines = (await scrape()).trimEnd().split("\n")
  expect(lines.filter((one) => one !== "" && !line.test(one))).toEqual([])
  expect(await sample('casella_build_info{version="0.1.0"}')).toBe(1)
})

// Catches a label for each ID or made-up path, which fills the memory of the monitoring system.
test("requests are counted by the endpoint's path, whatever is requested", async () => {
  const headers = { "x-api-key": box.key }
  for (const name of ["one", "two", "three"])
    await fetch(`${box.url}/api/public/chats/secret-${name}`, { headers })
  const before = getSamples(await scrape()).size
  for (let number = 0; number < 100; number++) {
    await fetch(`${box.url}/api/public/chats/made-up-${number}`, { headers })
    await fetch(`${box.url}/made-up-${number}`, { method: number % 2 ? "GET" : "PROPFIND" })
  }
  const route = '"/api/public/chats/:id"'
  await expect
    .poll(() => sample(`casella_http_requests_total{method="GET",route=${route},status="4xx"}`))
    .toBe(103)
  const text = await scrape()
  expect(text).toContain(`casella_http_request_duration_seconds_count{method="GET",route=${route}} 103`)
  expect(text).toContain('{method="other",route="other",status="4xx"} 50')
  expect(text).not.toMatch(/secret|made-up/)
  expect(getSamples(text).size).toBeLessThan(before + 100)
})

// Catches answers whose end isn't reported, or tokens that are counted twice.
test("answers, their tokens, streams and sockets are reported", async () => {
  const app = await connectApp(box.url, box.key)
  await askInChat(box, { id: "chat", content: "Is it?" })
  const reports = [
    "casella_answers_begun_total",
    'casella_answers_ended_total{reason="stop"}',
    "casella_open_websockets",
    'casella_model_state{role="chat",state="ready"}',
    'casella_model_state{role="rerank",state="none"}',
  ]
  await expect
    .poll(async () => {
      const samples = getSamples(await scrape())
      return reports.map((name) => samples.get(name))
    })
    .toEqual([1, 1, 1, 1, 1])
  expect(await sample('casella_answer_tokens_total{kind="completion"}')).toBeGreaterThan(0)
  expect(await sample("casella_open_streams")).toBe(0)
  app.socket.terminate()
})

// Catches a scrape that counts every row every 15 seconds.
test("a server with 100,000 files reports their number without reading any", async () => {
  const { vector } = await box.client.folders.create({ body: { name: "Many" } })
  await box.client.files.upload({ params: { id: vector.id }, file: new Blob(["a"]), fileName: "a.txt" })
  await box.client.notifications.send({ body: { title: "Done", description: "It is." } })
  await expect.poll(() => sample('casella_files{status="completed"}')).toBe(1)
  await using database = await getRows(box.dataDir)
  const { db } = database
  const row = await db.selectFrom("files").selectAll().executeTakeFirstOrThrow()
  for (let batch = 0; batch < 200; batch++) {
    const names = Array.from({ length: 500 }, (_, number) => `${batch}-${number}`)
    await db
      .insertInto("files")
      .values(
        names.map((name) => ({
          ...row,
          id: name,
          name,
          searchName: name,
          nameOrder: name,
          status: "failed",
        })),
      )
      .execute()
  }
  const hide = async (table: string, as: string) =>
    sql`ALTER TABLE ${sql.id(table)} RENAME TO ${sql.id(as)}`.execute(db)
  for (const table of ["files", "notifications"]) await hide(table, `hidden_${table}`)
  await expect.poll(() => sample('casella_files{status="failed"}')).toBe(100_000)
  expect(await sample("casella_notifications_unread")).toBe(1)
})

const silentBox: MetricsDeps = {
  version: "0",
  dataDir: "/",
  traffic: { watch: () => undefined },
  bus: createEventBus(),
  openSockets: () => 0,
  waitingForDatabase: () => 7,
  workers: { count: (kind) => (kind === "read" ? 4 : 2), done: () => 9 },
  models: () => ({ chat: null, embedding: null, rerank: null }),
  files: () => Promise.resolve(new Map([["queued", 3]])),
  unreadNotifications: () => Promise.resolve(0),
}

// Catches missing metrics when they are needed most, because the database or the data directory is gone.
test("a failing database and a lost directory are reported along with all other metrics", async () => {
  const gone = { dataDir: "/nowhere", files: () => Promise.reject(new Error("gone")) }
  const samples = getSamples(await createMetrics({ ...silentBox, ...gone })())
  expect(samples.get("casella_database_up")).toBe(0)
  expect(samples.get("casella_database_waiting")).toBe(7)
  expect(samples.get('casella_worker_places{work="read"}')).toBe(4)
  expect(samples.get('casella_worker_work_total{work="embed"}')).toBe(9)
  expect(samples.get('casella_files{status="queued"}')).toBeNaN()
  expect(samples.get("casella_disk_free_bytes")).toBeNaN()
})

// Catches programs that keep the database busy with frequent requests.
test("many concurrent requests cause one query", async () => {
  let checkCount = 0
  const files: MetricsDeps["files"] = () => {
    checkCount++
    return silentBox.files()
  }
  const metrics = createMetrics({ ...silentBox, files })
  const texts = await Promise.all(Array.from({ length: 50 }, () => metrics()))
  expect(checkCount).toBe(1)
  expect(getSamples(texts[49] ?? "").get('casella_files{status="queued"}')).toBe(3)
})
