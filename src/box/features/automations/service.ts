import type {
  Automation,
  AutomationDraft,
  AutomationPatch,
  Run,
} from "../../../shared/contract/automations.ts"
import { AppError, invalidField } from "../../../shared/contract/errors.ts"
import { paginate, type Page, type Pagination } from "../../../shared/contract/primitives.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { hashSecret, newId, newSecret, timestamp } from "../../core/ids.ts"
import { reachesFolders, type Caller } from "../../http/caller.ts"
import { requireHookStarter, requirePossible, requireReach } from "./checks.ts"
import type { AutomationsDeps } from "./context.ts"
import { createEnds } from "./ends.ts"
import { createRunStore, type RunStore } from "./run-store.ts"
import { createRunner, type Runner } from "./runner.ts"
import { nextTime } from "./schedule.ts"
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
  type RunStarter,
  type AutomationStore,
  createAutomationStore,
} from "./store.ts"
import { Triggers } from "./triggers.ts"

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
const hookPrefix = "hook_"

export const createAutomations = (deps: AutomationsDeps): Automations => new AutomationService(deps)

class AutomationService implements Automations {
  readonly #deps: AutomationsDeps
  readonly #store: AutomationStore
  readonly #runs: RunStore
  readonly #runner: Runner
  readonly #triggers: Triggers

  constructor(deps: AutomationsDeps) {
    const { db } = deps
    const context = { ...deps, store: createAutomationStore(db), runs: createRunStore(db) }
    const ends = createEnds(context)
    this.#deps = deps
    this.#store = context.store
    this.#runs = context.runs
    this.#runner = createRunner(context, ends.notify)
    this.#triggers = new Triggers(context, {
      runner: this.#runner,
      notifyPending: () => ends.notifyPending(),
    })
  }

  async list(userId: string, page: Page) {
    const { total, rows } = await this.#store.list(userId, page)
    const last = await this.#runs.last(rows.map(({ id }) => id))
    return {
      automations: rows.map((row) => present(row, last.get(row.id))),
      pagination: paginate(total, page, rows.length),
    }
  }

  async read(userId: string, id: string) {
    return this.#present((await this.#findOwned(userId, id)).id)
  }

  async create(caller: Caller, draft: AutomationDraft) {
    await requirePossible(this.#deps, caller, draft)
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
    const complete = { ...row, ...this.#getScheduleColumns(draft, row) }
    await this.#triggers.write(async (transaction) => {
      if ((await this.#store.countOwned(transaction, caller.userId)) >= maxAutomations)
        throw new AppError("conflict", sentence("automations.too_many", { count: maxAutomations }))
      await this.#store.insert(transaction, complete)
    })
    this.#triggers.startWatching(complete)
    this.#deps.changed(caller.userId)
    return { automation: present(complete, undefined), ...(token !== null && { hook: { token } }) }
  }

  async update(caller: Caller, id: string, patch: AutomationPatch) {
    await this.#triggers.startDueRuns() // times that are already due get their runs, whatever the change
    const before = await this.#findOwned(caller.userId, id)
    const known = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
    const draft: AutomationDraft = { ...toDraft(before), ...known }
    // An owner's decision must apply to exactly what the list of held items shows.
    if (before.held === 1) throw new AppError("conflict", sentence("automations.held"))
    const asker = await this.#changeRights(caller, before, draft, Object.keys(known))
    const isNewHook = draft.trigger.kind === "hook" && before.hookHash === null
    const token = isNewHook ? hookPrefix + newSecret() : null
    const changed: AutomationRow = {
      ...before,
      ...toColumns(draft),
      asker: addHookStarter(asker, token === null ? getHookStarter(before) : starterByHook(caller)),
      hookHash: token === null ? (draft.trigger.kind === "hook" ? before.hookHash : null) : hashSecret(token),
      ...(draft.enabled && { failures: 0, problem: null }),
      ...(draft.prompt !== before.prompt && { found: null }),
    }
    const complete = { ...changed, ...this.#getScheduleColumns(draft, changed) }
    const { id: _id, ownerId: _ownerId, createdAt: _createdAt, ...columns } = complete
    await this.#triggers.write(async (transaction) => {
      await this.#store.update(transaction, id, columns)
      if (!draft.enabled) await this.#runs.skipWaiting(transaction, id)
    })
    if (complete.found === null) this.#triggers.startWatching(complete)
    this.#deps.changed(caller.userId)
    return { automation: await this.#present(id), ...(token !== null && { hook: { token } }) }
  }

  async remove(userId: string, id: string): Promise<void> {
    await this.#findOwned(userId, id)
    for (const run of await this.#runs.active()) if (run.automationId === id) await this.#runner.cancel(run)
    await this.#triggers.write((transaction) => this.#store.remove(transaction, id))
    this.#deps.changed(userId)
  }

  async listRuns(userId: string, id: string, page: Page) {
    await this.#findOwned(userId, id)
    const { total, rows } = await this.#runs.list(id, page)
    return { runs: rows.map(presentRun), pagination: paginate(total, page, rows.length) }
  }

  async run(
    caller: Caller,
    id: string,
    { fileId, dryRun }: { fileId?: string | undefined; dryRun?: boolean | undefined },
  ) {
    const { userId, scopes, via, credentialId } = caller
    const row = await this.#findOwned(userId, id)
    if (row.held === 1) throw new AppError("conflict", sentence("storage.held"))
    const file = fileId !== undefined && reachesFolders(caller) && (await this.#deps.file(userId, fileId))
    if (fileId !== undefined && !file) throw invalidField("fileId", sentence("automations.file_gone"))
    const about = {
      ...(file && { fileId: file.id, fileName: file.name }),
      ...(dryRun === true && { dryRun }),
    }
    await requireReach(this.#deps, caller, row)
    const cause = { kind: "manual", userId, ...about } as const
    return this.#addRun(row, cause, { starter: { scopes, via, credentialId } })
  }

  async cancel(userId: string, runId: string) {
    const run = await this.#runs.find(runId)
    if (run?.ownerId !== userId) throw new AppError("not_found", sentence("automations.no_run"))
    const cancelled = await this.#runner.cancel(run)
    return presentRun(cancelled ?? run)
  }

  async release(id: string, isOn: boolean): Promise<void> {
    const row = await this.#store.find(id)
    if (row?.held !== 1) throw new AppError("not_found", sentence("automations.none_such"))
    const changed = { ...row, held: 0, ...(isOn && { enabled: 1, failures: 0, problem: null }) }
    const complete = { ...changed, ...this.#getScheduleColumns(toDraft(changed), changed) }
    const { enabled, failures, problem, folderId, nextRunAt, timedAt } = complete
    const columns = { held: 0, enabled, failures, problem, folderId, nextRunAt, timedAt }
    await this.#triggers.write((transaction) => this.#store.update(transaction, id, columns))
    this.#triggers.startWatching(complete)
    this.#deps.changed(row.ownerId)
  }

  async callHook(token: string, input: string) {
    const row = token.startsWith(hookPrefix) ? await this.#store.findByHook(hashSecret(token)) : undefined
    if (!row || getTrigger(row).kind !== "hook")
      throw new AppError("not_found", sentence("automations.no_hook"))
    const starter = getHookStarter(row)
    if (starter) await requireHookStarter(this.#deps, starter, row)
    if (row.enabled !== 1) throw new AppError("conflict", sentence("automations.switched_off"))
    return this.#addRun(row, { kind: "hook" }, { input, ...(starter && { starter }) })
  }

  start(): Promise<void> {
    return this.#triggers.start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#triggers.stop()
    await this.#runner[Symbol.asyncDispose]()
    await this.#triggers.waitForArrivals()
  }

  async #findOwned(userId: string, id: string): Promise<AutomationRow> {
    const row = await this.#store.find(id)
    if (row?.ownerId !== userId) throw new AppError("not_found", sentence("automations.none_such"))
    return row
  }

  async #present(id: string): Promise<Automation> {
    const row = await this.#store.find(id)
    if (!row) throw new AppError("not_found", sentence("automations.none_such"))
    return present(row, (await this.#runs.last([id])).get(id))
  }

  /** Returns the columns that depend on an enabled draft. */
  #getScheduleColumns(draft: AutomationDraft, row: AutomationRow) {
    return {
      folderId: draft.enabled && draft.trigger.kind === "file" ? draft.trigger.vectorId : null,
      nextRunAt: draft.enabled ? nextTime(row, this.#deps.now()) : null,
      timedAt: timestamp(this.#deps.now()),
    }
  }

  /** Returns an automation's stored rights after a change of these fields. Throws if the change needs rights that the caller lacks. */
  async #changeRights(
    caller: Caller,
    before: AutomationRow,
    draft: AutomationDraft,
    fields: readonly string[],
  ): Promise<string> {
    // Renaming or disabling an automation needs no rights and changes none.
    const needsRights = fields.some((key) => key !== "name" && (key !== "enabled" || draft.enabled))
    if (!needsRights) return before.asker
    const writesPrompt = fields.includes("prompt")
    // A user who only switches an automation on may not have seen the changes of a key with scopes.
    const keepsRights = caller.scopes === null && fields.every((key) => key === "name" || key === "enabled")
    const asker = keepsRights ? before.asker : askerAfterChange(before, caller, writesPrompt)
    await requireReach(this.#deps, caller, before)
    if (!writesPrompt) await requireReach(this.#deps, caller, { ...before, ...toColumns(draft) })
    await requirePossible(this.#deps, getCaller({ ...before, asker }), draft)
    return asker
  }

  async #addRun(
    row: AutomationRow,
    cause: Run["cause"],
    more: { input?: string; starter?: RunStarter },
  ): Promise<Run> {
    const added = await this.#store.transaction((transaction) =>
      this.#runs.add(transaction, row, cause, more),
    )
    if (!added) throw new AppError("conflict", sentence("automations.ran_already"))
    this.#deps.changed(row.ownerId)
    this.#triggers.pump()
    return presentRun(added)
  }
}

/** Full rights needn't be stored: a run started by the webhook has the rights of its automation. */
const starterByHook = ({ scopes, via, credentialId }: Caller): HookStarter | undefined =>
  scopes === null || via !== "key" ? undefined : { scopes: [...scopes], via, credentialId }
