import { sql, type RawBuilder, type SqlBool, type UpdateObject } from "kysely"
import { reason } from "../../../shared/contract/file-reasons.ts"
import type { FilePhase, FileReason, FileStatus } from "../../../shared/contract/files.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import { timestamp } from "../../core/ids.ts"
import { errorColumns, noteColumns } from "./reason-columns.ts"
import type { WaitingPages } from "./ingestion/waiting-pages.ts"

/**
 * Where a file stands on its way into the index. `recognising`: OCR of pages that wait for it. `emptying`: it is being deleted
 * bit by bit, and counts as in work so that nobody begins to read it. `leftOut`: its owner doesn't want it in the index.
 */
export type FileState =
  | "waiting"
  | "waitingForOcr"
  | "reading"
  | "indexing"
  | "recognising"
  | "emptying"
  | "completed"
  | "failed"
  | "skipped"
  | "leftOut"

type Columns = UpdateObject<TablesOf<"files">, "files">
type Moves = Partial<Record<FileState, FileState>>

/** What happens to files: from which states to which, elsewhere it is ignored, and what else it changes. */
interface FileEvent {
  moves: Moves
  changes(to: FileState): Columns
  /** To which of them alone; a start writes nothing where there is nothing to do, for the disk may be full. */
  where?: RawBuilder<SqlBool>
}

/** What a row says that is in a state; whatever it said of it before is overwritten. */
const columnsOf: Record<FileState, Columns & { status: FileStatus; phase: FilePhase }> = {
  waiting: { status: "queued", phase: "queued", progress: 0, waitingPages: null, leftOut: 0 },
  waitingForOcr: { status: "queued", phase: "ocr" },
  reading: { status: "processing", phase: "extracting", progress: 0, waitingPages: null },
  indexing: { status: "processing", phase: "indexing" },
  recognising: { status: "processing", phase: "ocr" },
  emptying: { status: "processing", phase: "queued", progress: 0, waitingPages: null, leftOut: 0 },
  completed: { status: "completed", phase: "done", progress: 100, waitingPages: null },
  failed: { status: "failed", phase: "failed", progress: 0, waitingPages: null },
  skipped: { status: "skipped", phase: "done", progress: 0, waitingPages: null, leftOut: 0 },
  leftOut: { status: "skipped", phase: "done", progress: 0, waitingPages: null, leftOut: 1 },
}

/** Every row is in one of them, also one that an altered backup brought. */
const isIn: Record<FileState, RawBuilder<SqlBool>> = {
  waiting: sql`status = 'queued' AND phase <> 'ocr'`,
  waitingForOcr: sql`status = 'queued' AND phase = 'ocr'`,
  reading: sql`status = 'processing' AND phase = 'extracting'`,
  indexing: sql`status = 'processing' AND phase NOT IN ('extracting', 'ocr', 'queued')`,
  recognising: sql`status = 'processing' AND phase = 'ocr'`,
  emptying: sql`status = 'processing' AND phase = 'queued'`,
  completed: sql`status = 'completed'`,
  failed: sql`status = 'failed'`,
  skipped: sql`status = 'skipped' AND "leftOut" = 0`,
  leftOut: sql`status = 'skipped' AND "leftOut" = 1`,
}
export const fileStates = Object.keys(isIn) as FileState[]

const fromAllBut = (but: readonly FileState[], to: FileState): Moves =>
  Object.fromEntries(fileStates.filter((from) => !but.includes(from)).map((from) => [from, to]))
const fromWork = (to: FileState): Moves => ({ reading: to, indexing: to, recognising: to })
/** Back in the queue; for OCR where the rest of the document was read before. */
const again: Moves = { reading: "waiting", indexing: "waiting", recognising: "waitingForOcr" }

const oneMore = (column: "attempts" | "revision") => sql<number>`${sql.ref(column)} + 1`
/** The attempt wasn't the file's fault. */
const uncounted = { attempts: sql<number>`attempts - 1` }

/** As if nobody had tried to read it. */
const fresh = (priority: number) => ({
  error: null,
  note: null,
  reasons: null,
  attempts: 0,
  contentHash: null,
  retryAt: null,
  priority,
  updatedAt: timestamp(),
})

/** All that a row says of a file which has just come. */
export const initialState = (priority: number) => ({
  ...fresh(priority),
  status: "queued" as const,
  phase: "queued" as const,
  progress: 0,
  waitingPages: null,
  leftOut: 0,
  revision: 1,
  chunker: 0,
})

interface Read {
  notes: readonly FileReason[]
  /** Undefined: the file's stays. */
  contentHash?: string | null | undefined
}
const read = ({ notes, contentHash }: Read) => ({
  ...noteColumns(notes),
  ...(contentHash !== undefined && { contentHash }),
  updatedAt: timestamp(),
})

/**
 * A file has new content when it is indexed with other bytes than before, whatever caused it to be read again. `revision` decides only
 * for rows of an earlier version, which have no hash. Undefined: the hash was stored before pages waited for OCR.
 */
function arrived(contentHash: Read["contentHash"]): Columns {
  const hash = contentHash === undefined ? sql<string | null>`"contentHash"` : sql`${contentHash}`
  return {
    arrivedRevision: sql<number>`CASE WHEN "arrivedHash" IS NULL THEN revision
      WHEN "arrivedHash" <> ${hash} THEN "arrivedRevision" + 1 ELSE "arrivedRevision" END`,
    arrivedHash: sql<string | null>`coalesce(${hash}, "arrivedHash")`,
  }
}

/** The only place that says how the state of files changes. */
export const fileEvents = {
  contentChanged: (priority: number): FileEvent => ({
    moves: fromAllBut(["leftOut"], "waiting"),
    changes: () => ({ ...fresh(priority), revision: oneMore("revision") }),
  }),
  retryWanted: (priority: number): FileEvent => ({
    moves: { completed: "waiting", failed: "waiting", skipped: "waiting", leftOut: "waiting" },
    changes: () => fresh(priority),
  }),
  retryOfFailedWanted: (priority: number): FileEvent => ({
    moves: { failed: "waiting" },
    changes: () => fresh(priority),
  }),
  /** Nothing of it is to be found any more, whatever its bytes become. */
  leftOut: (priority: number): FileEvent => ({
    moves: fromAllBut(["leftOut", "emptying"], "leftOut"),
    changes: () => ({
      ...fresh(priority),
      ...errorColumns(reason("left_out")),
      revision: oneMore("revision"),
    }),
  }),
  /** A worker takes it. */
  claimed: (chunker: number): FileEvent => ({
    moves: { waiting: "reading", waitingForOcr: "recognising" },
    changes: (to) => ({
      error: null,
      retryAt: null,
      attempts: oneMore("attempts"),
      updatedAt: timestamp(),
      ...(to === "reading" && { note: null, reasons: null, chunker }),
    }),
  }),
  /** Some of its passages have embeddings. */
  embedded: (progress: number): FileEvent => ({
    moves: { reading: "indexing", indexing: "indexing" },
    changes: () => ({ progress, updatedAt: timestamp() }),
  }),
  /** A piece of its text is stored. */
  pieceWritten: (progress: number): FileEvent => ({
    moves: { reading: "indexing", indexing: "indexing" },
    changes: () => ({ progress, updatedAt: timestamp() }),
  }),
  /** What a scanned page shows is stored. */
  pageWritten: (progress: number, pages: WaitingPages, notes: readonly FileReason[] | null): FileEvent => ({
    moves: { recognising: "recognising" },
    changes: () => ({
      progress,
      waitingPages: JSON.stringify(pages),
      ...(notes && noteColumns(notes)),
      updatedAt: timestamp(),
    }),
  }),
  /** All that can be found at once is in the index, and pages wait for OCR. */
  pagesLeft: (pages: WaitingPages, said: Read): FileEvent => ({
    moves: { indexing: "waitingForOcr", recognising: "waitingForOcr" },
    changes: () => ({ ...read(said), ...uncounted, waitingPages: JSON.stringify(pages) }),
  }),
  completed: (said: Read): FileEvent => ({
    moves: { indexing: "completed", recognising: "completed" },
    changes: () => ({ ...read(said), ...arrived(said.contentHash) }),
  }),
  ended: (status: "failed" | "skipped", why: FileReason): FileEvent => ({
    moves: fromWork(status),
    changes: () => ({ ...errorColumns(why), updatedAt: timestamp() }),
  }),
  /** It failed for a reason that may pass. */
  putOff: (retryAt: string, note: FileReason): FileEvent => ({
    moves: again,
    changes: () => ({ ...noteColumns([note]), retryAt }),
  }),
  /** The disk is full. */
  roomMissing: (): FileEvent => ({
    moves: again,
    changes: (to) => ({ ...uncounted, ...(to === "waiting" && noteColumns([reason("disk_full")])) }),
  }),
  /** Work on it was called off. */
  putBack: (): FileEvent => ({ moves: again, changes: () => uncounted }),
  /** It was deleted while it was being read; it may be brought back. */
  movedOut: (): FileEvent => ({
    moves: again,
    changes: () => ({ ...uncounted, revision: oneMore("revision") }),
  }),
  /** The box started anew, which ended all work: files are read in processes of their own, so it wasn't them who ended it. */
  recovered: (): FileEvent => ({ moves: { ...again, emptying: "waiting" }, changes: () => uncounted }),
  /** The box started anew: what was put off is due. */
  madeDue: (): FileEvent => ({
    moves: { waiting: "waiting", waitingForOcr: "waitingForOcr" },
    where: sql<SqlBool>`"retryAt" IS NOT NULL`,
    changes: () => ({ retryAt: null }),
  }),
  /** What was read of it may not be in the index. */
  startedOver: (): FileEvent => ({
    moves: { recognising: "reading", waitingForOcr: "waiting" },
    changes: () => ({}),
  }),
  /** Its passages begin to go, one by one. */
  emptied: (priority: number): FileEvent => ({
    moves: fromAllBut([], "emptying"),
    changes: () => ({ ...fresh(priority), attempts: 1, revision: oneMore("revision") }),
  }),
  /** It was emptied, but couldn't be deleted. */
  kept: (priority: number): FileEvent => ({
    moves: { emptying: "waiting" },
    changes: () => fresh(priority),
  }),
  /** Its passages were cut by another version of the chunker. */
  rechunked: (chunker: number): FileEvent => ({
    moves: { completed: "completed" },
    changes: () => ({ chunker }),
  }),
}

/** Lets something happen to files, with these ids or all, of this revision or any, and answers the ids of those to which it did. */
export async function happen(
  db: DbOf<"files">,
  { moves, where, changes }: FileEvent,
  { ids, revision }: { ids?: readonly string[]; revision?: number },
): Promise<string[]> {
  const moved: string[] = []
  const byTarget = Map.groupBy(Object.entries(moves) as [FileState, FileState][], ([, to]) => to)
  for (const [to, pairs] of byTarget) {
    const from = sql<SqlBool>`(${sql.join(
      pairs.map(([state]) => isIn[state]),
      sql` OR `,
    )})`
    let update = db
      .updateTable("files")
      .set({ ...columnsOf[to], ...changes(to) })
      .where(from)
    if (where) update = update.where(where)
    if (ids) update = update.where("id", "in", ids)
    if (revision !== undefined) update = update.where("revision", "=", revision)
    moved.push(...(await update.returning("id").execute()).map(({ id }) => id))
  }
  return moved
}
