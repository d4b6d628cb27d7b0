import { AppError } from "../../../../shared/contract/errors.ts"
import type { DbOf } from "../../../core/database/database.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import type { PassageIndex } from "../../../engines/vectors/passage-index.ts"
import { ParseFailure } from "../../../parsers/parser.ts"
import {
  findSamePictures,
  type CurrentReading,
  guessReaders,
  hasCurrentOcr,
  isOutdated,
  lacksPictures,
  type ReadingOptions,
} from "../../../parsers/readers.ts"
import type { PictureDescriber } from "../descriptions/describe-pictures.ts"
import { getReadAs, storedReasons, upkeepPriority, type FileRow } from "../file-entry.ts"
import { applyTransition, fileEvents } from "../file-state.ts"
import type { StoredFolder, StoredFolders } from "../folder-places.ts"
import { createDraftStore, cutIntoDrafts, type DraftStore, indexAgain } from "../passages/drafts.ts"
import { embedPassages, type Embedder } from "../passages/embed-passages.ts"
import type { PassageStore, Piece } from "../passages/passage-store.ts"
import {
  describeEnd,
  describeWaiting,
  firstDescription,
  firstPicture,
  type Job,
  type WaitingPages,
} from "./job.ts"
import { superseded } from "./jobs-in-work.ts"
import { extractPieces, readJob, type ChunkBlocks, type JobReading, type Remarks } from "./read-job.ts"

export interface RereadDeps {
  db: DbOf<"files">
  folders: Pick<StoredFolders, "active">
  store: PassageStore
  index: Pick<PassageIndex, "put" | "removeFile">
  embedder: Embedder | null
  chunk: ChunkBlocks
  chunkerVersion: number
  /** Describes pictures; null: nothing can. */
  describer: Pick<PictureDescriber, "getObstacle"> | null
  /** How to read a job's file. */
  getReading(job: Job): JobReading
  logger: Logger
  /** Whether people's files are being read or wait for it, which comes first. */
  isBusy(): boolean
  /** Called after a file was read again, with whether its text or its state changed. */
  onReread(folderId: string, fileId: string, isChanged: boolean): void
  /** Called when scanned pages of a file start waiting for OCR. */
  onWaiting(): void
  /** Called when passages were stored without their embeddings. */
  onMissingEmbeddings(): void
}

/** A folder with the descriptions of outdated readers that its files have. */
interface OutdatedFolder {
  folder: StoredFolder
  readers: (string | null)[]
}

const filesWithReaders = (db: DbOf<"files">) =>
  db.selectFrom("files").where("status", "in", ["completed", "failed"]).where("storage", "=", "local")

/** Adds whether the pictures of a folder can be described now. */
const withDescriber = async <Folder extends ReadingOptions & { id: string }>(
  folder: Folder,
  describer: RereadDeps["describer"],
): Promise<Folder & CurrentReading> => {
  const canDescribe = folder.wantsDescriptions && (await describer?.getObstacle(folder.id)) === null
  return { ...folder, canDescribe }
}

async function listOutdated(
  { db, describer }: Pick<RereadDeps, "db" | "describer">,
  folders: readonly StoredFolder[],
): Promise<OutdatedFolder[]> {
  const rows = await filesWithReaders(db).select(["folderId", "readers"]).distinct().execute()
  const byFolder = Map.groupBy(rows, ({ folderId }) => folderId)
  const current = await Promise.all(folders.map((folder) => withDescriber(folder, describer)))
  return current.flatMap((folder) => {
    const all = (byFolder.get(folder.id) ?? []).map(({ readers }) => readers)
    const readers = all.filter((some) => isOutdated(some, folder))
    return readers.length > 0 ? [{ folder, readers }] : []
  })
}

/** Numbers of a folder's indexed files. */
export interface RereadCounts {
  /** Files that are to be read again. */
  outdated: number
  /** Files that may have pictures, which weren't wanted when the files were read. */
  withoutPictures: number
}

export async function countOutdated(
  { db, describer }: Pick<RereadDeps, "db" | "describer">,
  folder: ReadingOptions & { id: string },
): Promise<RereadCounts> {
  const { id: folderId, ...options } = await withDescriber(folder, describer)
  const rows = await filesWithReaders(db)
    .select((e) => ["readers", e.fn.countAll<number>().as("count")])
    .where("folderId", "=", folderId)
    .where("status", "=", "completed")
    .groupBy("readers")
    .execute()
  const sum = (isCounted: (readers: string | null) => boolean): number =>
    rows.reduce((total, { readers, count }) => total + (isCounted(readers) ? count : 0), 0)
  return {
    outdated: sum((readers) => isOutdated(readers, options)),
    withoutPictures: sum(lacksPictures),
  }
}

export const outdatedColumns = [
  "id",
  "folderId",
  "name",
  "subFolder",
  "size",
  "storage",
  "object",
  "revision",
  "contentHash",
  "reasons",
  "readers",
  "status",
  "readAs",
] as const
type OutdatedRow = Pick<FileRow, (typeof outdatedColumns)[number]>

/** Returns the next outdated file of a folder by ID. */
const findNext = (
  db: DbOf<"files">,
  { folder, readers }: OutdatedFolder,
  after: string,
): Promise<OutdatedRow | undefined> => {
  const described = readers.filter((some) => some !== null)
  return filesWithReaders(db)
    .select(outdatedColumns)
    .where("folderId", "=", folder.id)
    .where("id", ">", after)
    .where((e) =>
      e.or([
        ...(readers.includes(null) ? [e("readers", "is", null)] : []),
        ...(described.length > 0 ? [e("readers", "in", described)] : []),
      ]),
    )
    .orderBy("id")
    .limit(1)
    .executeTakeFirst()
}

/**
 * Reads files again that were read with older readers, one at a time. Until the new text of a file is complete, its
 * old text is used. Files that can't be read at the moment keep their text and are tried again after the next start.
 *
 * @param after the last file of each folder that was tried, which is updated
 * @returns whether everything was tried; otherwise people's files came first, or `signal` was aborted
 */
export async function rereadFiles(
  deps: RereadDeps,
  after: Map<string, string>,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, folders, logger, isBusy } = deps
  const drafts = createDraftStore(db)
  for (const outdated of await listOutdated(deps, await folders.active())) {
    const { folder } = outdated
    for (let gone = 0; gone < maxGone;) {
      if (signal.aborted || isBusy()) return false
      const row = await findNext(db, outdated, after.get(folder.id) ?? "")
      if (!row) break
      after.set(folder.id, row.id)
      try {
        await rereadFile(deps, drafts, row, folder, signal)
      } catch (error) {
        await drafts.dropDrafts(row.id)
        await drafts.dropDraftTexts(row.id)
        if (signal.aborted) return false
        if (isGone(error)) gone++
        else if (error !== superseded && (await isStored(db, row)))
          logger.warn({ err: error, fileId: row.id }, "A file couldn't be read again and keeps its text")
      }
    }
  }
  return true
}

/** Number of missing files of a folder after which its other files aren't tried, because its drive may not be connected. */
const maxGone = 20

const isGone = (error: unknown): boolean => error instanceof AppError && error.code === "not_found"

/** Whether a file still exists with the content that it had. */
async function isStored(db: DbOf<"files">, { id, revision }: OutdatedRow): Promise<boolean> {
  const row = db.selectFrom("files").select("id").where("id", "=", id).where("revision", "=", revision)
  return (await row.executeTakeFirst()) !== undefined
}

/** Returns the job of reading a file that was read before. */
export const toRereadJob = (row: OutdatedRow, folder: StoredFolder): Job => ({
  ...row,
  fileId: row.id,
  ownerId: folder.ownerId,
  root: folder.path,
  pipeline: folder.pipeline,
  marksHidden: folder.marksHidden,
  wantsPictures: folder.wantsPictures,
  wantsDescriptions: folder.wantsDescriptions,
  readAs: getReadAs(row),
  attempts: 0,
  priority: upkeepPriority,
  waiting: null,
})

async function rereadFile(
  deps: RereadDeps,
  drafts: DraftStore,
  row: OutdatedRow,
  folder: StoredFolder,
  signal: AbortSignal,
): Promise<void> {
  const { id, folderId } = row
  const job = toRereadJob(row, folder)
  await drafts.dropDrafts(id)
  await drafts.dropDraftTexts(id)
  const remarks: Remarks = { notes: [] }
  try {
    const last = await writeDrafts(deps, drafts, job, row, remarks, signal)
    const readers = (remarks.readers !== undefined && last.end?.readers) || guessReaders(row.name, job)
    await replaceText(deps, drafts, row, last, { ...remarks, readers }, signal)
  } catch (error) {
    if (!(error instanceof ParseFailure) || error.transientCause) throw error
    await drafts.dropDrafts(id)
    await drafts.dropDraftTexts(id)
    const readers = remarks.readers ?? guessReaders(row.name, job)
    await applyTransition(deps.db, fileEvents.notReadAgain(readers), { ids: [id], revision: row.revision })
    deps.onReread(folderId, id, false)
  }
}

/** Reads a file into drafts and returns the last piece. Throws `superseded` for a file whose bytes have changed. */
async function writeDrafts(
  { getReading, chunk, describer }: RereadDeps,
  drafts: DraftStore,
  job: Job,
  { id, contentHash }: OutdatedRow,
  remarks: Remarks,
  signal: AbortSignal,
): Promise<Piece> {
  const blocks = readJob(job, getReading(job), {
    signal,
    onNote: (note) => remarks.notes.push(note),
    onScans: (scans) => (remarks.scans = scans),
    onProperties: (properties) => (remarks.properties = properties),
    onReaders: (readers) => (remarks.readers = readers),
    onHash(hash) {
      if (contentHash !== null && hash !== contentHash) throw superseded // it will be read because it was changed
      remarks.contentHash = hash
    },
  })
  for await (const piece of extractPieces(job, blocks, chunk, remarks, describer)) {
    signal.throwIfAborted()
    await drafts.addDraftText(piece)
    await drafts.addDrafts(id, piece.passages)
    if (piece.end) return piece
  }
  throw new Error("A document ended without its last piece.")
}

/** Replaces text and passages of a file with the drafts. */
async function replaceText(
  deps: RereadDeps,
  drafts: DraftStore,
  row: OutdatedRow,
  last: Piece,
  { readers, contentHash = "" }: Remarks & { readers: string },
  signal: AbortSignal,
): Promise<void> {
  const { id, folderId } = row
  const late = await drafts.listLateTexts(id)
  const kept = keepScannedPages(last.waiting, late, row, readers)
  const { keeps } = kept
  // With the text of kept pages, the passages are cut differently.
  const blocks = keeps.size > 0 ? deps.store.blocks(id, { keeps }) : undefined
  const passages = blocks && (await cutIntoDrafts(drafts, id, blocks, deps.chunk, signal))
  signal.throwIfAborted()
  const waiting = kept.waiting && { ...kept.waiting, passages: passages ?? kept.waiting.passages }
  await embedDrafts(deps, drafts, row, signal)
  signal.throwIfAborted()
  const isSame = await drafts.isUnchanged(id)
  const waits = waiting !== undefined && waiting.pages.length > 0
  const result = {
    stated: last.end?.stated,
    readers,
    contentHash,
    chunker: deps.chunkerVersion,
  }
  const notes = waiting ? (waits ? describeWaiting(waiting) : describeEnd(waiting)) : (last.end?.notes ?? [])
  const event = waits
    ? fileEvents.readAgainWithPagesLeft({ ...result, notes }, waiting, upkeepPriority)
    : fileEvents.readAgain({ ...result, notes }, isSame ? "same" : "changed")
  const removes = [...late.keys()].filter((place) => !keeps.has(place))
  if (!(await drafts.useDraftTexts(row, event, { removes, samePassages: isSame }))) throw superseded
  if (isSame) await drafts.dropDrafts(id)
  else await indexAgain(deps.index, drafts, { id, folderId })
  deps.onReread(folderId, id, !isSame || waits)
  if (waits) deps.onWaiting()
}

/**
 * Decides which scanned pages keep the text that OCR found earlier.
 *
 * @param waiting all scanned pages of the file; undefined: there are none
 * @param late the places whose text is stored, each with whether it has any
 * @param now the readers that read the file now
 */
function keepScannedPages(
  waiting: WaitingPages | undefined,
  late: ReadonlyMap<number, boolean>,
  { readers: before, reasons }: OutdatedRow,
  now: string,
): { waiting: WaitingPages | undefined; keeps: ReadonlySet<number> } {
  if (!waiting || !hasCurrentOcr(before)) return { waiting, keeps: new Set() }
  // Scans in documents inside the file, and pictures, are numbered, so they are the same only if there are as many.
  const pictures = waiting.pages.filter((scan) => scan.picture && !scan.isDescribed)
  const scans = waiting.pages.filter((scan) => !scan.picture)
  const isInside = (place: number) => scans.some((scan) => scan.inside && scan.place === place)
  const inside = scans.filter((scan) => scan.inside).map(({ place }) => place)
  const own = new Set(scans.filter((scan) => !scan.inside).map(({ place }) => place))
  const storedInside = [...late.keys()].filter((place) => !own.has(place) && isInside(place))
  const keepsInside = storedInside.length === inside.length
  const keptScans = scans
    .filter(({ place, inside: way }) => late.has(place) && (!way || keepsInside))
    .map(({ place }) => place)
  const isPicture = (place: number) => place >= firstPicture && place < firstDescription
  const storedPictures = [...late.keys()].filter(isPicture)
  const keepsPictures = findSamePictures(before, now) && storedPictures.length === pictures.length
  const keptPictures = keepsPictures ? storedPictures : []
  const keptDescriptions = keepsPictures
    ? waiting.pages.filter((scan) => scan.isDescribed && late.get(scan.place)).map(({ place }) => place)
    : []
  const keeps = new Set([...keptScans, ...keptPictures, ...keptDescriptions])
  const stored = storedReasons(reasons)
  const unread = stored.find(({ code }) => code === "pages_unread_by_ocr")?.values?.["pages"]
  const unreadPictures = stored.find(({ code }) => code === "images_unread_by_ocr")?.values?.["count"]
  return {
    keeps,
    waiting: {
      ...waiting,
      pages: waiting.pages.filter(({ place }) => !keeps.has(place)),
      legible: keptScans.filter((place) => late.get(place)).length,
      failed: typeof unread === "number" ? Math.min(unread, keptScans.length) : 0,
      pictures: {
        count: pictures.length,
        legible: keptPictures.filter((place) => late.get(place)).length,
        failed: typeof unreadPictures === "number" ? Math.min(unreadPictures, keptPictures.length) : 0,
      },
      descriptions: { ...waiting.descriptions, written: keptDescriptions.length },
    },
  }
}

/**
 * Embeds the drafts with new texts. If the model fails, they are embedded later, like those of other files. Throws `superseded` for a file
 * that was moved, because the model may not read its new folder.
 */
async function embedDrafts(
  { embedder, store, logger, onMissingEmbeddings }: RereadDeps,
  drafts: DraftStore,
  { id, folderId }: OutdatedRow,
  signal: AbortSignal,
): Promise<void> {
  if (!embedder) return
  for (let after = -1; ;) {
    const rows = await drafts.listDraftsToEmbed(id, embedder.modelId, after)
    const last = rows.at(-1)
    if (!last) return
    if ((await drafts.findFolder(id)) !== folderId) throw superseded
    after = last.position
    const records = rows.map(({ id: passageId, text }) => ({
      id: passageId,
      text,
      fileId: id,
      vectorId: folderId,
    }))
    if (!(await embedPassages(records, embedder, signal, logger))) return onMissingEmbeddings()
    await store.addEmbeddings(records, embedder.modelId)
  }
}
