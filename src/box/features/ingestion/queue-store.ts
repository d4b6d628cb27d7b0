import type { Database } from "../../core/database.ts"
import { timestamp } from "../../core/ids.ts"

/** A file that is being indexed. `revision` says which of its contents: results of an older one are thrown away. */
export interface Job {
  fileId: string
  folderId: string
  root: string
  pipeline: "full" | "light"
  name: string
  subFolder: string
  size: number
  storage: "local" | "cloud"
  revision: number
  attempts: number
  priority: number
  /** Whether it is read with OCR. */
  ocr: boolean
}

export interface Outcome {
  status: "completed" | "failed" | "skipped"
  error: string | null
  note: string | null
}

/** How often a file may be tried before it counts as failed. */
export const mostAttempts = 3

/**
 * The queue is the `files` table itself: rows `queued` wait, those for OCR in the phase `ocr`; rows `processing` are in
 * work.
 */
export function createQueueStore(db: Database) {
  return {
    /**
     * Puts files that were in work when the box ended back into the queue. That doesn't count as an attempt: they are
     * read in processes of their own, so it wasn't them who ended it.
     */
    async recover(): Promise<void> {
      await db
        .updateTable("files")
        .set((e) => ({ status: "queued", phase: "queued", progress: 0, attempts: e("attempts", "-", 1) }))
        .where("status", "=", "processing")
        .execute()
    },

    /** The next files of each folder that isn't paused, with or without OCR; the caller chooses among them. */
    async waiting({ ocr, jobsPerClaim }: { ocr: boolean; jobsPerClaim: number }): Promise<Job[]> {
      const rows = await db
        .selectFrom("folders")
        .crossJoin("files")
        .select([
          "files.id as fileId",
          "files.folderId",
          "folders.path as root",
          "folders.pipeline",
          "files.name",
        ])
        .select(["subFolder", "size", "storage", "revision", "attempts", "priority"])
        .where("folders.paused", "=", 0)
        .where((e) =>
          e(
            "files.id",
            "in",
            e
              .selectFrom("files as next")
              .select("next.id")
              .whereRef("next.folderId", "=", "folders.id")
              .where("next.status", "=", "queued")
              .where("next.phase", ocr ? "=" : "!=", "ocr")
              .orderBy("next.priority", "desc")
              .orderBy("next.id")
              .limit(jobsPerClaim),
          ),
        )
        .execute()
      return rows.map((row) => ({ ...row, ocr }))
    },

    /** Marks files as in work and removes what an earlier attempt left in the database. */
    begin: (jobs: readonly Job[]): Promise<{ begun: Job[]; leftovers: string[] }> =>
      db.transaction().execute(async (trx) => {
        const begun: Job[] = []
        for (const job of jobs) {
          const { numUpdatedRows } = await trx
            .updateTable("files")
            .set({
              status: "processing",
              phase: job.ocr ? "ocr" : "extracting",
              progress: 0,
              error: null,
              note: null,
              attempts: job.attempts + 1,
              updatedAt: timestamp(),
            })
            .where("id", "=", job.fileId)
            .where("revision", "=", job.revision)
            .where("status", "=", "queued")
            .executeTakeFirst()
          if (numUpdatedRows > 0n) begun.push(job)
        }
        const ids = begun.map((job) => job.fileId)
        const texts = trx.selectFrom("fileTexts").select("fileId").distinct().where("fileId", "in", ids)
        const leftovers = ids.length > 0 ? (await texts.execute()).map((row) => row.fileId) : []
        if (leftovers.length > 0) {
          await trx.deleteFrom("passages").where("fileId", "in", leftovers).execute()
          await trx.deleteFrom("fileTexts").where("fileId", "in", leftovers).execute()
        }
        return { begun, leftovers }
      }),

    /** Ends a job that has no passages to write. Answers whether it was still current. */
    async end(job: Job, outcome: Outcome): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable("files")
        .set({
          ...outcome,
          phase: outcome.status === "failed" ? "failed" : "done",
          progress: outcome.status === "completed" ? 100 : 0,
          updatedAt: timestamp(),
        })
        .where("id", "=", job.fileId)
        .where("revision", "=", job.revision)
        .where("status", "=", "processing")
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Every file that is marked as in work. */
    async inWork(): Promise<string[]> {
      const rows = await db.selectFrom("files").select("id").where("status", "=", "processing").execute()
      return rows.map((row) => row.id)
    },

    /** Lets a job wait for OCR. The attempt so far isn't counted. */
    async putBackForOcr(job: Job): Promise<void> {
      await db
        .updateTable("files")
        .set((e) => ({ status: "queued", phase: "ocr", progress: 0, attempts: e("attempts", "-", 1) }))
        .where("id", "=", job.fileId)
        .where("status", "=", "processing")
        .execute()
    },

    /** Puts jobs back into the queue. `uncounted`: the attempt wasn't the file's fault. */
    async putBack(fileIds: readonly string[], { uncounted }: { uncounted: boolean }): Promise<void> {
      if (fileIds.length === 0) return
      await db
        .updateTable("files")
        .set((e) => ({
          status: "queued",
          phase: "queued",
          progress: 0,
          ...(uncounted ? { attempts: e("attempts", "-", 1) } : {}),
        }))
        .where("id", "in", [...fileIds])
        .where("status", "=", "processing")
        .execute()
    },
  }
}
