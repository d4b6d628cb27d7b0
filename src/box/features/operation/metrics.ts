import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client"
import { FileStatus } from "../../../shared/contract/files.ts"
import { ModelRole, type ModelState } from "../../../shared/contract/models.ts"
import { freeBytes } from "../../core/disk/disk-space.ts"
import type { EventBus } from "../../core/event-bus.ts"
import { processCounts } from "../../core/process-counts.ts"
import { coalesceWithTimeout, coalesce } from "../../core/waiting/throttle.ts"
import type { Traffic } from "../../http/http-server.ts"
import { workKinds } from "../../http/workers/worker-channel.ts"
import type { Workers } from "../../http/workers/workers.ts"

export interface MetricsDeps {
  version: string
  dataDir: string
  traffic: Pick<Traffic, "watch">
  bus: Pick<EventBus, "subscribe">
  openSockets(): number
  /** Number of operations that currently wait for the database. */
  waitingForDatabase(): number
  /** Standby servers that work for this one; null if there can't be any. */
  workers: Pick<Workers, "count" | "done"> | null
  models(): Record<ModelRole, ModelState | null>
  /** Reads stored counts without counting rows. */
  files(): Promise<ReadonlyMap<FileStatus, number>>
  unreadNotifications(): Promise<number>
}

/** Maximum age of the metrics, however many requests arrive. */
const checkIntervalMs = 1_000
const maxWaitMs = 2_000
/** In seconds. Answers to questions take several, streams minutes. */
const durations = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 60]
const modelStates = ["none", "idle", "loading", "ready", "failed"] as const
const usualMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/**
 * Counts events from now on. The returned function renders them and the current state in Prometheus format. Labels have few values,
 * whatever is requested: they contain no IDs, names or addresses.
 */
export function createMetrics(deps: MetricsDeps): () => Promise<string> {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  countRequests(deps, registers)
  countAnswers(deps, registers)

  const gauge = gaugeIn(registers)
  gauge("casella_build_info", "1, with the version", ["version"], (info) =>
    info.set({ version: deps.version }, 1),
  )
  gauge("casella_open_streams", "Open streams of events", [], (open) => open.set(processCounts.openStreams))
  gauge("casella_open_websockets", "WebSockets of connected apps", [], (open) => open.set(deps.openSockets()))
  gauge("casella_database_waiting", "Who waits for the database at this moment", [], (waiting) =>
    waiting.set(deps.waitingForDatabase()),
  )
  gauge("casella_disk_free_bytes", "Room on the disk of the data directory", [], async (free) =>
    free.set(await freeBytes(deps.dataDir).catch(() => NaN)),
  )
  gauge("casella_model_state", "1 for what the model of a role does", ["role", "state"], (model) => {
    const models = deps.models()
    for (const role of ModelRole.options) {
      const current = models[role]?.status ?? "none"
      for (const state of modelStates) model.set({ role, state }, Number(state === current))
    }
  })
  const counter = counterIn(registers)
  counter(
    "casella_database_refusals_total",
    "How often the database was too busy, or out of reach",
    [],
    (total) => total.inc(processCounts.databaseRefusals),
  )
  const waitHelp = "How long all together have waited for others to be done with the database"
  counter("casella_database_wait_seconds_total", waitHelp, [], (total) =>
    total.inc(processCounts.databaseWaitMs / 1000),
  )
  if (deps.workers) watchWorkers(deps.workers, registers)
  watchRows(deps, registers) // must be last, because it waits for the database itself
  return coalesce(checkIntervalMs, () => registry.metrics())
}

function countRequests({ traffic }: MetricsDeps, registers: Registry[]): void {
  const requests = new Counter({
    name: "casella_http_requests_total",
    help: "Requests by the endpoint's path and the status's class; none: the client left before it was answered",
    labelNames: ["method", "route", "status"],
    registers,
  })
  const seconds = new Histogram({
    name: "casella_http_request_duration_seconds",
    help: "From a request's head to the end of its answer, streams included",
    labelNames: ["method", "route"],
    buckets: durations,
    registers,
  })
  traffic.watch((request) => {
    const route = request.route ?? "other"
    const method = usualMethods.has(request.method) ? request.method : "other"
    const status = request.status === null ? "none" : `${Math.floor(request.status / 100)}xx`
    requests.inc({ method, route, status })
    seconds.observe({ method, route }, request.seconds)
  })
}

function watchWorkers(workers: Pick<Workers, "count" | "done">, registers: Registry[]): void {
  const labels = ["work"]
  gaugeIn(registers)("casella_worker_places", "Worker slots on standby servers", labels, (slots) => {
    for (const work of workKinds) slots.set({ work }, workers.count(work))
  })
  const help = "Work that standby servers have done: documents and pages read, calls of the embedding model"
  counterIn(registers)("casella_worker_work_total", help, labels, (total) => {
    for (const work of workKinds) total.inc({ work }, workers.done(work))
  })
}

function countAnswers({ bus }: MetricsDeps, registers: Registry[]): void {
  const started = new Counter({
    name: "casella_answers_begun_total",
    help: "Answers in chats that started, or continued after an approval",
    registers,
  })
  const ended = new Counter({
    name: "casella_answers_ended_total",
    help: "Answers in chats that ended: complete (stop), at a limit (length), waiting for an approval (tool-calls), stopped (aborted) or failed (error)",
    labelNames: ["reason"],
    registers,
  })
  const tokens = new Counter({
    name: "casella_answer_tokens_total",
    help: "Tokens that models read and wrote for answers in chats",
    labelNames: ["kind"],
    registers,
  })
  bus.subscribe("answer.begun", () => started.inc())
  bus.subscribe("answer.written", ({ finishReason, usage }) => {
    ended.inc({ reason: finishReason })
    tokens.inc({ kind: "prompt" }, usage.promptTokens)
    tokens.inc({ kind: "completion" }, usage.completionTokens)
  })
}

/** Reads all database metrics in one query. While the database doesn't respond, all other metrics are still reported. */
function watchRows(deps: MetricsDeps, registers: Registry[]): void {
  const read = coalesceWithTimeout(maxWaitMs, async () => {
    const started = performance.now()
    const [files, unread] = [await deps.files(), await deps.unreadNotifications()]
    return { files, unread, seconds: (performance.now() - started) / 1000 }
  })
  const rows = () => read().catch(() => undefined)
  const gauge = gaugeIn(registers)
  gauge("casella_database_up", "Whether the database answers", [], async (up) =>
    up.set(Number((await rows()) !== undefined)),
  )
  gauge(
    "casella_database_read_seconds",
    "How long it took to tell what it is asked here",
    [],
    async (seconds) => seconds.set((await rows())?.seconds ?? NaN),
  )
  gauge("casella_notifications_unread", "Notifications that wait to be read", [], async (unread) =>
    unread.set((await rows())?.unread ?? NaN),
  )
  const help = "Files of all folders: queued and processing ones wait to be searchable"
  gauge("casella_files", help, ["status"], async (files) => {
    const known = (await rows())?.files
    for (const status of FileStatus.options) files.set({ status }, known ? (known.get(status) ?? 0) : NaN)
  })
}

/** Gauges that are set when they are read. */
const gaugeIn =
  (registers: Registry[]) =>
  (name: string, help: string, labelNames: string[], set: (gauge: Gauge) => unknown): Gauge =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      async collect() {
        await set(this)
      },
    })

/** Counters for values that are counted elsewhere. */
const counterIn =
  (registers: Registry[]) =>
  (name: string, help: string, labelNames: string[], read: (total: Counter) => void): Counter =>
    new Counter({
      name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset()
        read(this)
      },
    })
