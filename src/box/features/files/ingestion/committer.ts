import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import type { PassageIndex } from "../../../engines/vectors/passage-index.ts"
import { getMaxConcurrentCalls, embedPassages, type Embedder } from "../passages/embed-passages.ts"
import { createGroupCommit, type GroupCommit } from "./group-commit.ts"
import type { PassageStore } from "../passages/passage-store.ts"
import { isWaitingForOcr, type Piece } from "../passages/write-pieces.ts"
import type { Job } from "./job.ts"

export interface CommitterDeps {
  store: PassageStore
  index: Pick<PassageIndex, "put" | "removeFile">
  embedder: Embedder | null
  logger: Logger
  signal: AbortSignal
  changed(fileIds: readonly string[]): void
  /** Returns whether the file is still being read for this job. */
  isCurrent(job: Job): boolean
  /** Called when the job's last piece is committed, or its file was changed or deleted in the meantime. */
  onDone(job: Job): void
  /** Called when documents start waiting for OCR. */
  onWaiting(): void
  onFailed(pieces: readonly Piece[], error: unknown): Promise<void>
  onMissingEmbeddings(): void
}

/** Interval at which the progress of files is stored while their passages are embedded. */
const progressEveryMs = 500

/** Maximum number of passages per commit. It is smaller with embeddings, which are slow. */
const passagesPerCommit = 1_000
const embeddedPerCommit = 128

/**
 * Commits pieces of many files together: embeddings, then a transaction with texts and passages, then the index, then a transaction that
 * completes the files. Removes what a file that changed in the meantime left in the index.
 */
export function createCommitter(deps: CommitterDeps): GroupCommit<Piece> {
  const { store, index, embedder, changed, logger } = deps
  let progressAt = 0

  async function commit(pieces: readonly Piece[]): Promise<void> {
    const embedded = !embedder || (await embed(pieces, embedder))
    const live = new Set(await store.write(pieces, embedder?.modelId ?? null))
    const records = [...live].flatMap(({ job, passages }) =>
      passages.map(({ id, text, embedding }) => {
        const record = { id, text, fileId: job.fileId, vectorId: job.folderId }
        return embedding ? { ...record, embedding } : record
      }),
    )
    await index.put(records)
    const last = [...live].filter((piece) => piece.end)
    const completed = new Set(await store.complete(last))
    if (!embedded) deps.onMissingEmbeddings()
    const superseded = pieces.filter((piece) => !live.has(piece) || (piece.end && !completed.has(piece)))
    // leaves documents that waited for OCR to the code that changed or deleted them
    const whole = superseded.filter((piece) => !piece.job.waiting)
    const left = new Set(whole.map((piece) => piece.job.fileId))
    await Promise.all([...left].map((fileId) => index.removeFile(fileId)))
    for (const piece of pieces) if (piece.end || superseded.includes(piece)) deps.onDone(piece.job)
    if (last.some(isWaitingForOcr)) deps.onWaiting()
    changed([...live].map((piece) => piece.job.fileId))
  }

  async function embed(pieces: readonly Piece[], engine: Embedder): Promise<boolean> {
    const passages = pieces.flatMap(({ job, passages: some }) =>
      some.map((passage) => Object.assign(passage, { vectorId: job.folderId })),
    )
    return embedPassages(passages, engine, deps.signal, logger, () => showProgress(pieces))
  }

  /** Stores the progress of files whose passages are being embedded, which takes most of the time. */
  async function showProgress(pieces: readonly Piece[]): Promise<void> {
    if (performance.now() - progressAt < progressEveryMs) return
    progressAt = performance.now()
    try {
      changed(await store.showProgress(pieces))
    } catch (error) {
      logger.warn({ err: error }, "The progress of files couldn't be stored")
    }
  }

  return createGroupCommit<Piece>({
    limit: () => (embedder ? embeddedPerCommit * getMaxConcurrentCalls(embedder) : passagesPerCommit),
    weigh: (piece) => Math.max(1, piece.passages.length),
    async commit(pieces) {
      try {
        pieces = pieces.filter((piece) => deps.isCurrent(piece.job))
        if (deps.signal.aborted) throw new AppError("unavailable", sentence("core.shutting_down"))
        await commit(pieces)
      } catch (error) {
        await deps.onFailed(pieces, error)
      }
    },
  })
}
