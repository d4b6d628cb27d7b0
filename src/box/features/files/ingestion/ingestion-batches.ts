import { mayBeProgramFault } from "../../../../shared/contract/file-reasons.ts"
import type { DbOf } from "../../../core/database/database.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { createDelayedWork } from "../../../core/waiting/delayed-work.ts"
import { storedReasons, upkeepPriority } from "../file-entry.ts"

/** The result for the files that a folder indexed until it had nothing left to do. */
export interface IngestionBatch {
  folderId: string
  folderName: string
  ownerId: string
  indexed: number
  /** Names of the files that failed. */
  failed: string[]
  /** Number of failures that may be Casella's fault. */
  programFaults: number
  durationMs: number
}

export interface IngestionBatches extends AsyncDisposable {
  /** Accepts the IDs of files whose indexing state has changed. */
  changed(fileIds: readonly string[]): void
}

interface OpenBatch {
  startedAt: number
  /** By file: how it failed, or null if it was indexed. */
  ended: Map<string, { name: string; programFault: boolean } | null>
}

const idsPerStatement = 500

/** Collects the results of files into one batch per folder, from the first file until the folder is idle. */
export function createIngestionBatches(deps: {
  db: DbOf<"files">
  logger: Logger
  /**
   * Returns name and owner of a listed folder, or null for others, such as a chat's folder: the chat shows the state of its attachments.
   */
  folder(folderId: string): Promise<{ name: string; ownerId: string } | null>
  finished(batch: IngestionBatch): Promise<unknown>
  /** A folder is done if nothing has changed for this long and nothing is waiting. */
  quietMs?: number
}): IngestionBatches {
  const { db, logger, finished, quietMs = 2_000 } = deps
  const open = new Map<string, OpenBatch>()
  let changedIds = new Set<string>()

  async function check(): Promise<void> {
    const ids = [...changedIds]
    changedIds = new Set()
    const touched = new Set<string>()
    for (let start = 0; start < ids.length; start += idsPerStatement) {
      const files = await db
        .selectFrom("files")
        .select(["id", "folderId", "name", "status", "reasons"])
        .where("id", "in", ids.slice(start, start + idsPerStatement))
        .where("priority", "!=", upkeepPriority)
        .execute()
      for (const { id, folderId, name, status, reasons } of files) {
        touched.add(folderId)
        const batch = open.get(folderId) ?? { startedAt: performance.now(), ended: new Map() }
        open.set(folderId, batch)
        if (status === "failed")
          batch.ended.set(id, { name, programFault: mayBeProgramFault(storedReasons(reasons)) })
        else if (status === "completed") batch.ended.set(id, null)
        else batch.ended.delete(id)
      }
    }
    for (const [folderId, batch] of open) {
      if (!touched.has(folderId) && !(await isBusy(folderId))) await close(folderId, batch)
    }
    if (open.size > 0) delayedCheck.ask()
  }

  async function isBusy(folderId: string): Promise<boolean> {
    const waiting = await db
      .selectFrom("files")
      .select("id")
      .where("folderId", "=", folderId)
      .where("status", "in", ["queued", "processing"])
      .where("retryAt", "is", null)
      .where("priority", "!=", upkeepPriority)
      .executeTakeFirst()
    return waiting !== undefined
  }

  async function close(folderId: string, { startedAt, ended }: OpenBatch): Promise<void> {
    open.delete(folderId)
    if (ended.size === 0) return
    const folder = await deps.folder(folderId)
    if (!folder) return
    const failed = [...ended.values()].filter((file) => file !== null)
    await finished({
      folderId,
      folderName: folder.name,
      ownerId: folder.ownerId,
      indexed: ended.size - failed.length,
      failed: failed.map(({ name }) => name),
      programFaults: failed.filter(({ programFault }) => programFault).length,
      durationMs: performance.now() - startedAt,
    })
  }

  const delayedCheck = createDelayedWork(check, quietMs, (error) => {
    logger.error({ err: error }, "A finished batch of files couldn't be announced")
    open.clear()
  })

  return {
    changed(fileIds) {
      for (const id of fileIds) changedIds.add(id)
      delayedCheck.ask()
    },
    [Symbol.asyncDispose]: () => delayedCheck[Symbol.asyncDispose](),
  }
}
