import type { DbOf } from "../../../core/database/database.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { byItself } from "../../../core/outbound/on-behalf-of.ts"
import type { PassageIndex } from "../../../engines/vectors/passage-index.ts"
import type { DocumentReader } from "../../../parsers/process/document-reader.ts"
import type { FolderPlaces } from "../folder-places.ts"
import { chooseJobs } from "./choose-jobs.ts"
import { createCommitter } from "./committer.ts"
import type { Embedder } from "../passages/embed-passages.ts"
import { backfillEmbeddings } from "../passages/embedding-backfill.ts"
import { extractPieces, type ChunkBlocks, type Remarks } from "./extract.ts"
import { createPassageStore, type Piece } from "../passages/passage-store.ts"
import { outcomeOf, type ErrorOutcome } from "./outcome.ts"
import { createQueueStore, furthestRetryMs, type Job } from "./queue-store.ts"
import { readJob } from "./read-job.ts"
import { createRechunkStore } from "../passages/rechunk-store.ts"
import { rechunk } from "../passages/rechunk.ts"
import { recognisePage } from "./recognise-pages.ts"

export interface IngestionDeps {
  db: DbOf<"files">
  folders: Pick<FolderPlaces, "active">
  reader: Pick<DocumentReader, "read">
  chunk: ChunkBlocks
  /** When it differs from that of a file's passages, they are made anew from its stored text. */
  chunkerVersion: number
  index: Pick<PassageIndex, "put" | "removeFile">
  embedder: Embedder | null
  logger: Logger
  /** Called after the state of files has changed. */
  changed(fileIds: readonly string[]): void
  /** Files that are read at the same time, besides one that is read with OCR. */
  workers?: number
  /** Waits before what failed for a passing reason is tried again: after the first attempt, the second and so on. */
  retryAfterMs?: readonly number[]
  /** Wait before it goes on where the disk was full. */
  restMs?: number
}

/** Indexes queued files in the background: reads, cuts into passages, embeds, writes and indexes (interface.md 3.2). */
export interface Ingestion extends AsyncDisposable {
  /** Says that there may be files to index. */
  wake(): void
  /** Ends work on files that were changed or deleted. */
  cancel(fileIds: readonly string[]): void
  /** Ends work on a folder that was paused or deleted, and puts its files back into the queue. */
  release(folderId: string): Promise<void>
  /** Settles when nothing is left to do, or nothing can be done for a while because the disk is full. */
  whenIdle(): Promise<void>
}

interface Work {
  job: Job
  stop: AbortController
  done: PromiseWithResolvers<void>
}

/** Files of a kind that are worked off side by side: scans take so long that nothing else may wait behind them. */
interface Lane {
  ocr: boolean
  workers: number
  jobsPerClaim: number
  /** Workers that run. */
  running: number
  claimed: Work[]
  claiming: Promise<void> | undefined
  lastFolder: string
  /** There may be files that the last look at the queue came too early for. */
  woken: boolean
  /** A file was queued again while it was still in work. */
  queuedAgain: boolean
}

const defaultRestMs = 30_000
const defaultRetryAfterMs = [10_000, 60_000, 300_000, 1_800_000]
const overtaken = Symbol("the file was changed, deleted or released")

/** Starts ingestion; what a crash interrupted goes on. */
export async function startIngestion(deps: IngestionDeps): Promise<Ingestion> {
  const { db, index, embedder, logger, changed, workers = 4 } = deps
  const { retryAfterMs = defaultRetryAfterMs, restMs = defaultRestMs } = deps
  const queue = createQueueStore(db, deps.folders, deps.chunkerVersion)
  const store = createPassageStore(db)
  const closing = new AbortController()
  /** Files that are claimed, read or being written. */
  const works = new Map<string, Work>()
  const lanes = [
    createLane({ ocr: false, workers, jobsPerClaim: 16 }),
    createLane({ ocr: true, workers: 1, jobsPerClaim: 1 }),
  ]
  const running = new Set<Promise<void>>()
  let embeddingsMissing = embedder !== null
  let passagesOutdated = true
  let pause: NodeJS.Timeout | undefined
  let retry: NodeJS.Timeout | undefined

  const isHalted = () => closing.signal.aborted || pause !== undefined
  const isCurrent = (job: Job) => works.get(job.fileId)?.job === job
  const committer = createCommitter({
    store,
    index,
    embedder,
    logger,
    changed,
    isCurrent,
    signal: closing.signal,
    onDone: finish,
    onWaiting: wake,
    async onFailed(pieces, error) {
      for (const job of new Set(pieces.map((piece) => piece.job))) {
        await removeFromIndex(job.fileId)
        await queue.startOver(job).catch(() => undefined) // without a database `settle` fails too, and rests
        await settle(job, error)
      }
    },
    onMissingEmbeddings: () => {
      embeddingsMissing = true
    },
  })

  function finish(job: Job): void {
    const work = works.get(job.fileId)
    if (work?.job !== job) return
    works.delete(job.fileId)
    work.stop.abort(overtaken)
    work.done.resolve()
    if (lanes.some((lane) => lane.queuedAgain)) wake()
  }

  async function claim(lane: Lane): Promise<void> {
    lane.woken = false
    const all = await queue.waiting(lane)
    const waiting = all.filter((job) => !works.has(job.fileId))
    lane.queuedAgain = waiting.length < all.length
    const jobs = chooseJobs(waiting, lane.jobsPerClaim, lane.lastFolder)
    if (jobs.length === 0 || closing.signal.aborted) return
    lane.lastFolder = jobs.at(-1)?.folderId ?? lane.lastFolder
    const { begun, leftovers } = await queue.begin(jobs)
    for (const job of begun) {
      const work = { job, stop: new AbortController(), done: Promise.withResolvers<void>() }
      works.set(job.fileId, work)
      lane.claimed.push(work)
    }
    await Promise.all(leftovers.map(removeFromIndex)) // together, since each commit looks through the whole index
    changed(begun.map((job) => job.fileId))
  }

  async function next(lane: Lane): Promise<Work | undefined> {
    if (lane.claimed.length === 0) {
      lane.claiming ??= claim(lane).finally(() => (lane.claiming = undefined))
      await lane.claiming
    }
    return lane.claimed.shift()
  }

  async function workOff(lane: Lane): Promise<void> {
    try {
      while (!isHalted()) {
        const work = await next(lane)
        if (work) await read(work)
        else if (!lane.woken) break
      }
    } finally {
      lane.running--
    }
    if (isHalted()) return
    await awaitRetry()
    if (lane.ocr) return
    await renew()
    await backfill()
  }

  async function read({ job, stop }: Work): Promise<void> {
    const signal = AbortSignal.any([stop.signal, closing.signal])
    let handedOver = 0
    try {
      signal.throwIfAborted()
      for await (const piece of piecesOf(job, signal)) {
        signal.throwIfAborted()
        await committer.add(piece)
        handedOver++
      }
    } catch (error) {
      if (handedOver > 0) {
        await committer.drained()
        if (!job.waiting) await removeFromIndex(job.fileId)
      }
      await settle(job, signal.aborted ? overtaken : error)
    }
  }

  async function* piecesOf(job: Job, signal: AbortSignal): AsyncGenerator<Piece> {
    const { reader, chunk } = deps
    if (job.waiting) return yield await recognisePage(job, job.waiting, reader, chunk, signal)
    const remarks: Remarks = { notes: [] }
    const blocks = readJob(job, reader, {
      signal,
      onNote: (note) => remarks.notes.push(note),
      onScans: (scans) => (remarks.scans = scans),
      ...(!job.managed && { onHash: (hash) => (remarks.contentHash = hash) }),
    })
    yield* extractPieces(job, blocks, chunk, remarks)
  }

  /** What stays in the index is never shown, because the database doesn't know it; so a failure may wait. */
  async function removeFromIndex(fileId: string): Promise<void> {
    await index.removeFile(fileId).catch((error: unknown) => {
      logger.warn({ err: error, fileId }, "Old passages stay in the search index until it is built anew")
    })
  }

  /** Ends a job that didn't come through. */
  async function settle(job: Job, error: unknown): Promise<void> {
    if (!isCurrent(job)) return
    const outcome = outcomeOf(error, closing.signal.aborted)
    try {
      await record(job, outcome, error)
    } catch (cause) {
      logger.error({ err: cause, fileId: job.fileId }, "The state of a file couldn't be stored")
      rest()
    }
    changed([job.fileId])
    finish(job)
    if (outcome.kind === "later") wake()
  }

  async function record(job: Job, outcome: ErrorOutcome, error: unknown): Promise<void> {
    switch (outcome.kind) {
      case "end":
        return queue.end(job, outcome)
      case "disk-full":
        logger.warn({ fileId: job.fileId }, "Indexing rests: the disk is full")
        rest()
        return queue.awaitRoom(job)
      case "put-back":
        return queue.putBack([job.fileId])
      case "later": {
        const { attempts, note, reason } = outcome
        logger.warn({ err: error, fileId: job.fileId }, "Indexing a file failed for now")
        const waitMs = retryAfterMs[Math.min(job.attempts, retryAfterMs.length - 1)] ?? 0
        if (job.attempts + 1 < attempts) return queue.putOff(job, { waitMs, note })
        await queue.end(job, { status: "failed", reason })
      }
    }
  }

  /** Waits before going on: something is wrong with the disk or the database. */
  function rest(): void {
    if (closing.signal.aborted) return
    pause ??= setTimeout(() => {
      pause = undefined
      start(async () => {
        const lost = (await queue.inWork()).filter((id) => !works.has(id))
        await queue.putBack(lost)
        wake()
      })
    }, restMs).unref()
  }

  /** Wakes when the next file that was put off is due. */
  async function awaitRetry(): Promise<void> {
    const at = await queue.nextRetry()
    clearTimeout(retry)
    if (at === null || isHalted()) return
    const waitMs = at - Date.now()
    retry = setTimeout(wake, waitMs > furthestRetryMs ? 0 : Math.max(waitMs, 0)).unref()
  }

  async function renew(): Promise<void> {
    if (!passagesOutdated) return
    passagesOutdated = false
    const { chunk, chunkerVersion } = deps
    const renewed = { texts: store, store: createRechunkStore(db), index, chunk, chunkerVersion }
    if (await rechunk(renewed, closing.signal)) embeddingsMissing = embedder !== null
  }

  async function backfill(): Promise<void> {
    if (!embedder || !embeddingsMissing) return
    embeddingsMissing = false
    await committer.drained()
    const complete = await backfillEmbeddings({ store, index, embedder, logger }, closing.signal)
    if (!complete) embeddingsMissing = true
  }

  function start(task: () => Promise<void>): void {
    const started: Promise<void> = byItself(task)
      .catch((error: unknown) => {
        logger.error({ err: error }, "Indexing rests after an error")
        rest()
      })
      .finally(() => running.delete(started))
    running.add(started)
  }

  function wake(): void {
    if (isHalted()) return
    for (const lane of lanes) {
      lane.woken = true
      while (lane.running < lane.workers) {
        lane.running++
        start(() => workOff(lane))
      }
    }
  }

  async function stopWorks(chosen: (job: Job) => boolean): Promise<void> {
    for (const lane of lanes) await lane.claiming?.catch(() => undefined)
    const stopped = [...works.values()].filter((work) => chosen(work.job))
    for (const { stop } of stopped) stop.abort(overtaken)
    const unread = lanes.flatMap(({ claimed }) => claimed).filter((work) => stopped.includes(work))
    for (const lane of lanes) lane.claimed = lane.claimed.filter((work) => !unread.includes(work))
    await Promise.all(unread.map((work) => settle(work.job, overtaken)))
    await Promise.all(stopped.map((work) => work.done.promise))
  }

  await queue.recover()
  wake()

  return {
    wake,
    cancel(fileIds) {
      for (const id of fileIds) works.get(id)?.stop.abort(overtaken)
    },
    release: (folderId) => stopWorks((job) => job.folderId === folderId),
    async whenIdle() {
      do {
        wake()
        await Promise.all([...running, ...[...works.values()].map((work) => work.done.promise)])
      } while (running.size > 0 || works.size > 0)
    },
    async [Symbol.asyncDispose]() {
      closing.abort(overtaken)
      clearTimeout(pause)
      clearTimeout(retry)
      await stopWorks(() => true)
      await Promise.all(running)
      await committer.drained()
    },
  }
}

function createLane(kind: Pick<Lane, "ocr" | "workers" | "jobsPerClaim">): Lane {
  return {
    ...kind,
    running: 0,
    claimed: [],
    claiming: undefined,
    lastFolder: "",
    woken: false,
    queuedAgain: false,
  }
}
