import { sql } from "kysely"
import type { FileReason } from "../../../../shared/contract/files.ts"
import { among, readStored } from "../../../core/database/sql-helpers.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { timestamp, parseTimestamp } from "../../../core/ids.ts"
import { getReadAs } from "../file-entry.ts"
import { fileEvents, applyTransition } from "../file-state.ts"
import type { StoredFolder, StoredFolders } from "../folder-places.ts"
import { deleteContents } from "../passages/passage-store.ts"
import { type Job, WaitingPages } from "./job.ts"

/** Selects waiting files. */
export interface WaitingKind {
  /** Whether to select files for OCR or the others. */
  ocr: boolean
  /** Maximum number of files per folder. */
  jobsPerClaim: number
}

/** Maximum retry delay. A longer one means that the clock was ahead when the file was postponed. */
export const maxRetryDelayMs = 3_600_000

/** Returns the next due files of each of these folders by priority, in no particular order overall. */
async function waitingJobs(
  db: DbOf<"files">,
  folders: readonly StoredFolder[],
  { ocr, jobsPerClaim }: WaitingKind,
): Promise<Job[]> {
  const byId = new Map(folders.map((folder) => [folder.id, folder]))
  const ids = JSON.stringify([...byId.keys()])
  const rows = await db
    .selectFrom(sql<{ id: string }>`(SELECT value AS id FROM json_each(${ids}))`.as("folder"))
    .crossJoin("files")
    .select(["files.id as fileId", "folderId", "name", "subFolder", "size", "storage", "object"])
    .select(["revision", "attempts", "priority", "waitingPages", "readAs", "readers"])
    .where((e) =>
      e(
        "files.id",
        "in",
        e
          .selectFrom("files as next")
          .select("next.id")
          .whereRef("next.folderId", "=", "folder.id")
          .where("next.status", "=", "queued")
          .where("next.phase", ocr ? "=" : "!=", "ocr")
          .where((next) =>
            next.or([
              next("next.retryAt", "is", null),
              next("next.retryAt", "<=", timestamp()),
              next("next.retryAt", ">", timestamp(Date.now() + maxRetryDelayMs)),
            ]),
          )
          .orderBy("next.priority", "desc")
          // files with the least left to read come first, so that a long scan delays no one
          // one unreadable value mustn't keep all files from being read
          .orderBy(
            sql`CASE WHEN json_valid(next."waitingPages") THEN json_array_length(next."waitingPages", '$.pages') END`,
          )
          .orderBy("next.id")
          .limit(jobsPerClaim),
      ),
    )
    .execute()
  return rows.flatMap(({ waitingPages, ...row }) => {
    const folder = byId.get(row.folderId)
    if (!folder) return []
    const { ownerId, path: root, pipeline, marksHidden, wantsPictures, wantsDescriptions } = folder
    const waiting = waitingPages === null ? null : (readStored(WaitingPages, waitingPages) ?? null)
    const options = { marksHidden, wantsPictures, wantsDescriptions }
    const reading = { readAs: getReadAs(row), pipeline, ...options }
    return [{ ...row, ...reading, ownerId, root, waiting }]
  })
}

export interface Outcome {
  status: "failed" | "skipped"
  reason: FileReason
  /** The readers that failed, as `UsedReaders` describes them. */
  readers: string
}

export type QueueStore = ReturnType<typeof createQueueStore>

/**
 * The queue is the `files` table: rows with status `queued` wait (for OCR in the phase `ocr`), rows with status `processing` are in work.
 *
 * @param chunkerVersion version of the chunker that cuts the files
 */
export function createQueueStore(
  db: DbOf<"files">,
  folders: Pick<StoredFolders, "active">,
  chunkerVersion: number,
) {
  return {
    /**
     * Returns files that were in work when the box stopped to the queue. The attempt isn't counted: files are read in separate processes,
     * so they didn't cause the stop.
     */
    async recover(): Promise<void> {
      await applyTransition(db, fileEvents.recovered(), {})
      await applyTransition(db, fileEvents.madeDue(), {})
    },

    /** Returns the next files of each folder that isn't paused, with or without OCR. The caller chooses among them. */
    waiting: async (kind: WaitingKind): Promise<Job[]> => waitingJobs(db, await folders.active(), kind),

    /** Marks files as in work and removes leftovers of earlier attempts from the database. */
    begin: (jobs: readonly Job[]): Promise<{ startedJobs: Job[]; leftovers: string[] }> =>
      db.transaction().execute(async (trx) => {
        const startedJobs: Job[] = []
        for (const job of jobs) {
          const which = { ids: [job.fileId], revision: job.revision }
          if ((await applyTransition(trx, fileEvents.claimed(chunkerVersion), which)).length > 0)
            startedJobs.push(job)
        }
        const ids = startedJobs.filter((job) => !job.waiting).map((job) => job.fileId)
        const texts = trx.selectFrom("fileTexts").select("fileId").distinct().where("fileId", "in", ids)
        const leftovers = ids.length > 0 ? (await texts.execute()).map((row) => row.fileId) : []
        if (leftovers.length > 0) await deleteContents(trx, leftovers)
        return { startedJobs, leftovers }
      }),

    /** Ends a job that has no passages to store, unless its file was changed in the meantime. */
    async end({ fileId, revision }: Job, { status, reason, readers }: Outcome): Promise<void> {
      await applyTransition(db, fileEvents.ended(status, reason, readers), { ids: [fileId], revision })
    },

    /** Returns every file that is marked as in work. */
    async listRunning(): Promise<string[]> {
      const rows = await db.selectFrom("files").select("id").where("status", "=", "processing").execute()
      return rows.map((row) => row.id)
    },

    /** Returns a job to the queue, to be retried after a delay. */
    async putOff({ fileId }: Job, { waitMs, note }: { waitMs: number; note: FileReason }): Promise<void> {
      const retryAt = new Date(Date.now() + waitMs).toISOString()
      await applyTransition(db, fileEvents.putOff(retryAt, note), { ids: [fileId] })
    },

    /** Returns a job to the queue until the disk has space. The attempt isn't counted. */
    async awaitRoom({ fileId }: Job): Promise<void> {
      await applyTransition(db, fileEvents.roomMissing(), { ids: [fileId] })
    },

    /** Returns when the next postponed file is due, or null if there is none. */
    async nextRetry(): Promise<number | null> {
      const row = await db
        .selectFrom("files")
        .select((e) => e.fn.min("retryAt").as("at"))
        .where("retryAt", "is not", null)
        .where("folderId", "in", among((await folders.active()).map(({ id }) => id)))
        .executeTakeFirst()
      return row?.at ? parseTimestamp(row.at, Date.now() + maxRetryDelayMs) : null
    },

    /** Discards what was read of a job's file, because its passages may not be in the index. */
    async startOver({ fileId }: Job): Promise<void> {
      await applyTransition(db, fileEvents.startedOver(), { ids: [fileId] })
    },

    /** Returns jobs to the queue. The attempt isn't counted, because the file wasn't at fault. */
    async putBack(fileIds: readonly string[]): Promise<void> {
      await applyTransition(db, fileEvents.putBack(), { ids: fileIds })
    },
  }
}
