import { access, constants, realpath, stat, lstat, rm } from "node:fs/promises"
import { isAbsolute, dirname, join } from "node:path"
import { invalidField, AppError } from "../../../../shared/contract/errors.ts"
import type { BackupPlan, BackupPlanState, PlannedBackup } from "../../../../shared/contract/storage.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { isInDataDirectory } from "../../../core/data-directory/marker.ts"
import type { BoxValues } from "../../../core/database/box-values.ts"
import { timestamp } from "../../../core/ids.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { createKeyedLock } from "../../../core/waiting/locks.ts"
import { newBackup } from "../backup-files.ts"
import { getReason } from "../backups.ts"
import { createPlanStore, type StoredPlan } from "./plan-store.ts"

/**
 * Returns the directory with its symbolic links resolved. Throws `validation` for a directory in which backups can't be stored, or that
 * would be lost together with the data.
 */
async function requireBackupDirectory(path: string): Promise<string> {
  if (!isAbsolute(path)) throw invalidField("plan.directory", sentence("storage.directory_whole_path"))
  const directory = await realpath(path).catch(() => null)
  if (directory === null || !(await stat(directory)).isDirectory())
    throw invalidField("plan.directory", sentence("storage.no_directory"))
  if (isInDataDirectory(directory))
    throw invalidField("plan.directory", sentence("storage.directory_of_data"))
  await access(directory, constants.W_OK | constants.X_OK).catch(() => {
    throw invalidField("plan.directory", sentence("storage.directory_closed"))
  })
  return directory
}

/** Also throws `validation` if a symbolic link has led elsewhere from the planned directory since. */
async function requirePlanned({ directory }: Pick<BackupPlan, "directory">): Promise<void> {
  if ((await requireBackupDirectory(directory)) !== directory)
    throw invalidField("plan.directory", sentence("storage.directory_elsewhere", { directory }))
}

/** Delay before a retry after a failure, unless the next planned time comes first. */
const retryMs = 3_600_000

interface PlanHistory {
  /** When the plan was made, or its last backup ended, in ms since 1970. */
  since: number
  /** Whether a backup was made or failed at `since`, or there has been none yet. */
  last: "made" | "failed" | "none"
}

/** When the next backup is due, in this computer's time. A time in the past was missed, so the backup is due now. */
export function dueAt(plan: BackupPlan, { since, last }: PlanHistory): number {
  const next = nextTime(plan, since, last)
  return last === "failed" ? Math.min(next, since + retryMs) : next
}

function nextTime({ every, weekday, at }: BackupPlan, since: number, last: PlanHistory["last"]): number {
  const from = new Date(since)
  const [hours = 0, minutes = 0] = (at ?? "00:00").split(":").map(Number)
  const onDay = (days: number) =>
    new Date(from.getFullYear(), from.getMonth(), from.getDate() + days, hours, minutes)
  for (let days = 0; ; days++) {
    const day = onDay(days)
    const isDay = every === "day" || day.getDay() === weekday
    // Without a time of day, a backup is due as soon as the server runs on that day, including today unless today's backup exists.
    const isAhead = at === null ? days > 0 || last === "none" : day.getTime() > since
    if (isDay && isAhead) return at === null && days === 0 ? since : day.getTime()
  }
}

export interface PlannedBackupsDeps {
  values: Pick<BoxValues, "read" | "write" | "remove">
  dataDirectoryId: string
  /** Writes a backup to a file that doesn't exist yet. The file gets its name when the backup is complete and verified. */
  write(target: string, signal: AbortSignal, requireTarget: () => Promise<void>): Promise<void>
  /** Called at the first failure after a successful backup, or after planning. */
  failed(reason: { message: string; sentence?: PlannedBackup["sentence"] }): Promise<void>
  logger: Logger
}

/** Automatic backups at their planned time, or when the server starts after it. */
export interface PlannedBackups extends AsyncDisposable {
  start(): Promise<void>
  state(): Promise<BackupPlanState>
  /** Throws `validation` for an unsuitable directory. */
  plan(plan: BackupPlan | null): Promise<BackupPlanState>
}

/** A backup is never a link or a directory; one in its place belongs to someone else. */
const isFile = (path: string): Promise<boolean> =>
  lstat(path).then(
    (stats) => stats.isFile(),
    () => false,
  )

/** Maximum delay of a planned backup. Clock changes are also noticed within this time. */
const pollIntervalMs = 30_000

export const createPlannedBackups = (deps: PlannedBackupsDeps): PlannedBackups => new BackupPlanner(deps)

class BackupPlanner implements PlannedBackups {
  readonly #store: LockedPlan
  readonly #maker: BackupMaker
  readonly #logger: Logger
  readonly #closing = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined

  constructor(deps: PlannedBackupsDeps) {
    this.#store = new LockedPlan(deps)
    this.#maker = new BackupMaker(deps, this.#store, this.#closing.signal)
    this.#logger = deps.logger
  }

  async start(): Promise<void> {
    this.#startCheck()
  }

  async state(): Promise<BackupPlanState> {
    const stored = await this.#store.read()
    return {
      plan: stored?.plan ?? null,
      running: this.#running !== undefined,
      last: stored?.last ?? null,
      nextAt: stored && timestamp(Math.max(getNext(stored), Date.now())),
    }
  }

  async plan(wanted: BackupPlan | null): Promise<BackupPlanState> {
    const plan = wanted && { ...wanted, directory: await requireBackupDirectory(wanted.directory) }
    await this.#store.replace(plan)
    this.#startCheck()
    return this.state()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error("Casella is shutting down."))
    this.#watch(false)
    await this.#running
  }

  #startCheck(): void {
    this.#makeDueBackup().catch((error: unknown) =>
      this.#logger.warn({ err: error }, "Managing scheduled backups failed"),
    )
  }

  async #makeDueBackup(): Promise<void> {
    const stored = await this.#store.read()
    this.#watch(stored !== null)
    if (!stored || this.#running || this.#closing.signal.aborted || getNext(stored) > Date.now()) return
    this.#running = this.#maker.make(stored).finally(() => (this.#running = undefined))
    await this.#running
  }

  /** An idle computer isn't woken while nothing is planned. */
  #watch(isPlanned: boolean): void {
    if (isPlanned && !this.#closing.signal.aborted) {
      this.#timer ??= setInterval(() => this.#startCheck(), pollIntervalMs).unref()
      return
    }
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** A time later than this from now comes from a clock that was ahead. */
const maxAheadMs = 24 * 3_600_000

/** Returns when the next backup is due. A backup or plan of a clock that was ahead doesn't postpone it until that time. */
function getNext({ plan, plannedAt, last }: StoredPlan): number {
  const now = Date.now()
  const isKnown = (at: number) => at <= now + maxAheadMs
  const isPlanKnown = isKnown(plannedAt)
  if (last === null || dirname(last.path) !== plan.directory)
    return isPlanKnown ? dueAt(plan, { since: plannedAt, last: "none" }) : now
  const lastAt = Date.parse(last.at)
  if (!isKnown(lastAt)) return now
  const since = isPlanKnown ? Math.max(plannedAt, lastAt) : lastAt
  return dueAt(plan, { since, last: last.error === null ? "made" : "failed" })
}

/** The stored plan. Its changes run one at a time. */
class LockedPlan {
  readonly #store: ReturnType<typeof createPlanStore>
  readonly #lock = createKeyedLock()

  constructor({ values, dataDirectoryId }: Pick<PlannedBackupsDeps, "values" | "dataDirectoryId">) {
    this.#store = createPlanStore(values, dataDirectoryId)
  }

  read(): Promise<StoredPlan | null> {
    return this.#store.read()
  }

  replace(plan: BackupPlan | null): Promise<void> {
    return this.#lock.run("plan", async () => {
      const before = await this.#store.read()
      const stays = before !== null && before.plan.directory === plan?.directory
      await this.#store.write(
        plan && {
          plan,
          plannedAt: Date.now(),
          last: before?.last ?? null,
          // Backups in another directory are never removed.
          names: stays ? before.names : [],
        },
      )
    })
  }

  /** Changes the plan, unless another plan has replaced it in the meantime. */
  change(plannedAt: number, next: (stored: StoredPlan) => StoredPlan | Promise<StoredPlan>): Promise<void> {
    return this.#lock.run("plan", async () => {
      const stored = await this.#store.read()
      if (stored?.plannedAt === plannedAt) await this.#store.write(await next(stored))
    })
  }
}

/** Makes the backups of a plan and removes old ones. */
class BackupMaker {
  readonly #deps: Pick<PlannedBackupsDeps, "write" | "failed" | "logger">
  readonly #store: LockedPlan
  readonly #closing: AbortSignal

  constructor(
    deps: Pick<PlannedBackupsDeps, "write" | "failed" | "logger">,
    store: LockedPlan,
    closing: AbortSignal,
  ) {
    this.#deps = deps
    this.#store = store
    this.#closing = closing
  }

  async make({ plan, plannedAt, last }: StoredPlan): Promise<void> {
    const { fileName } = newBackup()
    const path = join(plan.directory, fileName)
    // Records the name before the file exists, so that the file is counted and removed however this ends.
    await this.#store.change(plannedAt, (stored) => ({ ...stored, names: [...stored.names, fileName] }))
    try {
      await requirePlanned(plan)
      await this.#deps.write(path, this.#closing, () => requirePlanned(plan))
      const { size } = await stat(path)
      await this.#store.change(plannedAt, (stored) => ({
        ...stored,
        last: { at: timestamp(), path, sizeBytes: size, error: null },
      }))
      await this.#store.change(plannedAt, (stored) => this.#removeOld(stored))
    } catch (error) {
      if (this.#closing.aborted) return // the next start makes the backup
      this.#deps.logger.error({ err: error }, "A scheduled backup failed")
      const { text, field } = getReason(error)
      // Another file with this name belongs to someone else, or will.
      const isTaken = error instanceof AppError && error.code === "conflict"
      const isOwn = !isTaken && (await isFile(path))
      const outcome = { at: timestamp(), path, sizeBytes: null, error: text, ...field }
      await this.#store.change(plannedAt, (stored) => ({
        ...stored,
        names: stored.names.filter((name) => isOwn || name !== fileName),
        last: outcome,
      }))
      if (last === null || last.error === null) await this.#deps.failed({ message: text, ...field })
    }
  }

  /** Counts only existing backups, so that failed ones don't displace others. */
  async #removeOld(stored: StoredPlan): Promise<StoredPlan> {
    const { directory, keep } = stored.plan
    await requirePlanned(stored.plan)
    const existing: string[] = []
    for (const name of stored.names) if (await isFile(join(directory, name))) existing.push(name)
    const left: string[] = []
    for (const name of existing.slice(0, -keep))
      await rm(join(directory, name), { force: true }).catch((error: unknown) => {
        left.push(name)
        this.#deps.logger.warn({ err: error, directory, name }, "An old backup can't be removed")
      })
    return { ...stored, names: [...left, ...existing.slice(-keep)] }
  }
}
