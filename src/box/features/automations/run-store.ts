import { sql } from "kysely"
import { type RunStatus, maxWaitingRuns, type Cause } from "../../../shared/contract/automations.ts"
import { AppError, type ErrorBody } from "../../../shared/contract/errors.ts"
import type { Page } from "../../../shared/contract/primitives.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { ownTables, type AnyTransaction, type DbOf } from "../../core/database/database.ts"
import { newId, timestamp } from "../../core/ids.ts"
import { getCauseKey, getCause, type AutomationRow, type RunRow, type RunStarter } from "./store.ts"

/** Events of runs, with their source states and target state. In any other state an event is ignored. */
const runEvents = {
  /** The run's prompt is sent to the model. */
  started: { from: ["queued"], to: "running" },
  /** The run waits for its owner's decision. */
  parked: { from: ["running"], to: "waiting" },
  /** The owner decided. */
  resumed: { from: ["waiting"], to: "running" },
  /** The box stopped during the run, so the run starts again. */
  cut: { from: ["running", "waiting"], to: "queued" },
  completed: { from: ["running", "waiting"], to: "completed" },
  failed: { from: ["queued", "running", "waiting"], to: "failed" },
  /** The run never started. */
  skipped: { from: ["queued"], to: "skipped" },
  cancelled: { from: ["queued", "running", "waiting"], to: "cancelled" },
} as const satisfies Record<string, { from: readonly RunStatus[]; to: RunStatus }>

type RunEvent = keyof typeof runEvents
/** Events that end a run. */
export type EndEvent = Extract<RunEvent, "completed" | "failed" | "skipped" | "cancelled">

/** States of a run that has ended. */
const ended = ["completed", "failed", "skipped", "cancelled"] as const satisfies readonly RunStatus[]
/** States of a run that has started but not ended. */
export const active = ["running", "waiting"] as const satisfies readonly RunStatus[]

/** Maximum number of runs kept per automation: 10,000 files that arrive at once, and the runs of a day. */
const maxKept = 11_000
/** Number of consecutive failures after which an automation is disabled. */
const maxFailures = 5

/** Result of ending a run. */
export interface Ended {
  run: RunRow
  automation: AutomationRow
  /** Whether this failure disabled the automation. */
  isSwitchedOff: boolean
}

/** Stores runs in order of arrival. Each transaction is one step. */
export class RunStore {
  readonly #db: DbOf<"automations">

  constructor(db: DbOf<"automations">) {
    this.#db = db
  }

  /**
   * Adds a run. The run is skipped if too many are queued, the day's budget is used up, or `refusal` is given; its owner is notified of a
   * refusal. Returns undefined if the cause already has a run. `starter`: the credential that starts the run by hand.
   */
  async add(
    transaction: AnyTransaction,
    automation: AutomationRow,
    cause: Cause,
    {
      input = null,
      refusal = null,
      starter,
    }: { input?: string | null; refusal?: ErrorBody | null; starter?: RunStarter } = {},
  ): Promise<RunRow | undefined> {
    const tables = ownTables<"automations">(transaction)
    const now = timestamp()
    const error = refusal ?? (await findRefusal(tables, automation, now))
    const id = newId()
    const added = await tables
      .insertInto("automationRuns")
      .values({
        id,
        automationId: automation.id,
        ownerId: automation.ownerId,
        status: error ? "skipped" : "queued",
        cause: JSON.stringify({ ...cause, ...starter }),
        causeKey: getCauseKey(cause, id),
        input,
        createdAt: now,
        endedAt: error ? now : null,
        error: error && JSON.stringify(error),
        ...(refusal && { told: 0 }),
      })
      .onConflict((conflict) => conflict.columns(["automationId", "causeKey"]).doNothing())
      .returningAll()
      .executeTakeFirst()
    if (error) await trim(tables, automation.id)
    return added
  }

  /** Whether an automation already has a run with this cause key. */
  async hasRun(transaction: AnyTransaction, automationId: string, causeKey: string): Promise<boolean> {
    const run = ownTables<"automations">(transaction)
      .selectFrom("automationRuns")
      .select("id")
      .where("automationId", "=", automationId)
      .where("causeKey", "=", causeKey)
    return (await run.executeTakeFirst()) !== undefined
  }

  /** Whether an automation has a queued run. */
  async isWaiting(transaction: AnyTransaction, automationId: string): Promise<boolean> {
    return (await countQueued(ownTables(transaction), automationId)) > 0
  }

  find(id: string): Promise<RunRow | undefined> {
    return this.#db.selectFrom("automationRuns").selectAll().where("id", "=", id).executeTakeFirst()
  }

  /** Returns the owner's run that belongs to this chat. */
  within(transaction: AnyTransaction, ownerId: string, chatId: string): Promise<RunRow | undefined> {
    return ownTables<"automations">(transaction)
      .selectFrom("automationRuns")
      .selectAll()
      .where("id", "=", chatId)
      .where("ownerId", "=", ownerId)
      .executeTakeFirst()
  }

  /** Returns the active run that belongs to this chat. */
  findByChat(ownerId: string, chatId: string): Promise<RunRow | undefined> {
    return this.#db
      .selectFrom("automationRuns")
      .selectAll()
      .where("chatId", "=", chatId)
      .where("ownerId", "=", ownerId)
      .where("status", "in", active)
      .executeTakeFirst()
  }

  /**
   * Returns the next queued run of each automation without an active run, in order, starting after the run `after`. Leaves out the runs of
   * some users.
   */
  async next(after: string, max: number, withoutOwners: readonly string[] = []): Promise<RunRow[]> {
    const busy = this.#db.selectFrom("automationRuns").select("automationId").where("status", "in", active)
    const first = this.#db
      .selectFrom("automationRuns")
      .select((e) => e.fn.min("id").as("id"))
      .where("status", "=", "queued")
      .where("automationId", "not in", busy)
      .where("ownerId", "not in", withoutOwners)
      .groupBy("automationId")
    return this.#db
      .selectFrom("automationRuns")
      .selectAll()
      .where("id", "in", first)
      .where("id", ">", after)
      .orderBy("id")
      .limit(max)
      .execute()
  }

  /** Returns all active runs. */
  active(): Promise<RunRow[]> {
    return this.#db
      .selectFrom("automationRuns")
      .selectAll()
      .where("status", "in", active)
      .orderBy("id")
      .execute()
  }

  /** Returns runs that were started with API keys and haven't ended. */
  listStartedByKeys(): Promise<Pick<RunRow, "id" | "cause">[]> {
    return this.#db
      .selectFrom("automationRuns")
      .select(["id", "cause"])
      .where("status", "in", ["queued", ...active])
      .where("cause", "like", '%"via":"key"%')
      .orderBy("id")
      .execute()
  }

  /** Applies an event to a run. Returns undefined if the run's state doesn't allow it. */
  async applyTransition(
    event: RunEvent,
    id: string,
    changes: Partial<Pick<RunRow, "chatId" | "startedAt" | "attempt">> = {},
    transaction: AnyTransaction = this.#db,
  ): Promise<RunRow | undefined> {
    const { from, to } = runEvents[event]
    return ownTables<"automations">(transaction)
      .updateTable("automationRuns")
      .set({ status: to, ...changes })
      .where("id", "=", id)
      .where("status", "in", from)
      .returningAll()
      .executeTakeFirst()
  }

  /** Ends a run and counts consecutive failures. Returns undefined if the run has already ended. */
  end(event: EndEvent, id: string, why: ErrorBody | null): Promise<Ended | undefined> {
    return this.#db.transaction().execute(async (transaction) => {
      const { from, to } = runEvents[event]
      const run = await transaction
        .updateTable("automationRuns")
        .set({ status: to, endedAt: timestamp(), input: null, error: why && JSON.stringify(why) })
        .where("id", "=", id)
        .where("status", "in", from)
        .returningAll()
        .executeTakeFirst()
      if (!run) return undefined
      const automation = await countFailures(transaction, run, event)
      const isSwitchedOff = automation.failures >= maxFailures && automation.enabled === 1
      const problem = isSwitchedOff ? tooManyFailures(why) : null
      if (problem) await switchOff(transaction, automation.id, problem)
      const notified = isSwitchedOff || shouldNotify(event, run, automation) ? 0 : 1
      if (notified === 0)
        await transaction.updateTable("automationRuns").set({ told: 0 }).where("id", "=", id).execute()
      await trim(transaction, run.automationId)
      return {
        run: { ...run, told: notified },
        automation: { ...automation, ...(problem && { enabled: 0, problem: JSON.stringify(problem) }) },
        isSwitchedOff,
      }
    })
  }

  async markNotified(id: string, transaction: AnyTransaction = this.#db): Promise<void> {
    await ownTables<"automations">(transaction)
      .updateTable("automationRuns")
      .set({ told: 1 })
      .where("id", "=", id)
      .execute()
  }

  /** Returns runs whose end, or its consequence, hasn't been notified yet. */
  async untold(): Promise<Ended[]> {
    const rows = await this.#db
      .selectFrom("automationRuns")
      .selectAll()
      .where("told", "=", 0)
      .orderBy("id")
      .execute()
    const found: Ended[] = []
    for (const run of rows) {
      const automation = await this.#db
        .selectFrom("automations")
        .selectAll()
        .where("id", "=", run.automationId)
        .executeTakeFirst()
      if (!automation) continue
      const isSwitchedOff = run.status === "failed" && automation.enabled === 0 && automation.problem !== null
      found.push({ run, automation, isSwitchedOff })
    }
    return found
  }

  skipWaiting(transaction: AnyTransaction, automationId: string): Promise<void> {
    return skipWaiting(ownTables(transaction), automationId)
  }

  async list(automationId: string, { limit, offset }: Page): Promise<{ total: number; rows: RunRow[] }> {
    const runs = this.#db.selectFrom("automationRuns").where("automationId", "=", automationId)
    const { total } = await runs.select((e) => e.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
    const rows = await runs.selectAll().orderBy("id", "desc").limit(limit).offset(offset).execute()
    return { total, rows }
  }

  /** Returns the newest run of each automation. */
  async last(automationIds: readonly string[]): Promise<Map<string, RunRow>> {
    if (automationIds.length === 0) return new Map()
    const newest = this.#db
      .selectFrom("automationRuns")
      .select((e) => e.fn.max("id").as("id"))
      .where("automationId", "in", automationIds)
      .groupBy("automationId")
    const rows = await this.#db.selectFrom("automationRuns").selectAll().where("id", "in", newest).execute()
    return new Map(rows.map((row) => [row.automationId, row]))
  }
}

export const createRunStore = (db: DbOf<"automations">): RunStore => new RunStore(db)

async function countQueued(tables: DbOf<"automations">, automationId: string): Promise<number> {
  const { amount } = await tables
    .selectFrom("automationRuns")
    .select((e) => e.fn.countAll<number>().as("amount"))
    .where("automationId", "=", automationId)
    .where("status", "=", "queued")
    .executeTakeFirstOrThrow()
  return amount
}

/** Returns why an automation may have no further run now; null if it may. */
async function findRefusal(
  tables: DbOf<"automations">,
  { id, runsPerDay }: AutomationRow,
  now: string,
): Promise<ErrorBody | null> {
  if ((await countQueued(tables, id)) >= maxWaitingRuns)
    return new AppError("queue_full", sentence("automations.queue_full", { count: maxWaitingRuns })).toBody()
  const oneTooMany = await tables
    .selectFrom("automationRuns")
    .select("id")
    .where("automationId", "=", id)
    .where("createdAt", ">=", getDay(now))
    .where("status", "!=", "skipped")
    .orderBy("id")
    .offset(runsPerDay - 1)
    .limit(1)
    .executeTakeFirst()
  if (!oneTooMany) return null
  return new AppError("quota_exceeded", sentence("automations.enough_today", { count: runsPerDay })).toBody()
}

function isDryRun(run: RunRow): boolean {
  const cause = getCause(run)
  return cause.kind === "manual" && cause.dryRun === true
}

/** Updates the number of consecutive failures of an ended run's automation. */
function countFailures(tables: DbOf<"automations">, run: RunRow, event: EndEvent): Promise<AutomationRow> {
  const counts = !isDryRun(run) && (event === "completed" || event === "failed")
  const failures = !counts ? sql<number>`failures` : event === "failed" ? sql<number>`failures + 1` : 0
  return tables
    .updateTable("automations")
    .set({ failures })
    .where("id", "=", run.automationId)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** A standing question sends its own notification, and anyone who cancels a run already knows. */
const shouldNotify = (event: EndEvent, run: RunRow, { notify, watch }: AutomationRow): boolean =>
  notify !== "never" && !isDryRun(run) && (event === "failed" || (event === "completed" && watch === 0))

/** Disables an automation and stores the reason. */
async function switchOff(transaction: AnyTransaction, id: string, why: ErrorBody): Promise<void> {
  await ownTables<"automations">(transaction)
    .updateTable("automations")
    .set({ enabled: 0, nextRunAt: null, problem: JSON.stringify(why) })
    .where("id", "=", id)
    .execute()
  await skipWaiting(ownTables(transaction), id)
}

/** Skips queued runs of a disabled automation, except those that a user requested. */
async function skipWaiting(tables: DbOf<"automations">, automationId: string): Promise<void> {
  await tables
    .updateTable("automationRuns")
    .set({ status: "skipped", endedAt: timestamp(), input: null, error: JSON.stringify(switchedOff()) })
    .where("automationId", "=", automationId)
    .where("status", "=", "queued")
    .where("cause", "not like", '%"manual"%')
    .execute()
}

const switchedOff = () => new AppError("conflict", sentence("automations.switched_off")).toBody()
const tooManyFailures = (why: ErrorBody | null) =>
  new AppError(
    "conflict",
    sentence("automations.too_many_failures", { count: maxFailures, reason: why?.error ?? "" }),
  ).toBody()

/** Returns the start of the day of a time, in UTC. */
const getDay = (time: string): string => `${time.slice(0, 10)}T00:00:00.000Z`

/** Deletes the oldest ended runs, except those that belong to the day's budget and those whose end hasn't been notified. */
async function trim(transaction: DbOf<"automations">, automationId: string): Promise<void> {
  const last = await transaction
    .selectFrom("automationRuns")
    .select("id")
    .where("automationId", "=", automationId)
    .orderBy("id", "desc")
    .limit(1)
    .offset(maxKept)
    .executeTakeFirst()
  if (!last) return
  await transaction
    .deleteFrom("automationRuns")
    .where("automationId", "=", automationId)
    .where("id", "<=", last.id)
    .where("status", "in", ended)
    .where("told", "=", 1)
    .where((e) => e.or([e("status", "=", "skipped"), e("createdAt", "<", getDay(timestamp()))]))
    .execute()
}
