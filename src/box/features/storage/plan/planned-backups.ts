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

export function createPlannedBackups({
  values,
  dataDirectoryId,
  write,
  failed,
  logger,
}: PlannedBackupsDeps): PlannedBackups {
  const store = createPlanStore(values, dataDirectoryId)
  const lock = createKeyedLock()
  const closing = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined

  function getNext({ plan, plannedAt, last }: StoredPlan): number {
    if (last === null || dirname(last.path) !== plan.directory)
      return dueAt(plan, { since: plannedAt, last: "none" })
    const since = Math.max(plannedAt, Date.parse(last.at))
    return dueAt(plan, { since, last: last.error === null ? "made" : "failed" })
  }

  /** Changes the stored plan, unless another plan has replaced it in the meantime. */
  const change = (plannedAt: number, next: (stored: StoredPlan) => StoredPlan): Promise<void> =>
    lock.run("plan", async () => {
      const stored = await store.read()
      if (stored?.plannedAt === plannedAt) await store.write(next(stored))
    })

  async function make({ plan, plannedAt, last }: StoredPlan): Promise<void> {
    const { fileName } = newBackup()
    const path = join(plan.directory, fileName)
    // Records the name before the file exists, so that the file is counted and removed however this ends.
    await change(plannedAt, (stored) => ({ ...stored, names: [...stored.names, fileName] }))
    try {
      await requirePlanned(plan)
      await write(path, closing.signal, () => requirePlanned(plan))
      const { size } = await stat(path)
      await change(plannedAt, (stored) => ({
        ...stored,
        last: { at: timestamp(), path, sizeBytes: size, error: null },
      }))
      await removeOld(plannedAt)
    } catch (error) {
      if (closing.signal.aborted) return // the next start makes the backup
      logger.error({ err: error }, "A planned backup failed")
      const { text, field } = getReason(error)
      // Another file with this name belongs to someone else, or will.
      const isTaken = error instanceof AppError && error.code === "conflict"
      const isOwn = !isTaken && (await isFile(path))
      const outcome = { at: timestamp(), path, sizeBytes: null, error: text, ...field }
      await change(plannedAt, (stored) => ({
        ...stored,
        names: stored.names.filter((name) => isOwn || name !== fileName),
        last: outcome,
      }))
      if (last === null || last.error === null) await failed({ message: text, ...field })
    }
  }

  /** Counts only existing backups, so that failed ones don't displace others. */
  const removeOld = (plannedAt: number): Promise<void> =>
    lock.run("plan", async () => {
      const stored = await store.read()
      if (stored?.plannedAt !== plannedAt) return
      const { directory, keep } = stored.plan
      await requirePlanned(stored.plan)
      const existing: string[] = []
      for (const name of stored.names) if (await isFile(join(directory, name))) existing.push(name)
      const left: string[] = []
      for (const name of existing.slice(0, -keep))
        await rm(join(directory, name), { force: true }).catch((error: unknown) => {
          left.push(name)
          logger.warn({ err: error, directory, name }, "An old backup can't be removed")
        })
      await store.write({ ...stored, names: [...left, ...existing.slice(-keep)] })
    })

  /** An idle computer isn't woken while nothing is planned. */
  function watch(isPlanned: boolean): void {
    if (isPlanned && !closing.signal.aborted) {
      timer ??= setInterval(startCheck, pollIntervalMs).unref()
      return
    }
    clearInterval(timer)
    timer = undefined
  }

  async function makeDueBackup(): Promise<void> {
    const stored = await store.read()
    watch(stored !== null)
    if (!stored || running || closing.signal.aborted || getNext(stored) > Date.now()) return
    running = make(stored).finally(() => (running = undefined))
    await running
  }

  const startCheck = () =>
    void makeDueBackup().catch((error: unknown) =>
      logger.warn({ err: error }, "Managing planned backups failed"),
    )

  async function state(): Promise<BackupPlanState> {
    const stored = await store.read()
    return {
      plan: stored?.plan ?? null,
      running: running !== undefined,
      last: stored?.last ?? null,
      nextAt: stored && timestamp(Math.max(getNext(stored), Date.now())),
    }
  }

  return {
    async start() {
      startCheck()
    },
    state,

    async plan(wanted) {
      const plan = wanted && { ...wanted, directory: await requireBackupDirectory(wanted.directory) }
      await lock.run("plan", async () => {
        const before = await store.read()
        const stays = before !== null && before.plan.directory === plan?.directory
        await store.write(
          plan && {
            plan,
            plannedAt: Date.now(),
            last: before?.last ?? null,
            // Backups in another directory are never removed.
            names: stays ? before.names : [],
          },
        )
      })
      startCheck()
      return state()
    },

    async [Symbol.asyncDispose]() {
      closing.abort(new Error("The box is shutting down."))
      watch(false)
      await running
    },
  }
}
