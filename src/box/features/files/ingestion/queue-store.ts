import { sql } from "kysely"
import type { FileReason } from "../../../../shared/contract/files.ts"
import { among } from "../../../core/database/among.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { readStored } from "../../../core/database/stored-json.ts"
import { deleteContents } from "../passages/file-contents.ts"
import { timestamp } from "../../../core/ids.ts"
import { fileEvents, happen } from "../file-state.ts"
import type { FolderPlaces } from "../folder-places.ts"
import { WaitingPages } from "./waiting-pages.ts"

/** A file that is being indexed. `revision` says which of its contents: results of an older one are thrown away. */
export interface Job {
  fileId: string
  folderId: string
  root: string
  /** The box's own directory, in which nobody else exchanges files. */
  managed: boolean
  pipeline: "full" | "light"
  name: string
  subFolder: string
  size: number
  storage: "local" | "cloud"
  revision: number
  attempts: number
  priority: number
  /** Set when the first of these pages is read with OCR, because everything else was read before. */
  waiting: WaitingPages | null
}

export interface Outcome {
  status: "failed" | "skipped"
  reason: FileReason
}

/** No file waits longer to be tried again; one that seems to was put off while the clock was ahead. */
export const furthestRetryMs = 3_600_000

export type QueueStore = ReturnType<typeof createQueueStore>

/**
 * The queue is the `files` table itself: rows `queued` wait, those for OCR in the phase `ocr`; rows `processing` are in
 * work.
 *
 * @param chunkerVersion of the chunker that cuts them
 */
export function createQueueStore(
  db: DbOf<"files">,
  folders: Pick<FolderPlaces, "active">,
  chunkerVersion: number,
) {
  return {
    /**
     * Puts files that were in work when the box ended back into the queue. That doesn't count as an attempt: they are
     * read in processes of their own, so it wasn't them who ended it.
     */
    async recover(): Promise<void> {
      await happen(db, fileEvents.recovered(), {})
      await happen(db, fileEvents.madeDue(), {})
    },

    /** The next files of each folder that isn't paused, with or without OCR; the caller chooses among them. */
    async waiting({ ocr, jobsPerClaim }: { ocr: boolean; jobsPerClaim: number }): Promise<Job[]> {
      const active = new Map((await folders.active()).map((folder) => [folder.id, folder]))
      const rows = await db
        .selectFrom(sql<{ id: string }>`(SELECT value AS id FROM json_each(${idsOf(active)}))`.as("folder"))
        .crossJoin("files")
        .select(["files.id as fileId", "folderId", "name", "subFolder", "size", "storage"])
        .select(["revision", "attempts", "priority", "waitingPages"])
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
                  next("next.retryAt", ">", timestamp(Date.now() + furthestRetryMs)),
                ]),
              )
              .orderBy("next.priority", "desc")
              // whoever has least to be read goes first, so that a long scan holds up nobody
              .orderBy((next) => next.fn("json_array_length", ["next.waitingPages", next.val("$.pages")]))
              .orderBy("next.id")
              .limit(jobsPerClaim),
          ),
        )
        .execute()
      return rows.flatMap(({ waitingPages, ...row }) => {
        const folder = active.get(row.folderId)
        if (!folder) return []
        const { path: root, managed, pipeline } = folder
        const waiting = waitingPages === null ? null : (readStored(WaitingPages, waitingPages) ?? null)
        return [{ ...row, root, managed, pipeline, waiting }]
      })
    },

    /** Marks files as in work and removes what an earlier attempt left in the database. */
    begin: (jobs: readonly Job[]): Promise<{ begun: Job[]; leftovers: string[] }> =>
      db.transaction().execute(async (trx) => {
        const begun: Job[] = []
        for (const job of jobs) {
          const which = { ids: [job.fileId], revision: job.revision }
          if ((await happen(trx, fileEvents.claimed(chunkerVersion), which)).length > 0) begun.push(job)
        }
        const ids = begun.filter((job) => !job.waiting).map((job) => job.fileId)
        const texts = trx.selectFrom("fileTexts").select("fileId").distinct().where("fileId", "in", ids)
        const leftovers = ids.length > 0 ? (await texts.execute()).map((row) => row.fileId) : []
        if (leftovers.length > 0) await deleteContents(trx, leftovers)
        return { begun, leftovers }
      }),

    /** Ends a job that has no passages to write, unless its file was changed meanwhile. */
    async end({ fileId, revision }: Job, { status, reason }: Outcome): Promise<void> {
      await happen(db, fileEvents.ended(status, reason), { ids: [fileId], revision })
    },

    /** Every file that is marked as in work. */
    async inWork(): Promise<string[]> {
      const rows = await db.selectFrom("files").select("id").where("status", "=", "processing").execute()
      return rows.map((row) => row.id)
    },

    /** Puts a job back into the queue, to be tried again after a while. */
    async putOff({ fileId }: Job, { waitMs, note }: { waitMs: number; note: FileReason }): Promise<void> {
      const retryAt = new Date(Date.now() + waitMs).toISOString()
      await happen(db, fileEvents.putOff(retryAt, note), { ids: [fileId] })
    },

    /** Puts a job back into the queue until the disk has room. The attempt isn't counted. */
    async awaitRoom({ fileId }: Job): Promise<void> {
      await happen(db, fileEvents.roomMissing(), { ids: [fileId] })
    },

    /** When the next file that was put off is due; null when there is none. */
    async nextRetry(): Promise<number | null> {
      const row = await db
        .selectFrom("files")
        .select((e) => e.fn.min("retryAt").as("at"))
        .where("retryAt", "is not", null)
        .where("folderId", "in", among((await folders.active()).map(({ id }) => id)))
        .executeTakeFirst()
      return row?.at ? Date.parse(row.at) : null
    },

    /** Forgets what was read of a job's file, because its passages may not be in the index. */
    async startOver({ fileId }: Job): Promise<void> {
      await happen(db, fileEvents.startedOver(), { ids: [fileId] })
    },

    /** Puts jobs back into the queue. The attempt isn't counted, because it wasn't the file's fault. */
    async putBack(fileIds: readonly string[]): Promise<void> {
      await happen(db, fileEvents.putBack(), { ids: fileIds })
    },
  }
}

const idsOf = (folders: ReadonlyMap<string, unknown>) => JSON.stringify([...folders.keys()])
