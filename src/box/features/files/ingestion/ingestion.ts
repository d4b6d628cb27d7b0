import type { DbOf } from "../../../core/database/database.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { runInBackground } from "../../../core/async-context.ts"
import type { PassageIndex } from "../../../engines/vectors/passage-index.ts"
import type { WorkKind } from "../../../http/workers/worker-channel.ts"
import type { Workers } from "../../../http/workers/workers.ts"
import type { DocumentReader } from "../../../parsers/process/document-reader.ts"
import { createFindBytes, type FindBytes } from "../disk/find-stored.ts"
import type { StoredFolders } from "../folder-places.ts"
import type { Embedder } from "../passages/embed-passages.ts"
import { createPassageStore } from "../passages/passage-store.ts"
import { createPassageRefresher } from "../passages/passage-upkeep.ts"
import type { FilePasswords } from "../read-files.ts"
import { createJobIndexer } from "./job-indexer.ts"
import type { Job } from "./job.ts"
import { type JobsInProgress, createJobsInProgress, superseded, createSettleJob } from "./jobs-in-work.ts"
import { createLane, type Lane } from "./lane.ts"
import { type QueueStore, maxRetryDelayMs, createQueueStore } from "./queue-store.ts"
import type { ChunkBlocks } from "./read-job.ts"

/** Pauses ingestion and resumes it. */
interface Pauses extends Disposable {
  /** Returns whether ingestion is paused or has ended. */
  isHalted(): boolean
  /** Pauses because of a problem with the disk, the database or the data directory. */
  rest(): void
  /** Wakes ingestion when the next postponed file is due. */
  awaitRetry(): Promise<void>
}

interface PausesDeps {
  queue: Pick<QueueStore, "listRunning" | "putBack" | "nextRetry">
  works: Pick<JobsInProgress, "has">
  pauseMs: number
  /** Returns whether files may be read and written. They may not if the data directory no longer belongs to the box. */
  isInPlace(): boolean
  start(task: () => Promise<void>): void
  wake(): void
  /** Ends ingestion. */
  signal: AbortSignal
}

export function createPauses({ queue, works, pauseMs, isInPlace, start, wake, signal }: PausesDeps): Pauses {
  let pause: NodeJS.Timeout | undefined
  let retry: NodeJS.Timeout | undefined
  let lastQuery = 0

  function isHalted(): boolean {
    if (!isInPlace()) rest()
    return signal.aborted || pause !== undefined
  }

  function rest(): void {
    if (signal.aborted) return
    pause ??= setTimeout(() => {
      pause = undefined
      start(resume)
    }, pauseMs).unref()
  }

  async function resume(): Promise<void> {
    const lost = (await queue.listRunning()).filter((id) => !works.has(id))
    await queue.putBack(lost)
    wake()
  }

  return {
    isHalted,
    rest,
    async awaitRetry() {
      const query = ++lastQuery
      const at = await queue.nextRetry()
      if (query !== lastQuery) return // a later query knows more, but it may have been answered earlier
      clearTimeout(retry)
      if (at === null || isHalted()) return
      const waitMs = at - Date.now()
      retry = setTimeout(wake, waitMs > maxRetryDelayMs ? 0 : Math.max(waitMs, 0)).unref()
    },
    [Symbol.dispose]() {
      clearTimeout(pause)
      clearTimeout(retry)
    },
  }
}

export interface IngestionDeps {
  db: DbOf<"files">
  folders: Pick<StoredFolders, "active">
  reader: Pick<DocumentReader, "read">
  chunk: ChunkBlocks
  /** If it differs from the version that made a file's passages, they are made again from the stored text. */
  chunkerVersion: number
  index: Pick<PassageIndex, "put" | "removeFile">
  /** Finds the bytes of files; by default in their folders' directories. */
  find?: FindBytes
  /** Returns the password with which a user wants a file to be read. */
  getPassword?: FilePasswords["of"]
  embedder: Embedder | null
  logger: Logger
  /** Called after the state of files has changed. */
  changed(fileIds: readonly string[]): void
  /** Worker boxes for this box; null if there are none. */
  workers?: Pick<Workers, "count" | "onChange"> | null | undefined
  /** Delays in ms before a temporary failure is retried: after the first attempt, the second and so on. */
  retryAfterMs?: readonly number[]
  /** Pause in ms when the disk is full or the data directory isn't in its place. */
  pauseMs?: number
  /** Returns whether the data directory is still the box's own. */
  isInPlace?: () => boolean
}

/** Indexes queued files in the background: reads, cuts into passages, embeds, stores and indexes. */
export interface Ingestion extends AsyncDisposable {
  /** Signals that there may be files to index. */
  wake(): void
  /** Signals that the embedding model may now read passages that it couldn't before. */
  retryEmbedding(): void
  /** Cancels work on files that were changed or deleted. */
  cancel(fileIds: readonly string[]): void
  /** Cancels work on a folder that was paused or deleted, and returns its files to the queue. */
  release(folderId: string): Promise<void>
  /** Settles when nothing is left to do, or when work is paused because the disk is full. */
  whenIdle(): Promise<void>
}

/** Number of files read here concurrently, in addition to one that is read with OCR. */
const readAtOnce = 4
const defaultPauseMs = 30_000
const defaultRetryAfterMs = [10_000, 60_000, 300_000, 1_800_000]

/** Starts ingestion and resumes work that a crash interrupted. */
export async function startIngestion(deps: IngestionDeps): Promise<Ingestion> {
  const {
    db,
    folders,
    reader,
    chunk,
    chunkerVersion,
    index,
    embedder,
    logger,
    changed,
    workers = null,
  } = deps
  const { retryAfterMs = defaultRetryAfterMs, pauseMs = defaultPauseMs, isInPlace = () => true } = deps
  const queue = createQueueStore(db, folders, chunkerVersion)
  const store = createPassageStore(db)
  const closing = new AbortController()
  const { signal } = closing
  const running = new Set<Promise<void>>()
  const works = createJobsInProgress(() => {
    if (lanes.some((lane) => lane.isRequeued)) wake()
  })
  const pauses = createPauses({ queue, works, pauseMs, isInPlace, start, wake, signal })
  const settle = createSettleJob({
    queue,
    works,
    logger,
    retryAfterMs,
    changed,
    rest: pauses.rest,
    wake,
    signal,
  })
  const indexed = { store, index, embedder, chunk, logger, signal }
  const upkeep = createPassageRefresher({ ...indexed, db, chunkerVersion, written: () => indexer.written() })
  const indexer = createJobIndexer({
    ...indexed,
    reader,
    find: deps.find ?? createFindBytes(null),
    getPassword: deps.getPassword,
    queue,
    works,
    settle,
    changed,
    onWaiting: wake,
    onMissingEmbeddings: upkeep.reportMissingEmbeddings,
  })
  const countWorkers = (kind: WorkKind) => workers?.count(kind) ?? 0
  const laneDeps = { queue, works, indexer, changed, isHalted: pauses.isHalted, signal }
  const lanes = [
    createLane(
      { ocr: false, concurrency: () => readAtOnce + countWorkers("read"), spare: 1, jobsPerClaim: 16 },
      laneDeps,
    ),
    createLane(
      { ocr: true, concurrency: () => 1 + countWorkers("recognise"), spare: 0, jobsPerClaim: 1 },
      laneDeps,
    ),
  ]

  function start(task: () => Promise<void>): void {
    const started: Promise<void> = runInBackground(task)
      .catch((error: unknown) => {
        logger.error({ err: error }, "Indexing is paused after an error")
        pauses.rest()
      })
      .finally(() => running.delete(started))
    running.add(started)
  }

  function wake(): void {
    if (pauses.isHalted()) return
    for (const lane of lanes) lane.wake((processJobs) => start(() => work(lane, processJobs)))
  }

  async function work({ ocr }: Lane, processJobs: () => Promise<void>): Promise<void> {
    await processJobs()
    if (pauses.isHalted()) return
    await pauses.awaitRetry()
    if (!ocr) await upkeep.run()
  }

  async function stopWorks(chosen: (job: Job) => boolean): Promise<void> {
    for (const lane of lanes) await lane.claimed()
    const stopped = works.stop(chosen)
    const unread = lanes.flatMap((lane) => lane.giveUp(stopped))
    await Promise.all(unread.map((work) => settle(work.job, superseded)))
    await Promise.all(stopped.map((work) => work.done.promise))
  }

  await queue.recover()
  wake()
  const unheard = workers?.onChange(wake)

  return {
    wake,
    retryEmbedding() {
      upkeep.reportMissingEmbeddings()
      wake()
    },
    cancel: works.cancel,
    release: (folderId) => stopWorks((job) => job.folderId === folderId),
    async whenIdle() {
      do {
        wake()
        await Promise.all([...running, works.done()])
      } while (running.size > 0 || works.size > 0)
    },
    async [Symbol.asyncDispose]() {
      closing.abort(superseded)
      unheard?.()
      pauses[Symbol.dispose]()
      await stopWorks(() => true)
      await Promise.all(running)
      await indexer.written()
    },
  }
}
