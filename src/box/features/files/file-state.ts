import { sql, type RawBuilder, type Selectable, type SqlBool, type UpdateObject } from "kysely"
import { isAllThere, reasonText, reason } from "../../../shared/contract/file-reasons.ts"
import type { FileReason, FilePhase, FileStatus } from "../../../shared/contract/files.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import { timestamp } from "../../core/ids.ts"
import type { WaitingPages } from "./ingestion/job.ts"

/** Limits for the reasons why parts of a file are missing. People read them, and a message with a thousand attachments could have many. */
const maxReasons = 20
const maxTextLength = 1000

/** Columns that record why a file isn't in the index. */
const errorColumns = (reason: FileReason) => ({
  error: reasonText(reason),
  note: null,
  reasons: JSON.stringify([reason]),
  partial: 0,
})

function getPartial(reasons: readonly FileReason[]): 0 | 1 | 2 {
  if (reasons.some(({ code, document }) => code === "no_text" && document === undefined)) return 2
  return isAllThere(reasons) ? 0 : 1
}

/** Columns that record which parts of a file are missing, or what the file waits for. */
function noteColumns(reasons: readonly FileReason[]) {
  const partial = getPartial(reasons)
  if (reasons.length === 0) return { note: null, reasons: null, partial }
  const some = reasons.slice(0, maxReasons)
  return {
    note: some.map(reasonText).join(" ").slice(0, maxTextLength),
    reasons: JSON.stringify(some),
    partial,
  }
}

/**
 * A file's state on its way into the index. `recognising`: waiting pages are being read with OCR. `emptying`: it is being deleted step by
 * step, and is marked as in work so that no worker starts reading it. `leftOut`: its owner has excluded it from the index.
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

/** An event with its state transitions and other changes. Files in other states ignore it. */
export interface FileEvent {
  moves: Moves
  changes(to: FileState): Columns
  /** Limits the event to some files. A start writes nothing if there is nothing to do, because the disk may be full. */
  where?: RawBuilder<SqlBool>
}

/** The columns of a row in each state, which overwrite their previous values. */
const columnsByState: Record<FileState, Columns & { status: FileStatus; phase: FilePhase }> = {
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

/** Every row is in exactly one of these states, including rows from an altered backup. */
const stateConditions: Record<FileState, RawBuilder<SqlBool>> = {
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
export const fileStates = Object.keys(stateConditions) as FileState[]

const fromAllBut = (but: readonly FileState[], to: FileState): Moves =>
  Object.fromEntries(fileStates.filter((from) => !but.includes(from)).map((from) => [from, to]))
const fromWork = (to: FileState): Moves => ({ reading: to, indexing: to, recognising: to })
/** Returns files to the queue; for OCR only, if the rest of the document has already been read. */
const backToQueue: Moves = { reading: "waiting", indexing: "waiting", recognising: "waitingForOcr" }

const oneMore = (column: "attempts" | "revision") => sql<number>`${sql.ref(column)} + 1`
/** Doesn't count the attempt, because the file wasn't at fault. */
const uncounted = { attempts: sql<number>`attempts - 1` }

/** Resets the columns as if the file had never been read. */
const fresh = (priority: number) => ({
  error: null,
  note: null,
  reasons: null,
  partial: 0,
  attempts: 0,
  contentHash: null,
  readers: null,
  retryAt: null,
  priority,
  updatedAt: timestamp(),
})

/** The columns of a new file. */
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

/** The date and the people that a file's content states. */
export type StatedColumns = Pick<Selectable<TablesOf<"files">["files"]>, "contentMs" | "people">

interface Read {
  notes: readonly FileReason[]
  /** Undefined: the stored hash is kept. */
  contentHash?: string | null | undefined
  /** Properties that the content states. Undefined: the stored columns are kept. */
  stated?: StatedColumns | undefined
  /** The readers that read it. Undefined: the stored ones are kept. */
  readers?: string | undefined
}
const read = ({ notes, contentHash, stated, readers }: Read) => ({
  ...noteColumns(notes),
  ...(contentHash !== undefined && { contentHash }),
  ...stated,
  ...(readers !== undefined && { readers }),
  updatedAt: timestamp(),
})

/**
 * A file has new content if it is indexed with different bytes, whatever caused it to be read again. `revision` decides only for rows of an
 * earlier version, which have no hash. Undefined: the hash was stored before pages waited for OCR.
 */
function arrived(contentHash: Read["contentHash"]): Columns {
  const hash = contentHash === undefined ? sql<string | null>`"contentHash"` : sql`${contentHash}`
  return {
    arrivedRevision: sql<number>`CASE WHEN "arrivedHash" IS NULL THEN revision
      WHEN "arrivedHash" <> ${hash} THEN "arrivedRevision" + 1 ELSE "arrivedRevision" END`,
    arrivedHash: sql<string | null>`coalesce(${hash}, "arrivedHash")`,
  }
}

/**
 * Files whose bytes are the same as before haven't arrived. `text` says whether their text changed, with which what was made from it is made
 * again.
 */
const readAgain = (result: Read & { contentHash: string }, text: "same" | "changed"): Columns => ({
  ...read(result),
  error: null,
  arrivedHash: sql<string | null>`coalesce("arrivedHash", ${result.contentHash})`,
  ...(text === "changed" && { revision: oneMore("revision") }),
})

/** The only place that defines how the state of files changes. */
export const fileEvents = {
  contentChanged: (priority: number): FileEvent => ({
    moves: fromAllBut(["leftOut"], "waiting"),
    changes: () => ({
      ...fresh(priority),
      contentMs: null,
      people: null,
      revision: oneMore("revision"),
    }),
  }),
  retryWanted: (priority: number): FileEvent => ({
    moves: { completed: "waiting", failed: "waiting", skipped: "waiting", leftOut: "waiting" },
    changes: () => fresh(priority),
  }),
  retryOfFailedWanted: (priority: number): FileEvent => ({
    moves: { failed: "waiting" },
    changes: () => fresh(priority),
  }),
  /** A person chose how it is read. */
  readAsChosen: (priority: number, readAs: string | null): FileEvent => ({
    moves: fromAllBut(["leftOut", "emptying"], "waiting"),
    changes: () => ({ ...fresh(priority), readAs, revision: oneMore("revision") }),
  }),
  /** The file is excluded from search, even if its bytes change. */
  leftOut: (priority: number): FileEvent => ({
    moves: fromAllBut(["leftOut", "emptying"], "leftOut"),
    changes: () => ({
      ...fresh(priority),
      ...errorColumns(reason("left_out")),
      revision: oneMore("revision"),
    }),
  }),
  /** A worker starts on the file. */
  claimed: (chunker: number): FileEvent => ({
    moves: { waiting: "reading", waitingForOcr: "recognising" },
    changes: (to) => ({
      error: null,
      retryAt: null,
      attempts: oneMore("attempts"),
      updatedAt: timestamp(),
      ...(to === "reading" && { note: null, reasons: null, partial: 0, chunker }),
    }),
  }),
  /** Some of its passages were embedded. */
  embedded: (progress: number): FileEvent => ({
    moves: { reading: "indexing", indexing: "indexing" },
    changes: () => ({ progress, updatedAt: timestamp() }),
  }),
  /** Part of its text was stored. */
  pieceWritten: (progress: number): FileEvent => ({
    moves: { reading: "indexing", indexing: "indexing" },
    changes: () => ({ progress, updatedAt: timestamp() }),
  }),
  /** The content of a scanned page was stored. */
  pageWritten: (progress: number, pages: WaitingPages, notes: readonly FileReason[] | null): FileEvent => ({
    moves: { recognising: "recognising" },
    changes: () => ({
      progress,
      waitingPages: JSON.stringify(pages),
      ...(notes && noteColumns(notes)),
      updatedAt: timestamp(),
    }),
  }),
  /** Everything available immediately is in the index, and pages wait for OCR. */
  pagesLeft: (pages: WaitingPages, readResult: Read): FileEvent => ({
    moves: { indexing: "waitingForOcr", recognising: "waitingForOcr" },
    changes: () => ({ ...read(readResult), ...uncounted, waitingPages: JSON.stringify(pages) }),
  }),
  completed: (readResult: Read): FileEvent => ({
    moves: { indexing: "completed", recognising: "completed" },
    changes: () => ({ ...read(readResult), ...arrived(readResult.contentHash) }),
  }),
  ended: (status: "failed" | "skipped", why: FileReason, readers: string): FileEvent => ({
    moves: fromWork(status),
    changes: () => ({ ...errorColumns(why), readers, updatedAt: timestamp() }),
  }),
  /** Its previous text was in use while it was read again. Nothing of it waits for OCR. */
  readAgain: (
    result: Read & { contentHash: string; chunker: number },
    text: "same" | "changed",
  ): FileEvent => ({
    moves: { completed: "completed", failed: "completed" },
    changes: () => ({ ...readAgain(result, text), chunker: result.chunker }),
  }),
  /** It was read again, and pages that its previous reader didn't leave for OCR wait for that. */
  readAgainWithPagesLeft: (
    result: Read & { contentHash: string; chunker: number },
    pages: WaitingPages,
    priority: number,
  ): FileEvent => ({
    moves: { completed: "waitingForOcr", failed: "waitingForOcr" },
    changes: () => ({
      ...readAgain(result, "changed"),
      chunker: result.chunker,
      attempts: 0,
      priority,
      waitingPages: JSON.stringify(pages),
    }),
  }),
  /** It couldn't be read again, so it stays as it is. */
  notReadAgain: (readers: string): FileEvent => ({
    moves: { completed: "completed", failed: "failed" },
    changes: (to) => ({ readers, progress: to === "failed" ? 0 : 100 }),
  }),
  /** It failed for a temporary reason. */
  putOff: (retryAt: string, note: FileReason): FileEvent => ({
    moves: backToQueue,
    changes: () => ({ ...noteColumns([note]), retryAt }),
  }),
  /** The disk is full. */
  roomMissing: (): FileEvent => ({
    moves: backToQueue,
    changes: (to) => ({ ...uncounted, ...(to === "waiting" && noteColumns([reason("disk_full")])) }),
  }),
  /** Work on it was cancelled. */
  putBack: (): FileEvent => ({ moves: backToQueue, changes: () => uncounted }),
  /** It was deleted while it was being read, and may be restored. */
  movedOut: (): FileEvent => ({
    moves: backToQueue,
    changes: () => ({ ...uncounted, revision: oneMore("revision") }),
  }),
  /** The box was restarted, which stopped all work. The file isn't at fault, because files are read in separate processes. */
  recovered: (): FileEvent => ({ moves: { ...backToQueue, emptying: "waiting" }, changes: () => uncounted }),
  /** The box was restarted, so postponed files are due. */
  madeDue: (): FileEvent => ({
    moves: { waiting: "waiting", waitingForOcr: "waitingForOcr" },
    where: sql<SqlBool>`"retryAt" IS NOT NULL`,
    changes: () => ({ retryAt: null }),
  }),
  /** The text read so far may not be in the index. */
  startedOver: (): FileEvent => ({
    moves: { recognising: "reading", waitingForOcr: "waiting" },
    changes: () => ({}),
  }),
  /** Its passages start to be removed, one by one. */
  emptied: (priority: number): FileEvent => ({
    moves: fromAllBut([], "emptying"),
    changes: () => ({ ...fresh(priority), attempts: 1, revision: oneMore("revision") }),
  }),
  /** It was emptied but couldn't be deleted. */
  kept: (priority: number): FileEvent => ({
    moves: { emptying: "waiting" },
    changes: () => fresh(priority),
  }),
  /** Its passages were made by another version of the chunker. */
  rechunked: (chunker: number): FileEvent => ({
    moves: { completed: "completed" },
    changes: () => ({ chunker }),
  }),
}

/** Applies an event to files, limited by ID and revision if given. Returns the IDs of the files that changed. */
export async function applyTransition(
  db: DbOf<"files">,
  { moves, where, changes }: FileEvent,
  { ids, revision }: { ids?: readonly string[]; revision?: number },
): Promise<string[]> {
  const moved: string[] = []
  const byTarget = Map.groupBy(Object.entries(moves) as [FileState, FileState][], ([, to]) => to)
  for (const [to, pairs] of byTarget) {
    const from = sql<SqlBool>`(${sql.join(
      pairs.map(([state]) => stateConditions[state]),
      sql` OR `,
    )})`
    let update = db
      .updateTable("files")
      .set({ ...columnsByState[to], ...changes(to) })
      .where(from)
    if (where) update = update.where(where)
    if (ids) update = update.where("id", "in", ids)
    if (revision !== undefined) update = update.where("revision", "=", revision)
    moved.push(...(await update.returning("id").execute()).map(({ id }) => id))
  }
  return moved
}
