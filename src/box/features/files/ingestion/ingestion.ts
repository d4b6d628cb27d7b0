import type { DbOf } from "../../../core/database/database.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { runInBackground } from "../../../core/async-context.ts"
import type { PassageIndex } from "../../../engines/vectors/passage-index.ts"
import type { WorkKind } from "../../../http/workers/worker-channel.ts"
import type { Workers } from "../../../http/workers/workers.ts"
import type { DocumentReader } from "../../../parsers/process/document-reader.ts"
import type { PictureDescriber } from "../descriptions/describe-pictures.ts"
import { createFindBytes, type FindBytes } from "../disk/find-stored.ts"
import type { StoredFolders } from "../folder-places.ts"
import type { Embedder } from "../passages/embed-passages.ts"
import { createPassageStore } from "../passages/passage-store.ts"
import { createPassageRefresher, type PassageRefresher } from "../passages/passage-upkeep.ts"
import type { FilePasswords } from "../read-files.ts"
import { createJobIndexer, type JobIndexer } from "./job-indexer.ts"
import type { Job } from "./job.ts"
import {
  type JobsInProgress,
  createJobsInProgress,
  superseded,
  createSettleJob,
  type SettleJob,
} from "./jobs-in-work.ts"
import { createLane, type Lane } from "./lane.ts"
import { type QueueStore, maxRetryDelayMs, createQueueStore } from "./queue-store.ts"
import type { ChunkBlocks } from "./read-job.ts"
import { createRereading, type Rereading } from "./rereading.ts"

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
  /** Describes pictures in documents; without it, nothing can. */
  describer?: PictureDescriber
  /** Returns the password with which a user wants a file to be read. */
  getPassword?: FilePasswords["of"]
  embedder: Embedder | null
  logger: Logger
  /** Called after the state of files has changed. */
  changed(fileIds: readonly string[]): void
  /** Called after a file was read again although its content hadn't changed, about which no one is notified. */
  reread?: (folderId: string, fileId: string, isChanged: boolean) => void
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
  /** Signals that there may be files to index, and others to read again because older readers read them: a folder is no longer paused. */
  requestReread(): void
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
  const ingestion = new FileIngestion(deps)
  await ingestion.start()
  return ingestion
}

class FileIngestion implements Ingestion {
  readonly #closing = new AbortController()
  readonly #running = new Set<Promise<void>>()
  readonly #queue: QueueStore
  readonly #works: JobsInProgress
  readonly #pauses: Pauses
  readonly #settle: SettleJob
  readonly #refresher: PassageRefresher
  readonly #indexer: JobIndexer
  readonly #rereading: Rereading
  readonly #lanes: readonly Lane[]
  readonly #workers: Pick<Workers, "count" | "onChange"> | null
  readonly #logger: Logger
  #stopListening: (() => void) | undefined

  constructor(deps: IngestionDeps) {
    const { db, folders, chunkerVersion, logger, changed, workers = null } = deps
    const { signal } = this.#closing
    const wake = () => this.wake()
    const rest = () => this.#pauses.rest()
    this.#workers = workers
    this.#logger = logger
    this.#queue = createQueueStore(db, folders, chunkerVersion)
    this.#works = createJobsInProgress(() => this.#onJobEnd())
    const [queue, works] = [this.#queue, this.#works]
    this.#pauses = createPauses({
      queue,
      works,
      pauseMs: deps.pauseMs ?? defaultPauseMs,
      isInPlace: deps.isInPlace ?? (() => true),
      start: (task) => this.#runTask(task),
      wake,
      signal,
    })
    const { retryAfterMs = defaultRetryAfterMs } = deps
    this.#settle = createSettleJob({ queue, works, logger, retryAfterMs, changed, rest, wake, signal })
    const { index, embedder, chunk, describer = null } = deps
    const indexed = { store: createPassageStore(db), index, embedder, chunk, logger, signal, describer }
    const written = () => this.#indexer.written()
    this.#refresher = createPassageRefresher({ ...indexed, db, chunkerVersion, written })
    const onMissingEmbeddings = () => this.#refresher.reportMissingEmbeddings()
    this.#indexer = createJobIndexer({
      ...indexed,
      reader: deps.reader,
      find: deps.find ?? createFindBytes(null),
      getPassword: deps.getPassword,
      queue,
      works,
      settle: this.#settle,
      changed,
      onWaiting: wake,
      onMissingEmbeddings,
    })
    this.#rereading = createRereading(
      {
        ...indexed,
        db,
        folders,
        chunkerVersion,
        getReading: (job) => this.#indexer.getReading(job),
        isBusy: () => works.size > 0,
        onReread: (...file) => deps.reread?.(...file),
        onWaiting: wake,
        onMissingEmbeddings,
      },
      signal,
    )
    this.#lanes = this.#createLanes(changed)
  }

  #createLanes(changed: IngestionDeps["changed"]): Lane[] {
    const countWorkers = (kind: WorkKind) => this.#workers?.count(kind) ?? 0
    const laneDeps = {
      queue: this.#queue,
      works: this.#works,
      indexer: this.#indexer,
      changed,
      isHalted: () => this.#pauses.isHalted(),
      signal: this.#closing.signal,
    }
    return [
      createLane(
        { ocr: false, concurrency: () => readAtOnce + countWorkers("read"), spare: 1, jobsPerClaim: 16 },
        laneDeps,
      ),
      createLane(
        { ocr: true, concurrency: () => 1 + countWorkers("recognise"), spare: 0, jobsPerClaim: 1 },
        laneDeps,
      ),
    ]
  }

  /** Resumes interrupted work, and starts to listen for changes in the number of workers. */
  async start(): Promise<void> {
    await this.#queue.recover()
    this.wake()
    this.#stopListening = this.#workers?.onChange(() => this.wake())
  }

  wake(): void {
    if (this.#pauses.isHalted()) return
    for (const lane of this.#lanes)
      lane.wake((processJobs) => this.#runTask(() => this.#work(lane, processJobs)))
  }

  retryEmbedding(): void {
    this.#refresher.reportMissingEmbeddings()
    this.wake()
  }

  requestReread(): void {
    this.#rereading.request()
    this.wake()
  }

  cancel(fileIds: readonly string[]): void {
    this.#works.cancel(fileIds)
  }

  async release(folderId: string): Promise<void> {
    await this.#stopWorks((job) => job.folderId === folderId)
    await this.#rereading.interrupt()
    this.wake()
  }

  async whenIdle(): Promise<void> {
    do {
      this.wake()
      await Promise.all([...this.#running, this.#works.done()])
    } while (this.#running.size > 0 || this.#works.size > 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(superseded)
    this.#stopListening?.()
    await this.#rereading.interrupt()
    this.#pauses[Symbol.dispose]()
    await this.#stopWorks(() => true)
    await Promise.all(this.#running)
    await this.#indexer.written()
  }

  #onJobEnd(): void {
    const isIdle = this.#works.size === 0
    if (this.#lanes.some((lane) => lane.isRequeued) || (isIdle && this.#rereading.isInterrupted)) this.wake()
  }

  /** Runs a task in the background. A failure pauses ingestion. */
  #runTask(task: () => Promise<void>): void {
    const started: Promise<void> = runInBackground(task)
      .catch((error: unknown) => {
        this.#logger.error({ err: error }, "Indexing is paused after an error")
        this.#pauses.rest()
      })
      .finally(() => this.#running.delete(started))
    this.#running.add(started)
  }

  async #work({ ocr }: Lane, processJobs: () => Promise<void>): Promise<void> {
    await processJobs()
    if (this.#pauses.isHalted()) return
    await this.#pauses.awaitRetry()
    if (!ocr) await this.#refresher.run()
    if (!this.#pauses.isHalted()) await this.#rereading.run()
  }

  async #stopWorks(chosen: (job: Job) => boolean): Promise<void> {
    for (const lane of this.#lanes) await lane.claimed()
    const stopped = this.#works.stop(chosen)
    const unread = this.#lanes.flatMap((lane) => lane.giveUp(stopped))
    await Promise.all(unread.map((work) => this.#settle(work.job, superseded)))
    await Promise.all(stopped.map((work) => work.done.promise))
  }
}
