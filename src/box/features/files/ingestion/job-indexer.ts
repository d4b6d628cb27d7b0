import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import type { PassageIndex } from "../../../engines/vectors/passage-index.ts"
import { getMaxConcurrentCalls, embedPassages, type Embedder } from "../passages/embed-passages.ts"
import { type PassageStore, isWaitingForOcr, type Piece } from "../passages/passage-store.ts"
import type { FilePasswords } from "../read-files.ts"
import type { Job } from "./job.ts"
import { type JobsInProgress, superseded, type Work, type SettleJob } from "./jobs-in-work.ts"
import type { QueueStore } from "./queue-store.ts"
import { extractPieces, type ChunkBlocks, type Remarks, readJob, type JobReading } from "./read-job.ts"

/** Collects items that arrive during a commit and commits them together. Callers wait only if too much is waiting. */
interface GroupCommit<T> {
  /** Settles when there is room for more, usually immediately. */
  add(item: T): Promise<void>
  /** Settles when everything added so far is committed. */
  drained(): Promise<void>
}

interface GroupCommitOptions<T> {
  /** Must not throw: the callers that added the items are no longer waiting. */
  commit: (items: T[]) => Promise<void>
  weigh: (item: T) => number
  /** Maximum weight of one commit, and of the items waiting for the next. */
  limit(): number
}

export function createGroupCommit<T>({ commit, weigh, limit }: GroupCommitOptions<T>): GroupCommit<T> {
  const waiting: T[] = []
  let weight = 0
  let running: Promise<void> | undefined
  let room = Promise.withResolvers<void>()

  function takeGroup(): T[] {
    let sum = 0
    let count = 0
    for (const item of waiting) {
      sum += weigh(item)
      if (count > 0 && sum > limit()) break
      count++
    }
    const group = waiting.splice(0, count)
    weight = waiting.reduce((total, item) => total + weigh(item), 0)
    return group
  }

  async function run(): Promise<void> {
    await Promise.resolve() // lets other items added at the same time join the first group
    while (waiting.length > 0) {
      const group = takeGroup()
      room.resolve()
      room = Promise.withResolvers()
      await commit(group)
    }
    running = undefined
    room.resolve()
    room = Promise.withResolvers()
  }

  return {
    async add(item) {
      while (waiting.length > 0 && weight + weigh(item) > limit()) await room.promise
      waiting.push(item)
      weight += weigh(item)
      running ??= run()
    },
    async drained() {
      await running
    },
  }
}

interface CommitterDeps {
  store: PassageStore
  index: Pick<PassageIndex, "put" | "removeFile">
  embedder: Embedder | null
  logger: Logger
  signal: AbortSignal
  changed(fileIds: readonly string[]): void
  /** Called when documents start waiting for OCR. */
  onWaiting(): void
  onMissingEmbeddings(): void
}

/** The jobs whose pieces are committed. */
interface CommittedJobs {
  /** Returns whether the file is still being read for this job. */
  isCurrent(job: Job): boolean
  /** Called when the job's last piece is committed, or its file was changed or deleted in the meantime. */
  onDone(job: Job): void
  onFailed(pieces: readonly Piece[], error: unknown): Promise<void>
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
function createCommitter(deps: CommitterDeps, jobs: CommittedJobs): GroupCommit<Piece> {
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
    for (const piece of pieces) if (piece.end || superseded.includes(piece)) jobs.onDone(piece.job)
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
        pieces = pieces.filter((piece) => jobs.isCurrent(piece.job))
        if (deps.signal.aborted) throw new AppError("unavailable", sentence("core.shutting_down"))
        await commit(pieces)
      } catch (error) {
        await jobs.onFailed(pieces, error)
      }
    },
  })
}

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
  /** Returns how the file of a job is read, with its password if that is known. */
  getReading(job: Job): JobReading
}

export interface JobIndexerDeps extends CommitterDeps, Omit<JobReading, "password"> {
  getPassword: FilePasswords["of"] | undefined
  chunk: ChunkBlocks
  queue: Pick<QueueStore, "startOver">
  works: Pick<JobsInProgress, "isCurrent" | "end">
  settle: SettleJob
}

export function createJobIndexer(deps: JobIndexerDeps): JobIndexer {
  const { reader, find, describer, chunk, queue, works, settle, index, logger } = deps
  const committer = createCommitter(deps, {
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
    return { reader, find, describer, ...(password !== undefined && { password }) }
  }

  async function* getPieces(work: Work, signal: AbortSignal): AsyncGenerator<Piece> {
    const { job } = work
    if (job.waiting) {
      const { recognisePage } = await import("./recognise-page.ts") // loaded with the first document that waits for OCR
      return yield await recognisePage(job, job.waiting, getReading(job), chunk, signal)
    }
    const remarks: Remarks = { notes: [] }
    const blocks = readJob(job, getReading(job), {
      signal,
      onNote: (note) => remarks.notes.push(note),
      onScans: (scans) => (remarks.scans = scans),
      onProperties: (properties) => (remarks.properties = properties),
      onReaders: (readers) => (remarks.readers = readers),
      onHash: (hash) => (remarks.contentHash = hash),
    })
    try {
      yield* extractPieces(job, blocks, chunk, remarks, describer)
    } finally {
      work.readers = remarks.readers
    }
  }

  async function removeOld(fileId: string): Promise<void> {
    await index.removeFile(fileId).catch((error: unknown) => {
      logger.warn({ err: error, fileId }, "Old passages remain in the search index until it is rebuilt")
    })
  }

  return {
    removeOld,
    getReading,
    async index(work) {
      const { job, stop } = work
      const signal = AbortSignal.any([stop.signal, deps.signal])
      let addedPieces = 0
      try {
        signal.throwIfAborted()
        for await (const piece of getPieces(work, signal)) {
          signal.throwIfAborted()
          await committer.add(piece)
          addedPieces++
        }
      } catch (error) {
        if (addedPieces > 0) {
          await committer.drained()
          // If not, its leftovers are already removed, and the index may contain passages of another reading.
          if (!job.waiting && works.isCurrent(job)) await removeOld(job.fileId)
        }
        await settle(job, signal.aborted ? superseded : error, work.readers)
      }
    },
    written: () => committer.drained(),
  }
}
