import type { JobIndexer } from "./job-indexer.ts"
import type { Job } from "./job.ts"
import type { JobsInProgress, Work } from "./jobs-in-work.ts"
import type { QueueStore, WaitingKind } from "./queue-store.ts"

/** The last served person, and the last served folder of each person. */
interface LastServed {
  person: string
  folders: Map<string, string>
}

export const createLastServed = (): LastServed => ({ person: "", folders: new Map() })

/**
 * Chooses the next jobs. People take turns, starting after the last served person. Each person's most urgent jobs come first. Among equally
 * urgent ones, folders take turns, so that a large folder doesn't delay a small one.
 *
 * @param last is updated
 */
export function chooseJobs(waiting: readonly Job[], limit: number, last: LastServed): Job[] {
  const byPerson = Map.groupBy(waiting, (job) => job.ownerId)
  const chosen: Job[] = []
  while (chosen.length < limit) {
    const person = findNextId(byPerson.keys(), last.person)
    if (person === undefined) break
    const jobs = byPerson.get(person) ?? []
    const job = getNext(jobs, last.folders.get(person) ?? "")
    if (!job) {
      byPerson.delete(person)
      continue
    }
    jobs.splice(jobs.indexOf(job), 1)
    chosen.push(job)
    last.person = person
    last.folders.set(person, job.folderId)
  }
  return chosen
}

function getNext(jobs: readonly Job[], lastFolder: string): Job | undefined {
  const highest = jobs.reduce((most, { priority }) => Math.max(most, priority), -Infinity)
  const urgent = jobs.filter(({ priority }) => priority === highest)
  const folder = findNextId(
    urgent.map(({ folderId }) => folderId),
    lastFolder,
  )
  const [first, ...others] = urgent.filter(({ folderId }) => folderId === folder)
  return others.reduce((least, job) => (least && job.fileId < least.fileId ? job : least), first)
}

/** Returns the next ID in alphabetical order, or the first one after the last. */
function findNextId(ids: Iterable<string>, last: string): string | undefined {
  let first: string | undefined
  let next: string | undefined
  for (const id of ids) {
    if (first === undefined || id < first) first = id
    if (id > last && (next === undefined || id < next)) next = id
  }
  return next ?? first
}

/** Processes one kind of files with its own workers: scans take so long that nothing else should wait for them. */
export interface Lane {
  readonly ocr: boolean
  /** Whether a file was queued again while it was still in work. */
  readonly isRequeued: boolean
  /** Signals that there may be files to index, and starts missing workers. */
  wake(begin: (processJobs: () => Promise<void>) => void): void
  /** Settles when no files are being claimed. */
  claimed(): Promise<void>
  /** Gives up those of the works that no worker has started, and returns them. */
  giveUp(works: readonly Work[]): Work[]
}

export interface LaneKind extends WaitingKind {
  /** Current number of concurrent workers. */
  concurrency(): number
  /** Number of additional workers, each for a person none of whose files is being indexed. */
  spare: number
}

export interface LaneDeps {
  queue: Pick<QueueStore, "waiting" | "begin">
  works: JobsInProgress
  indexer: Pick<JobIndexer, "index" | "removeOld">
  /** Called after the state of files has changed. */
  changed(fileIds: readonly string[]): void
  isHalted(): boolean
  /** Stops claiming. */
  signal: AbortSignal
}

export function createLane({ ocr, concurrency, spare, jobsPerClaim }: LaneKind, deps: LaneDeps): Lane {
  const { queue, works, indexer, changed, isHalted, signal } = deps
  /** Number of running workers. */
  let running = 0
  let claimed: Work[] = []
  let claiming: Promise<void> | undefined
  /** Owners of the files that are being indexed. */
  const busy: string[] = []
  const [lastClaimed, lastStarted] = [createLastServed(), createLastServed()]
  /** Whether files may have been queued since the queue was last read. */
  let woken = false
  let isRequeued = false

  async function claim(): Promise<void> {
    woken = false
    const all = await queue.waiting({ ocr, jobsPerClaim })
    const waiting = all.filter((job) => !works.has(job.fileId))
    isRequeued = waiting.length < all.length
    // People with claimed files wait until those are done, unless a new file is more urgent.
    const isServed = ({ ownerId, priority }: Job) =>
      claimed.some(({ job }) => job.ownerId === ownerId && job.priority >= priority)
    const unserved = waiting.filter((job) => !isServed(job))
    const jobs = chooseJobs(unserved, jobsPerClaim, lastClaimed)
    if (jobs.length === 0 || signal.aborted) return
    const { startedJobs, leftovers } = await queue.begin(jobs)
    for (const job of startedJobs) claimed.push(works.begin(job))
    await Promise.all(leftovers.map(indexer.removeOld)) // all at once, because each commit searches the whole index
    changed(startedJobs.map((job) => job.fileId))
  }

  async function next(): Promise<Work | undefined> {
    // A claim that has started may bring more urgent files than those claimed before.
    if (claimed.length === 0 || woken || claiming) {
      claiming ??= claim().finally(() => (claiming = undefined))
      await claiming
    }
    const isSpare = busy.length >= concurrency()
    const jobs = claimed.map(({ job }) => job).filter(({ ownerId }) => !isSpare || !busy.includes(ownerId))
    const [chosen] = chooseJobs(jobs, 1, lastStarted)
    const work = claimed.find(({ job }) => job === chosen)
    if (!work) return undefined
    claimed.splice(claimed.indexOf(work), 1)
    busy.push(work.job.ownerId)
    return work
  }

  async function index(work: Work): Promise<void> {
    try {
      await indexer.index(work)
    } finally {
      busy.splice(busy.indexOf(work.job.ownerId), 1)
    }
  }

  async function processJobs(): Promise<void> {
    try {
      while (!isHalted() && running <= concurrency() + spare) {
        const work = await next()
        if (work) await index(work)
        else if (!woken) break
      }
    } finally {
      running--
    }
  }

  return {
    ocr,
    get isRequeued() {
      return isRequeued
    },
    wake(begin) {
      woken = true
      while (running < concurrency() + spare) {
        running++
        begin(processJobs)
      }
    },
    async claimed() {
      await claiming?.catch(() => undefined)
    },
    giveUp(some) {
      const unread = claimed.filter((work) => some.includes(work))
      claimed = claimed.filter((work) => !unread.includes(work))
      return unread
    },
  }
}
