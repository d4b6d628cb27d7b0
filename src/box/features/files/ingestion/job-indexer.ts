import type { FilePasswords } from "../passwords.ts"
import type { Piece } from "../passages/write-pieces.ts"
import { createCommitter, type CommitterDeps } from "./committer.ts"
import { extractPieces, type ChunkBlocks, type Remarks } from "./extract.ts"
import { type JobsInProgress, superseded, type Work } from "./jobs-in-work.ts"
import type { Job } from "./job.ts"
import type { QueueStore } from "./queue-store.ts"
import { readJob, type JobReading } from "./read-job.ts"
import { recognisePage } from "./recognise-pages.ts"
import type { SettleJob } from "./settle-job.ts"

/** Indexes a job's file. */
export interface JobIndexer {
  /** Reads a file and passes its pieces on to be stored, which ends the job. A failed job is settled. */
  index(work: Work): Promise<void>
  /**
   * Removes old passages of a file from the index. A failure can wait, because passages that are missing from the database are never shown.
   */
  removeOld(fileId: string): Promise<void>
  /** Settles when everything that was read is stored. */
  written(): Promise<void>
}

export interface JobIndexerDeps extends Omit<CommitterDeps, "isCurrent" | "onDone" | "onFailed">, JobReading {
  getPassword: FilePasswords["of"] | undefined
  chunk: ChunkBlocks
  queue: Pick<QueueStore, "startOver">
  works: Pick<JobsInProgress, "isCurrent" | "end">
  settle: SettleJob
}

export function createJobIndexer(deps: JobIndexerDeps): JobIndexer {
  const { reader, find, chunk, queue, works, settle, index, logger } = deps
  const committer = createCommitter({
    ...deps,
    isCurrent: works.isCurrent,
    onDone: works.end,
    async onFailed(pieces, error) {
      for (const job of new Set(pieces.map((piece) => piece.job))) {
        await removeOld(job.fileId)
        await queue.startOver(job).catch(() => undefined) // without a database, `settle` fails too and pauses
        await settle(job, error)
      }
    },
  })

  function getReading({ fileId }: Job): JobReading {
    const password = deps.getPassword?.(fileId)
    if (password === undefined) return { reader, find }
    return { reader: { read: (input, options) => reader.read({ ...input, password }, options) }, find }
  }

  async function* getPieces(job: Job, signal: AbortSignal): AsyncGenerator<Piece> {
    if (job.waiting) return yield await recognisePage(job, job.waiting, getReading(job), chunk, signal)
    const remarks: Remarks = { notes: [] }
    const blocks = readJob(job, getReading(job), {
      signal,
      onNote: (note) => remarks.notes.push(note),
      onScans: (scans) => (remarks.scans = scans),
      onHash: (hash) => (remarks.contentHash = hash),
    })
    yield* extractPieces(job, blocks, chunk, remarks)
  }

  async function removeOld(fileId: string): Promise<void> {
    await index.removeFile(fileId).catch((error: unknown) => {
      logger.warn({ err: error, fileId }, "Old passages remain in the search index until it is rebuilt")
    })
  }

  return {
    removeOld,
    async index({ job, stop }) {
      const signal = AbortSignal.any([stop.signal, deps.signal])
      let handedOver = 0
      try {
        signal.throwIfAborted()
        for await (const piece of getPieces(job, signal)) {
          signal.throwIfAborted()
          await committer.add(piece)
          handedOver++
        }
      } catch (error) {
        if (handedOver > 0) {
          await committer.drained()
          // If not, its leftovers are already removed, and the index may contain passages of another reading.
          if (!job.waiting && works.isCurrent(job)) await removeOld(job.fileId)
        }
        await settle(job, signal.aborted ? superseded : error)
      }
    },
    written: () => committer.drained(),
  }
}
