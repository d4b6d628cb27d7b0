import type {
  Automation,
  AutomationDraft,
  AutomationPatch,
  Run,
} from "../../../shared/contract/automations.ts"
import { AppError, invalidField } from "../../../shared/contract/errors.ts"
import { paginate, type Page, type Pagination } from "../../../shared/contract/primitives.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { AnyTransaction, DbOf } from "../../core/database/database.ts"
import { hashSecret, newId, newSecret, timestamp } from "../../core/ids.ts"
import { createKeyedLock } from "../../core/waiting/locks.ts"
import { reachesFolders, requireFolderScope, type Caller } from "../../http/caller.ts"
import { takeArrivals, type ArrivalsDeps, isPattern, matchesEverything } from "./arrivals.ts"
import { createRunStore } from "./run-store.ts"
import { createEnds, type EndsDeps } from "./ends.ts"
import { createRunner, type Runner, type RunnerDeps } from "./runner.ts"
import { createSchedule, nextTime, type Schedule, parseSchedule } from "./schedule.ts"
import { answerStandingQuestion, type StandingQuestionDeps } from "./standing.ts"
import {
  askerAfterChange,
  getCaller,
  getHookStarter,
  present,
  presentRun,
  toAsker,
  toColumns,
  toDraft,
  getTrigger,
  addHookStarter,
  type AutomationRow,
  type HookStarter,
  type RunRow,
  type RunStarter,
  createAutomationStore,
} from "./store.ts"

export interface AutomationsDeps
  extends
    Omit<RunnerDeps, "store" | "runs" | "answerStandingQuestion" | "ended">,
    EndsDeps,
    Omit<ArrivalsDeps, "store" | "runs" | "files"> {
  db: DbOf<"automations">
  files: ArrivalsDeps["files"] & {
    await(transaction: AnyTransaction, folderIds: readonly string[]): Promise<void>
  }
  standingQuestions: Omit<StandingQuestionDeps, "db">
  /** In milliseconds since 1970; tests use their own clock. */
  now(): number
  isModel(modelId: string): Promise<boolean>
  /** Returns the folders and accounts that an assistant can access; null if the user may not use the assistant. */
  assistant(
    userId: string,
    assistantId: string,
  ): Promise<{ vectorIds: readonly string[]; usesAccounts: boolean } | null>
}

/** A webhook's token, which is returned only once. */
export interface NewHook {
  token: string
}

/** Automations. Only their owner can see them. */
export interface Automations extends AsyncDisposable {
  list(userId: string, page: Page): Promise<{ automations: Automation[]; pagination: Pagination }>
  /** Throws `not_found`. */
  read(userId: string, id: string): Promise<Automation>
  /** Throws `validation` for invalid drafts, `forbidden` for folders that the caller may not use, and `conflict` if there are too many. */
  create(caller: Caller, draft: AutomationDraft): Promise<{ automation: Automation; hook?: NewHook }>
  update(
    caller: Caller,
    id: string,
    patch: AutomationPatch,
  ): Promise<{ automation: Automation; hook?: NewHook }>
  remove(userId: string, id: string): Promise<void>
  listRuns(userId: string, id: string, page: Page): Promise<{ runs: Run[]; pagination: Pagination }>
  /** Adds a run that a user requests. */
  run(
    caller: Caller,
    id: string,
    how: { fileId?: string | undefined; dryRun?: boolean | undefined },
  ): Promise<Run>
  cancel(userId: string, runId: string): Promise<Run>
  /** Adds a run of the automation whose webhook has this token. Throws `not_found`. */
  callHook(token: string, input: string): Promise<Run>
  /** Turns on an automation of a restored backup, or leaves it off. Throws `not_found`. */
  release(id: string, isOn: boolean): Promise<void>
  /** Resumes active runs and starts watching times and files. */
  start(): Promise<void>
}

/** Maximum number of automations per user. */
const maxAutomations = 1_000
/** Maximum difference between clock and timers, in milliseconds, before the clock is treated as put back. */
const driftMs = 2_000
/** Retry delay after a failed check, in milliseconds. */
const checkIntervalMs = 5_000
const hookPrefix = "hook_"

const getFolders = ({ vectorIds, trigger }: AutomationDraft): string[] => [
  ...vectorIds,
  ...(trigger.kind === "file" ? [trigger.vectorId] : []),
]

export function createAutomations(deps: AutomationsDeps): Automations {
  const { db, files, logger, now, stopping } = deps
  const store = createAutomationStore(db)
  const runs = createRunStore(db)
  const ends = createEnds(deps, runs)
  const standingQuestions = { ...deps.standingQuestions, db }
  const runner: Runner = createRunner({
    ...deps,
    store,
    runs,
    ended: ends.notify,
    answerStandingQuestion: (automation) => answerStandingQuestion(standingQuestions, automation),
  })
  const failed = (error: unknown) => logger.error({ err: error }, "Checking automations failed")
  const pump = () => void runner.pump().catch(failed)
  const schedule: Schedule = createSchedule({ store, runs, now })
  const lock = createKeyedLock()
  let awaited = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let closed = false

  /** Adds runs for the files that have arrived so far. Returns whether there were any. Call it only while arrivals are locked. */
  async function addArrived(): Promise<boolean> {
    const { isAdded, isCircling } = await takeArrivals({ ...deps, store, runs })
    if (isCircling) await ends.notifyPending()
    return isAdded
  }

  const take = (): Promise<void> =>
    lock.run("arrivals", async () => {
      if (await addArrived()) pump()
    })

  /** By how much the clock was ahead of the timers at the last check. */
  let ahead = now() - performance.now()

  /** Checks scheduled times now and when the next one is due. */
  const startDueRuns = (): Promise<void> =>
    lock.run("times", async () => {
      if (closed || stopping.aborted) return
      let next = now() + checkIntervalMs
      try {
        const wasAhead = ahead
        ahead = now() - performance.now()
        if (ahead < wasAhead - driftMs) await schedule.clockChanged()
        next = await schedule.startDueRuns()
      } catch (error) {
        failed(error)
      }
      pump() // also for runs that couldn't start before
      clearTimeout(timer)
      timer = setTimeout(() => void startDueRuns(), Math.max(next - now(), 0)).unref()
    })

  async function owned(userId: string, id: string): Promise<AutomationRow> {
    const row = await store.find(id)
    if (row?.ownerId !== userId) throw new AppError("not_found", sentence("automations.none_such"))
    return row
  }

  async function requirePossible(caller: Caller, draft: AutomationDraft): Promise<void> {
    const { trigger, assistantId, modelId, watch } = draft
    if (trigger.kind === "schedule") {
      const times = parseSchedule(trigger.cron, trigger.timeZone, now())
      if (times === "time_zone") throw invalidField("trigger.timeZone", sentence("automations.no_time_zone"))
      if (times === "cron") throw invalidField("trigger.cron", sentence("automations.no_cron"))
      if (times === "never") throw invalidField("trigger.cron", sentence("automations.never"))
    }
    if (trigger.kind === "file" && trigger.match !== null) {
      if (!isPattern(trigger.match)) throw invalidField("trigger.match", sentence("automations.no_pattern"))
      if (matchesEverything(trigger.match))
        throw invalidField("trigger.match", sentence("automations.matches_everything"))
    }
    if (watch && trigger.kind !== "file")
      throw invalidField("watch", sentence("automations.watch_needs_files"))
    const folders = getFolders(draft)
    requireFolderScope(caller, folders)
    const details = await deps.findUnusableFolders(caller.userId, folders)
    if (details.length > 0)
      throw new AppError("forbidden", sentence("automations.folders_not_yours"), { details })
    if (assistantId !== null && !(await deps.assistant(caller.userId, assistantId)))
      throw invalidField("assistantId", sentence("automations.no_assistant"))
    if (modelId !== null && !(await deps.isModel(modelId)))
      throw invalidField("modelId", sentence("chat.no_such_model"))
  }

  function requireReleased({ held }: AutomationRow): void {
    if (held === 1) throw new AppError("conflict", sentence("storage.held"))
  }

  /** Returns the columns that depend on an enabled draft. */
  const getScheduleColumns = (draft: AutomationDraft, row: AutomationRow) => ({
    folderId: draft.enabled && draft.trigger.kind === "file" ? draft.trigger.vectorId : null,
    nextRunAt: draft.enabled ? nextTime(row, now()) : null,
    timedAt: timestamp(now()),
  })

  /**
   * Writes a change after the files that have arrived so far have their runs. From then on, the changed automations' folders are watched.
   */
  async function write(change: (transaction: AnyTransaction) => Promise<void>): Promise<void> {
    await lock.run("arrivals", async () => {
      await addArrived()
      awaited = await store.transaction(async (transaction) => {
        await change(transaction)
        const folders = await store.awaitedFolders(transaction)
        await files.await(transaction, folders)
        return new Set(folders)
      })
    })
    void startDueRuns()
  }

  async function shown(id: string): Promise<Automation> {
    const row = await store.find(id)
    if (!row) throw new AppError("not_found", sentence("automations.none_such"))
    return present(row, (await runs.last([id])).get(id))
  }

  /** A standing question needs an initial answer to compare with. */
  function startWatching(row: AutomationRow): void {
    if (row.watch === 1 && row.enabled === 1)
      void answerStandingQuestion(standingQuestions, row).catch(failed)
  }

  /** Throws `forbidden` if a credential with scopes lacks a scope for anything that the automation can access. */
  async function requireReach(caller: Pick<Caller, "scopes">, row: AutomationRow): Promise<void> {
    const maker = getCaller(row)
    if (caller.scopes === null) return
    const { ownerId, assistantId } = row
    const assistant = assistantId === null ? null : await deps.assistant(ownerId, assistantId)
    if (reachesFolders(maker))
      requireFolderScope(caller, [...getFolders(toDraft(row)), ...(assistant?.vectorIds ?? [])])
    if (maker.scopes === null && assistant?.usesAccounts)
      throw new AppError("forbidden", sentence("http.full_rights_only"))
  }

  /**
   * Throws `not_found` if the key that created a webhook was revoked, `forbidden` if the automation now has access to more than the key.
   */
  async function requireStarter(starter: HookStarter, row: AutomationRow): Promise<void> {
    if (await deps.isRevoked(starter.credentialId))
      throw new AppError("not_found", sentence("automations.no_hook"))
    await requireReach(starter, row).catch((error: unknown) => {
      // Anyone who knows the URL can see this error, so it names no folders.
      throw error instanceof AppError ? new AppError("forbidden", sentence("automations.hook_of_key")) : error
    })
  }

  async function addRun(
    row: AutomationRow,
    cause: Run["cause"],
    more: { input?: string; starter?: RunStarter },
  ): Promise<Run> {
    const added = await store.transaction((transaction) => runs.add(transaction, row, cause, more))
    if (!added) throw new AppError("conflict", sentence("automations.ran_already"))
    deps.changed(row.ownerId)
    pump()
    return presentRun(added)
  }

  const stop = deps.bus.subscribe("files.changed", () => {
    if (awaited.size > 0) void take().catch(failed)
  })

  return {
    async list(userId, page) {
      const { total, rows } = await store.list(userId, page)
      const last = await runs.last(rows.map(({ id }) => id))
      return {
        automations: rows.map((row) => present(row, last.get(row.id))),
        pagination: paginate(total, page, rows.length),
      }
    },

    async read(userId, id) {
      return shown((await owned(userId, id)).id)
    },

    async create(caller, draft) {
      await requirePossible(caller, draft)
      const id = newId()
      const token = draft.trigger.kind === "hook" ? hookPrefix + newSecret() : null
      const row: AutomationRow = {
        id,
        ownerId: caller.userId,
        ...toColumns(draft),
        folderId: null,
        nextRunAt: null,
        timedAt: null,
        hookHash: token === null ? null : hashSecret(token),
        asker: addHookStarter(toAsker(caller), token === null ? undefined : starterByHook(caller)),
        failures: 0,
        problem: null,
        found: null,
        held: 0,
        createdAt: timestamp(),
      }
      const complete = { ...row, ...getScheduleColumns(draft, row) }
      await write(async (transaction) => {
        if ((await store.countOwned(transaction, caller.userId)) >= maxAutomations)
          throw new AppError("conflict", sentence("automations.too_many", { count: maxAutomations }))
        await store.insert(transaction, complete)
      })
      startWatching(complete)
      deps.changed(caller.userId)
      return { automation: present(complete, undefined), ...(token !== null && { hook: { token } }) }
    },

    async update(caller, id, patch) {
      await startDueRuns() // times that are already due get their runs, whatever the change
      const before = await owned(caller.userId, id)
      const known = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
      const draft: AutomationDraft = { ...toDraft(before), ...known }
      // An owner's decision must apply to exactly what the list of held items shows.
      if (before.held === 1) throw new AppError("conflict", sentence("automations.held"))
      // Renaming or disabling an automation needs no rights and changes none.
      const needsRights = Object.keys(known).some(
        (key) => key !== "name" && (key !== "enabled" || draft.enabled),
      )
      const writesPrompt = patch.prompt !== undefined
      const asker = needsRights ? askerAfterChange(before, caller, writesPrompt) : before.asker
      if (needsRights) {
        await requireReach(caller, before)
        if (!writesPrompt) await requireReach(caller, { ...before, ...toColumns(draft) })
        await requirePossible(getCaller({ ...before, asker }), draft)
      }
      const isNewHook = draft.trigger.kind === "hook" && before.hookHash === null
      const token = isNewHook ? hookPrefix + newSecret() : null
      const changed: AutomationRow = {
        ...before,
        ...toColumns(draft),
        asker: addHookStarter(asker, token === null ? getHookStarter(before) : starterByHook(caller)),
        hookHash:
          token === null ? (draft.trigger.kind === "hook" ? before.hookHash : null) : hashSecret(token),
        ...(draft.enabled && { failures: 0, problem: null }),
        ...(draft.prompt !== before.prompt && { found: null }),
      }
      const complete = { ...changed, ...getScheduleColumns(draft, changed) }
      const { id: _id, ownerId: _ownerId, createdAt: _createdAt, ...columns } = complete
      await write(async (transaction) => {
        await store.update(transaction, id, columns)
        if (!draft.enabled) await runs.skipWaiting(transaction, id)
      })
      if (complete.found === null) startWatching(complete)
      deps.changed(caller.userId)
      return { automation: await shown(id), ...(token !== null && { hook: { token } }) }
    },

    async remove(userId, id) {
      await owned(userId, id)
      for (const run of await runs.active()) if (run.automationId === id) await runner.cancel(run)
      await write((transaction) => store.remove(transaction, id))
      deps.changed(userId)
    },

    async listRuns(userId, id, page) {
      await owned(userId, id)
      const { total, rows } = await runs.list(id, page)
      return { runs: rows.map(presentRun), pagination: paginate(total, page, rows.length) }
    },

    async run(caller, id, { fileId, dryRun }) {
      const row = await owned(caller.userId, id)
      requireReleased(row)
      const file = fileId !== undefined && reachesFolders(caller) && (await deps.file(caller.userId, fileId))
      if (fileId !== undefined && !file) throw invalidField("fileId", sentence("automations.file_gone"))
      const about = {
        ...(file && { fileId: file.id, fileName: file.name }),
        ...(dryRun === true && { dryRun }),
      }
      await requireReach(caller, row)
      const { scopes, via, credentialId } = caller
      const cause = { kind: "manual", userId: caller.userId, ...about } as const
      return addRun(row, cause, { starter: { scopes, via, credentialId } })
    },

    async cancel(userId, runId) {
      const run: RunRow | undefined = await runs.find(runId)
      if (run?.ownerId !== userId) throw new AppError("not_found", sentence("automations.no_run"))
      const cancelled = await runner.cancel(run)
      return presentRun(cancelled ?? run)
    },

    async release(id, isOn) {
      const row = await store.find(id)
      if (row?.held !== 1) throw new AppError("not_found", sentence("automations.none_such"))
      const changed = { ...row, held: 0, ...(isOn && { enabled: 1, failures: 0, problem: null }) }
      const complete = { ...changed, ...getScheduleColumns(toDraft(changed), changed) }
      const { enabled, failures, problem, folderId, nextRunAt, timedAt } = complete
      const columns = { held: 0, enabled, failures, problem, folderId, nextRunAt, timedAt }
      await write((transaction) => store.update(transaction, id, columns))
      startWatching(complete)
      deps.changed(row.ownerId)
    },

    async callHook(token, input) {
      const row = token.startsWith(hookPrefix) ? await store.findByHook(hashSecret(token)) : undefined
      if (!row || getTrigger(row).kind !== "hook")
        throw new AppError("not_found", sentence("automations.no_hook"))
      const starter = getHookStarter(row)
      if (starter) await requireStarter(starter, row)
      if (row.enabled !== 1) throw new AppError("conflict", sentence("automations.switched_off"))
      return addRun(row, { kind: "hook" }, { input, ...(starter && { starter }) })
    },

    async start() {
      awaited = new Set(await store.awaitedFolders())
      await ends.notifyPending()
      await runner.start()
      await schedule.clockChanged()
      await take()
      await startDueRuns()
    },

    async [Symbol.asyncDispose]() {
      closed = true
      stop()
      clearTimeout(timer)
      await runner[Symbol.asyncDispose]()
      await lock.run("arrivals", async () => undefined).catch(() => undefined)
    },
  }
}

/** Full rights needn't be stored: a run started by the webhook has the rights of its automation. */
const starterByHook = ({ scopes, via, credentialId }: Caller): HookStarter | undefined =>
  scopes === null || via !== "key" ? undefined : { scopes: [...scopes], via, credentialId }
