import { access, constants, statfs } from "node:fs/promises"
import type { Check, Readiness } from "../../../shared/contract/operation.ts"
import { ModelRole, type ModelState } from "../../../shared/contract/models.ts"
import type { DataDirectory } from "../../core/data-directory/watch-data-directory.ts"
import { isAlmostFull } from "../../core/disk/disk-space.ts"
import { coalesceWithTimeout, coalesce } from "../../core/waiting/throttle.ts"

export interface ReadinessDeps {
  dataDir: string
  dataDirectory: Pick<DataDirectory, "requireIntact">
  /** Whether the object stores, if there are any, work. */
  storesAnswer(): Promise<boolean>
  /** Resolves when the database has read something and would accept changes. */
  askDatabase(): Promise<unknown>
  models(): Record<ModelRole, ModelState | null>
  /** Whether loading of the models that load at startup has been requested. */
  haveModelsStarted(): boolean
  /** Aborted when the server stops. */
  stopping: AbortSignal
}

/** Maximum age of the result and minimum interval between checks, however many requests arrive. */
const checkIntervalMs = 1_000

/** Reports whether the server can do its work. The public result names no path, address or program. */
export function createReadiness(
  deps: ReadinessDeps,
  { now = () => performance.now(), maxWaitMs = 2_000 } = {},
) {
  const { dataDir, stopping } = deps
  const checks = coalesce(checkIntervalMs, runChecks, now)
  /** The database's own error isn't reported, because it names its server. */
  const database = coalesceWithTimeout(maxWaitMs, () =>
    deps.askDatabase().then(
      () => fine,
      () => lacking("database_refused", "The database can't be read or changed."),
    ),
  )

  async function storage(): Promise<Check> {
    try {
      deps.dataDirectory.requireIntact()
    } catch {
      return lacking("storage_lost", "The data directory was moved or replaced since the server started.")
    }
    try {
      await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
      if (isAlmostFull(await statfs(dataDir)))
        return lacking("disk_full", "The disk of the data directory is full.")
    } catch {
      return lacking("storage_unwritable", "The data directory can't be written to.")
    }
    if (!(await deps.storesAnswer()))
      return lacking(
        "objects_failing",
        "The object store doesn't answer, or refuses requests. The server's log says why.",
      )
    return fine
  }

  function model(): Check {
    const models = deps.models()
    const used = ModelRole.options.filter((role) => models[role] !== null)
    const findRoleInState = (status: ModelState["status"]) =>
      used.find((role) => models[role]?.status === status)
    const [failed, loading] = [findRoleInState("failed"), findRoleInState("loading")]
    if (used.length === 0) return { ok: true, reason: { code: "model_none", message: "No model is chosen." } }
    if (failed) return lacking("model_failed", `The ${names[failed]} model can't be used.`)
    if (loading) return lacking("model_loading", `The ${names[loading]} model is being loaded.`)
    if (!deps.haveModelsStarted()) return lacking("model_starting", "The models are about to be loaded.")
    return fine // the next question loads idle models
  }

  async function runChecks(): Promise<Readiness["checks"]> {
    const [data = silent, storageState] = await Promise.all([database(), storage()])
    return { database: data, storage: storageState, model: model() }
  }

  return {
    async read(): Promise<Readiness> {
      if (stopping.aborted)
        return { status: "unready", checks: { database: ending, storage: ending, model: ending } }
      const seen = await checks()
      const isReady = Object.values(seen).every(({ ok }) => ok)
      return { status: isReady ? "ready" : "unready", checks: seen }
    },
  }
}

const names: Record<ModelRole, string> = { chat: "chat", embedding: "search", rerank: "sorting" }
const fine: Check = { ok: true }
const lacking = (code: NonNullable<Check["reason"]>["code"], message: string): Check => ({
  ok: false,
  reason: { code, message },
})
const silent = lacking("database_silent", "The database hasn't answered in time.")
const ending = lacking("stopping", "Casella is stopping.")
