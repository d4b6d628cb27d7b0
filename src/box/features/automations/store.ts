import type { Insertable, Selectable } from "kysely"
import { z } from "zod"
import {
  Cause,
  Trigger,
  type Automation,
  type AutomationDraft,
  type Run,
} from "../../../shared/contract/automations.ts"
import { Scope } from "../../../shared/contract/endpoint.ts"
import { ErrorBody } from "../../../shared/contract/errors.ts"
import type { Page } from "../../../shared/contract/primitives.ts"
import { ownTables, type AnyTransaction, type DbOf } from "../../core/database/database.ts"
import { readStored, readStoredIds } from "../../core/database/sql-helpers.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import { type Caller, commonScopes, parseCaller } from "../../http/caller.ts"

type Tables = TablesOf<"automations">
export type AutomationRow = Selectable<Tables["automations"]>
export type RunRow = Selectable<Tables["automationRuns"]>

/** The credential that started a run by hand, stored with the run's cause. Earlier versions stored only its scopes, or nothing. */
const Starter = z.object({
  scopes: z.array(Scope).nullable().default(null),
  via: z.enum(["key", "session"]).optional(),
  credentialId: z.string().optional(),
})
export type RunStarter = Pick<Caller, "scopes" | "via" | "credentialId">

/** Whether the writer of an automation had full rights that a change by a credential with scopes then narrowed. */
const Narrowing = z.object({
  via: z.enum(["key", "session"]),
  scopes: z.array(Scope).nullable(),
  isNarrowed: z.boolean().optional(),
})

const HookStarter = z.object({ scopes: z.array(Scope), via: z.literal("key"), credentialId: z.string() })
export type HookStarter = z.infer<typeof HookStarter>
const Hook = z.object({ hookStarter: HookStarter.optional() })

/** Serialises the rights of an automation. Its chats are marked as started through the API. */
export const toAsker = ({ credentialId, via, scopes }: Caller, isNarrowed = false): string =>
  JSON.stringify({ credentialId, via, origin: "API", scopes, ...(isNarrowed && { isNarrowed }) })

export const getCaller = ({ ownerId, asker }: Pick<AutomationRow, "ownerId" | "asker">): Caller =>
  parseCaller(ownerId, asker)

/**
 * Returns the stored rights of an automation after a change other than of its name. An editor who writes its prompt becomes the writer. Any
 * other change narrows the writer's rights to those that the editor has as well. An editor with full rights becomes the writer if the
 * writer had full rights too. Text written by a key with scopes keeps the key's rights.
 */
export function askerAfterChange(row: AutomationRow, editor: Caller, writesPrompt: boolean): string {
  const writer = getCaller(row)
  const isNarrowed = hadLimitedRights(row)
  if (writesPrompt || (editor.scopes === null && isNarrowed)) return toAsker(editor)
  const scopes = commonScopes(writer.scopes, editor.scopes)
  return toAsker({ ...writer, scopes }, isNarrowed || (writer.scopes === null && scopes !== null))
}

/** Earlier versions didn't record it, but sessions always have full rights. */
function hadLimitedRights({ asker }: Pick<AutomationRow, "asker">): boolean {
  const stored = readStored(Narrowing, asker)
  if (!stored || stored.scopes === null) return false
  return stored.isNarrowed === true || stored.via === "session"
}

/**
 * Returns the key with scopes that created an automation's webhook; undefined if it was created with full rights. Runs started by the
 * webhook have no more rights than the key. It is stored with the automation's rights.
 */
export const getHookStarter = ({ asker }: Pick<AutomationRow, "asker">): HookStarter | undefined =>
  readStored(Hook, asker)?.hookStarter

export const addHookStarter = (asker: string, hookStarter: HookStarter | undefined): string =>
  JSON.stringify({ ...readStored(z.looseObject({}), asker), hookStarter })

/** Returns the rights of a run: those of its automation, narrowed to those of the credential that started it. */
export function callerOfRun(automation: AutomationRow, { cause }: Pick<RunRow, "cause">): Caller {
  const caller = getCaller(automation)
  const starter = readStored(Starter, cause) ?? { scopes: [] }
  return { ...caller, scopes: commonScopes(caller.scopes, starter.scopes) }
}

/** Returns the API key that started a run by hand; null if something else did, or if it isn't recorded. */
export function getStartingKey({ cause }: Pick<RunRow, "cause">): string | null {
  const starter = readStored(Starter, cause)
  return starter?.via === "key" ? (starter.credentialId ?? null) : null
}

/** An automation with an unreadable trigger, for example from an altered backup, can only be run by hand. */
export const getTrigger = ({ trigger }: Pick<AutomationRow, "trigger">): Trigger =>
  readStored(Trigger, trigger) ?? { kind: "manual" }
export const getVectorIds = ({ vectorIds }: Pick<AutomationRow, "vectorIds">): string[] =>
  readStoredIds(vectorIds)

/** Returns the columns taken directly from a draft; `nextRunAt`, `hookHash` and `folderId` are derived from it. */
export const toColumns = (draft: AutomationDraft) =>
  ({
    name: draft.name,
    enabled: draft.enabled ? 1 : 0,
    kind: draft.trigger.kind,
    trigger: JSON.stringify(draft.trigger),
    assistantId: draft.assistantId,
    modelId: draft.modelId,
    prompt: draft.prompt,
    vectorIds: JSON.stringify([...new Set(draft.vectorIds)]),
    reading: draft.reading,
    notify: draft.notify,
    watch: draft.watch ? 1 : 0,
    minutes: draft.budget.minutes,
    runsPerDay: draft.budget.runsPerDay,
  }) satisfies Partial<Insertable<Tables["automations"]>>

export const toDraft = (row: AutomationRow): AutomationDraft => ({
  name: row.name,
  enabled: row.enabled === 1,
  trigger: getTrigger(row),
  assistantId: row.assistantId,
  modelId: row.modelId,
  prompt: row.prompt,
  vectorIds: getVectorIds(row),
  reading: row.reading,
  notify: row.notify,
  watch: row.watch === 1,
  budget: { minutes: row.minutes, runsPerDay: row.runsPerDay },
})

export const present = (row: AutomationRow, lastRun: RunRow | undefined): Automation => ({
  id: row.id,
  ...toDraft(row),
  nextRunAt: row.nextRunAt,
  lastRun: lastRun ? presentRun(lastRun) : null,
  problem: parseErrorBody(row.problem),
  createdAt: row.createdAt,
})

export const getCause = ({ cause, ownerId }: Pick<RunRow, "cause" | "ownerId">): Cause =>
  readStored(Cause, cause) ?? { kind: "manual", userId: ownerId }

export const presentRun = (row: RunRow): Run => ({
  id: row.id,
  automationId: row.automationId,
  status: row.status,
  cause: getCause(row),
  chatId: row.chatId,
  startedAt: row.startedAt,
  endedAt: row.endedAt,
  error: parseErrorBody(row.error),
  attempt: row.attempt,
})

export const parseErrorBody = (stored: string | null): ErrorBody | null =>
  stored === null ? null : (readStored(ErrorBody, stored) ?? null)

/**
 * Returns a key that limits each file revision and each scheduled time to one run. Each webhook call and each manual start has its own key.
 */
export function getCauseKey(cause: Cause, runId: string): string {
  if (cause.kind === "schedule") return cause.at
  if (cause.kind === "file") return `${cause.fileId} ${cause.revision}`
  return runId
}

type Changes = Partial<
  Omit<Insertable<TablesOf<"automations">["automations"]>, "id" | "ownerId" | "createdAt">
>

/** Stores automations. */
export class AutomationStore {
  readonly #db: DbOf<"automations">

  constructor(db: DbOf<"automations">) {
    this.#db = db
  }

  async list(ownerId: string, { limit, offset }: Page): Promise<{ total: number; rows: AutomationRow[] }> {
    const owned = this.#db.selectFrom("automations").where("ownerId", "=", ownerId)
    const { total } = await owned.select((e) => e.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
    const rows = await owned
      .selectAll()
      .orderBy("createdAt", "desc")
      .orderBy("id", "desc")
      .limit(limit)
      .offset(offset)
      .execute()
    return { total, rows }
  }

  find(id: string, transaction: AnyTransaction = this.#db): Promise<AutomationRow | undefined> {
    return selectAll(transaction).where("id", "=", id).executeTakeFirst()
  }

  findByHook(hookHash: Buffer): Promise<AutomationRow | undefined> {
    return selectAll(this.#db).where("hookHash", "=", hookHash).executeTakeFirst()
  }

  async countOwned(transaction: AnyTransaction, ownerId: string): Promise<number> {
    const { total } = await ownTables<"automations">(transaction)
      .selectFrom("automations")
      .select((e) => e.fn.countAll<number>().as("total"))
      .where("ownerId", "=", ownerId)
      .executeTakeFirstOrThrow()
    return total
  }

  async insert(
    transaction: AnyTransaction,
    row: Omit<AutomationRow, "failures" | "found" | "problem">,
  ): Promise<void> {
    await ownTables<"automations">(transaction).insertInto("automations").values(row).execute()
  }

  async update(transaction: AnyTransaction, id: string, changes: Changes): Promise<void> {
    await ownTables<"automations">(transaction)
      .updateTable("automations")
      .set(changes)
      .where("id", "=", id)
      .execute()
  }

  async remove(transaction: AnyTransaction, id: string): Promise<void> {
    await ownTables<"automations">(transaction).deleteFrom("automations").where("id", "=", id).execute()
  }

  /** Returns due automations, the longest overdue first. */
  due(now: string, max: number): Promise<AutomationRow[]> {
    return selectAll(this.#db)
      .where("enabled", "=", 1)
      .where("nextRunAt", "<=", now)
      .orderBy("nextRunAt")
      .limit(max)
      .execute()
  }

  /** Returns the automation that is due next. */
  nextDue(): Promise<AutomationRow | undefined> {
    return selectAll(this.#db)
      .where("enabled", "=", 1)
      .where("nextRunAt", "is not", null)
      .orderBy("nextRunAt")
      .limit(1)
      .executeTakeFirst()
  }

  /** Returns scheduled automations whose next time was calculated later than `moment`, at an unknown time, or is invalid. */
  timedAfter(moment: string): Promise<Pick<AutomationRow, "id">[]> {
    return this.#db
      .selectFrom("automations")
      .select("id")
      .where("enabled", "=", 1)
      .where("kind", "=", "schedule")
      .where((e) =>
        e.or([
          e("timedAt", "is", null),
          e("timedAt", ">", moment),
          e("nextRunAt", "not like", "____-__-__T__:__:__.___Z"),
        ]),
      )
      .execute()
  }

  /** Returns automations that watch the files of a folder. */
  waitingFor(transaction: AnyTransaction, folderId: string): Promise<AutomationRow[]> {
    return selectAll(transaction)
      .where("folderId", "=", folderId)
      .where("enabled", "=", 1)
      .orderBy("id")
      .execute()
  }

  /** Returns the ids of watched folders, by automation owner. */
  async awaitedByOwner(): Promise<ReadonlyMap<string, string[]>> {
    const rows = await this.#db
      .selectFrom("automations")
      .select(["ownerId", "folderId"])
      .where("folderId", "is not", null)
      .where("enabled", "=", 1)
      .distinct()
      .execute()
    const folders = new Map<string, string[]>()
    for (const { ownerId, folderId } of rows)
      if (folderId !== null) folders.set(ownerId, [...(folders.get(ownerId) ?? []), folderId])
    return folders
  }

  /** Returns the ids of watched folders. */
  async awaitedFolders(transaction: AnyTransaction = this.#db): Promise<string[]> {
    const rows = await ownTables<"automations">(transaction)
      .selectFrom("automations")
      .select("folderId")
      .where("folderId", "is not", null)
      .where("enabled", "=", 1)
      .distinct()
      .execute()
    return rows.flatMap(({ folderId }) => folderId ?? [])
  }

  transaction<T>(work: (transaction: AnyTransaction) => Promise<T>): Promise<T> {
    return this.#db.transaction().execute(work)
  }
}

export const createAutomationStore = (db: DbOf<"automations">): AutomationStore => new AutomationStore(db)

const selectAll = (transaction: AnyTransaction) =>
  ownTables<"automations">(transaction).selectFrom("automations").selectAll()
