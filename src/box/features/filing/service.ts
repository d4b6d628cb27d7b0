import { extname } from "node:path"
import type { FiledAs, Filing, FilingDraft, HistoryEntry } from "../../../shared/contract/filing.ts"
import type { Visibility } from "../../../shared/contract/folders.ts"
import type { FileEntry, GeneratedBy } from "../../../shared/contract/files.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { paginate, type Page, type Pagination } from "../../../shared/contract/primitives.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { AnyTransaction, DbOf } from "../../core/database/database.ts"
import { parseRelativePath, quotable, storedName } from "../../core/files/path-jail.ts"
import { newId, timestamp } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { createKeyedLock } from "../../core/waiting/locks.ts"
import { recordStep, readHistory } from "./history.ts"
import { joinPath } from "./named-files.ts"
import { createFilingStore, readLocations, present, type FilingRow } from "./store.ts"

interface FilingLocation {
  folderId: string
  subFolder: string
  name: string
}

/** File and folder functions that filing needs. Each throws `not_found` or `forbidden` for files that aren't the owner's. */
export interface FiledFiles {
  getFolder(fileId: string): Promise<string | null>
  read(ownerId: string, folderId: string, fileId: string): Promise<FileEntry>
  move(
    ownerId: string,
    fileId: string,
    from: FilingLocation,
    to: FilingLocation,
    steps: {
      taken(transaction: AnyTransaction, taken: string): Promise<void>
      put(transaction: AnyTransaction, place: FilingLocation, isRolledBack: boolean): Promise<void>
    },
  ): Promise<FileEntry>
  completeMove(
    ownerId: string,
    fileId: string,
    taken: string,
    from: FilingLocation,
    to: FilingLocation,
    put: (transaction: AnyTransaction, place: FilingLocation, isRolledBack: boolean) => Promise<void>,
  ): Promise<boolean>
  tag(
    ownerId: string,
    folderId: string,
    fileId: string,
    tags: readonly string[],
    also: (transaction: AnyTransaction) => Promise<void>,
  ): Promise<FileEntry>
  /** Stores a text as a new file. If its name is taken, the name gets a number. */
  write(
    ownerId: string,
    folderId: string,
    file: { path: string; text: string; generatedBy: GeneratedBy | null },
    also: (transaction: AnyTransaction, written: FilingLocation & { id: string }) => Promise<void>,
  ): Promise<void>
  remove(ownerId: string, folderId: string, fileId: string): Promise<unknown>
}

interface FilingFolder {
  name: string
  ownerId: string
  visibility: Visibility
  createdAt: string
}

export interface FilingsDeps {
  db: DbOf<"filing">
  files: FiledFiles
  /** A folder that appears in lists; null for a chat's folder or if it doesn't exist. */
  folder(folderId: string): Promise<FilingFolder | null>
  /** The number of listed folders with this name that the owner has. */
  countNamed(ownerId: string, name: string): Promise<number>
  /** Whether remote models may not read a folder. */
  staysHere(folderId: string): Promise<boolean>
  getName(userId: string): Promise<string>
  logger: Pick<Logger, "error">
}

/** The model call that files something. */
export interface FilingCall {
  chatId: string
  /** The same for the same call, even after the server was killed during the call. */
  key: string
  /** The model that answers in the chat. */
  author: Omit<GeneratedBy, "chatId">
  /** The users who could read the file, as described before the call was allowed. */
  readers?: Visibility | undefined
}

/** Names, locations and tags of files, and notes next to them. Each change can be undone (docs/filing.md). */
export interface Filings extends Disposable {
  /**
   * Describes a draft for the person who is asked to approve it, and who could read the file afterwards. Throws the same errors as `file`.
   */
  describe(ownerId: string, draft: FilingDraft): Promise<{ summary: Sentence; readers: Visibility }>
  /**
   * Carries out a draft; repeating a call has no further effect. Throws `not_found` for a file outside the owner's folders, `conflict` if
   * the name is taken or more people could read the file than `call` says, and `forbidden` where a folder's files may not go.
   */
  file(
    ownerId: string,
    draft: FilingDraft,
    call: FilingCall | null,
  ): Promise<{ filing: Filing; file: FileEntry }>
  /**
   * Throws `not_found`; `conflict` if the filing was already undone, or the file was changed or the name taken since; and `forbidden` if
   * the file stays on this computer and its previous location is in a folder that may leave it.
   */
  undo(ownerId: string, id: string): Promise<Filing>
  list(
    ownerId: string,
    fileId: string | undefined,
    page: Page,
  ): Promise<{ filings: Filing[]; pagination: Pagination }>
  history(userId: string, folderId: string, fileId: string): Promise<HistoryEntry[]>
  /** Finishes filings that were interrupted when the server stopped. Retries later if that fails. */
  start(): Promise<void>
}

/** Data for a history entry: who made the change, and a description of the state before or after it. */
interface HistoryDescription {
  by: string | null
  describeState(as: FiledAs): string
}

/** Delay before retrying to finish interrupted filings. */
const retryDelayMs = 30_000

export function createFilings(deps: FilingsDeps): Filings {
  const { db, files, logger } = deps
  const store = createFilingStore(db)
  const lock = createKeyedLock()
  let timer: NodeJS.Timeout | undefined
  let closed = false

  /** Finds a file in one of the owner's listed folders. */
  async function find(ownerId: string, fileId: string) {
    const folderId = await files.getFolder(fileId)
    const folder = folderId === null ? null : await deps.folder(folderId)
    if (folderId === null || folder?.ownerId !== ownerId)
      throw new AppError("not_found", sentence("files.none_such"))
    return { folder, file: await files.read(ownerId, folderId, fileId), folderId }
  }

  const toFiledAs = (vectorId: string, { folder, name, tags = [] }: FileEntry): FiledAs => ({
    vectorId,
    folder,
    name,
    tags,
  })

  /** A file of a folder that stays on this computer can't move to a folder that may leave it. */
  const canMove = async (from: string, to: string): Promise<boolean> =>
    !(await deps.staysHere(from)) || (await deps.staysHere(to))

  /** The current and the planned state of a file. */
  async function plan(ownerId: string, draft: Exclude<FilingDraft, { action: "note" }>) {
    const { folder, folderId, file } = await find(ownerId, draft.fileId)
    const was = toFiledAs(folderId, file)
    if (draft.action === "tag") return { folder, was, became: { ...was, tags: normaliseTags(draft.tags) } }
    if (draft.action === "rename") {
      const name = ensureExtension(draft.name, extname(file.name))
      if (name === file.name) throw new AppError("conflict", sentence("filing.name_taken", { name }))
      return { folder, was, became: { ...was, name } }
    }
    const target = await deps.folder(draft.vectorId)
    if (target?.ownerId !== ownerId) throw new AppError("not_found", sentence("folders.none_such"))
    if (!(await canMove(folderId, draft.vectorId))) throw mustStay(folder)
    const path = parseRelativePath(joinPath(draft.folder, file.name))
    const became = { ...was, vectorId: draft.vectorId, folder: path.slice(0, -1).join("/") }
    if (became.vectorId === was.vectorId && became.folder === was.folder)
      throw new AppError("conflict", sentence("filing.name_taken", { name: file.name }))
    return { folder, was, became, target }
  }

  async function planNote(ownerId: string, draft: Extract<FilingDraft, { action: "note" }>) {
    const { folder, folderId, file } = await find(ownerId, draft.fileId)
    const name = ensureExtension(draft.name ?? file.name, ".md")
    return { folder, folderId, file, name }
  }

  /** Loads the other data for a history entry in advance, because nothing can be queried within its transaction. */
  async function loadWording(row: FilingRow, by: string | null): Promise<HistoryDescription> {
    const { was, became } = readLocations(row)
    const names = new Map<string, string>()
    if (row.action === "move")
      for (const { vectorId } of [became, ...(was ? [was] : [])])
        names.set(vectorId, (await deps.folder(vectorId))?.name ?? "")
    return {
      by,
      describeState: ({ vectorId, folder, name, tags }) => {
        if (row.action === "tag") return tags.join(", ")
        if (row.action !== "move") return name
        return joinPath(names.get(vectorId) ?? "", folder)
      },
    }
  }

  async function recordDone(
    transaction: AnyTransaction,
    row: FilingRow,
    became: FiledAs,
    { by, describeState }: HistoryDescription,
  ): Promise<void> {
    const { was } = readLocations(row)
    const detail = {
      action: row.action,
      chatId: row.chatId,
      filingId: row.id,
      by,
      from: was && describeState(was),
      to: describeState(became),
    }
    for (const fileId of [row.fileId, ...(row.besideId === null ? [] : [row.besideId])])
      await recordStep(transaction, { fileId, step: "done", key: `done:${row.id}`, detail })
  }

  /** Records that the filing was undone. */
  async function undone(
    transaction: AnyTransaction,
    { id, fileId, besideId, action, chatId }: FilingRow,
    by: string | null,
  ): Promise<void> {
    await store.change(transaction, id, { status: "undone", taken: null, undoneAt: timestamp() })
    await recordStep(transaction, {
      fileId: besideId ?? fileId,
      step: "undone",
      key: `undone:${id}`,
      detail: { action, chatId, filingId: id, by },
    })
  }

  function newRow(
    ownerId: string,
    action: Filing["action"],
    fileId: string,
    became: FiledAs,
    call: FilingCall | null,
  ): FilingRow {
    return {
      id: newId(),
      ownerId,
      action,
      status: "done",
      fileId,
      besideId: null,
      was: null,
      became: JSON.stringify(became),
      taken: null,
      chatId: call && call.chatId,
      callKey: call && call.key,
      createdAt: timestamp(),
      undoneAt: null,
    }
  }

  async function change(
    ownerId: string,
    draft: Exclude<FilingDraft, { action: "note" }>,
    call: FilingCall | null,
  ) {
    const { folder, was, became, target = folder } = await plan(ownerId, draft)
    requireReaders(target, call)
    const row = { ...newRow(ownerId, draft.action, draft.fileId, became, call), was: JSON.stringify(was) }
    const wording = await loadWording(row, call === null ? await deps.getName(ownerId) : null)
    if (draft.action === "tag") {
      await files.tag(ownerId, was.vectorId, row.fileId, became.tags, async (transaction) => {
        await store.insert(transaction, row)
        await recordDone(transaction, row, became, wording)
      })
      return row
    }
    await files.move(ownerId, row.fileId, toLocation(was), toLocation(became), {
      taken: (transaction, taken) => store.insert(transaction, { ...row, status: "moving", taken }),
      put: (transaction, place, isRolledBack) => moved(transaction, row, place, isRolledBack, wording),
    })
    return row
  }

  /** Records that the file has reached its new location. If it couldn't be moved, removes the filing. */
  async function moved(
    transaction: AnyTransaction,
    row: FilingRow,
    place: FilingLocation,
    isRolledBack: boolean,
    wording: HistoryDescription,
  ): Promise<void> {
    if (isRolledBack) return store.remove(transaction, row.id)
    const wanted = readLocations(row).became
    if (row.action === "rename" && place.name !== wanted.name) throw nameTaken(wanted.name)
    const became = { ...wanted, name: place.name }
    await store.change(transaction, row.id, {
      status: "done",
      became: JSON.stringify(became),
      taken: null,
    })
    await recordDone(transaction, row, became, wording)
  }

  async function writeNote(
    ownerId: string,
    draft: Extract<FilingDraft, { action: "note" }>,
    call: FilingCall | null,
  ) {
    const { folder, folderId, file, name } = await planNote(ownerId, draft)
    requireReaders(folder, call)
    const by = call === null ? await deps.getName(ownerId) : null
    const path = joinPath(file.folder, name)
    let row: FilingRow | undefined
    const generatedBy = call && { chatId: call.chatId, ...call.author }
    const note = { path, text: draft.content, generatedBy }
    await files.write(ownerId, folderId, note, async (transaction, written) => {
      const became = { vectorId: folderId, folder: written.subFolder, name: written.name, tags: [] }
      row = { ...newRow(ownerId, "note", written.id, became, call), besideId: draft.fileId }
      await store.insert(transaction, row)
      await recordDone(transaction, row, became, { by, describeState: ({ name }) => name })
    })
    if (row === undefined) throw new Error("A note wasn't written down")
    return row
  }

  /** Returns the filing and its file in their current state. */
  async function readResult(ownerId: string, { id, fileId }: Pick<FilingRow, "id" | "fileId">) {
    const row = await store.find(ownerId, id)
    if (!row) throw notFound()
    return { filing: present(row), file: (await find(ownerId, fileId)).file }
  }

  async function undoOne(ownerId: string, id: string): Promise<void> {
    const row = await store.find(ownerId, id)
    if (!row || row.status === "moving") throw notFound()
    if (row.status !== "done") throw new AppError("conflict", sentence("filing.undone"))
    const by = await deps.getName(ownerId)
    const { was, became } = readLocations(row)
    const { file, folder, folderId } = await find(ownerId, row.fileId)
    const note = (transaction: AnyTransaction) => undone(transaction, row, by)
    const is = toFiledAs(folderId, file)
    if (was === null) {
      if (!isSameLocation(is, became)) throw changedSince()
      await files.remove(ownerId, folderId, row.fileId)
      return db.transaction().execute(note)
    }
    if (row.action === "tag") {
      if (JSON.stringify(is.tags) !== JSON.stringify(became.tags)) throw changedSince()
      await files.tag(ownerId, folderId, row.fileId, was.tags, note)
      return
    }
    if (!isSameLocation(is, became)) throw changedSince()
    if (!(await canMove(became.vectorId, was.vectorId))) throw mustStay(folder)
    await files.move(ownerId, row.fileId, toLocation(became), toLocation(was), {
      taken: (transaction, taken) => store.change(transaction, id, { status: "undoing", taken }),
      put: (transaction, place, isRolledBack) => recordUndo(transaction, row, place, isRolledBack, { by }),
    })
  }

  /** Records that the file is back in its previous location. If it couldn't be moved, the filing stays done. */
  async function recordUndo(
    transaction: AnyTransaction,
    row: FilingRow,
    place: FilingLocation,
    isRolledBack: boolean,
    { by }: Pick<HistoryDescription, "by">,
  ): Promise<void> {
    if (isRolledBack) {
      const became = { ...readLocations(row).became, name: place.name }
      const done = { status: "done", became: JSON.stringify(became), taken: null } as const
      return store.change(transaction, row.id, done)
    }
    const { was } = readLocations(row)
    if (was !== null && place.name !== was.name) throw nameTaken(was.name)
    await undone(transaction, row, by)
  }

  /** Adds the creation date of a folder if its owner has several folders with this name. */
  async function disambiguate<Name extends string | Sentence>(
    { ownerId, name, createdAt }: FilingFolder,
    folder: Name,
  ): Promise<Name | Sentence> {
    if ((await deps.countNamed(ownerId, name)) < 2) return folder
    return sentence("filing.folder_created", { folder, created: formatLocalTime(createdAt) })
  }

  /** Names the file in a question. Names are quoted, because those in a followed directory and of folders may contain anything. */
  const quoteNames = async (
    { folder, name }: Pick<FiledAs, "folder" | "name">,
    filingFolder: FilingFolder,
  ) => ({
    file: quotable(joinPath(folder, name)),
    folder: await disambiguate(filingFolder, quotable(filingFolder.name)),
  })

  async function resumeMove(row: FilingRow): Promise<void> {
    const { was, became } = readLocations(row)
    if (was === null || row.taken === null) return
    const isUndoing = row.status === "undoing"
    const [from, to] = isUndoing ? [became, was] : [was, became]
    const put = isUndoing ? recordUndo : moved
    const wording = await loadWording(row, null)
    const origin = toLocation(from)
    await files.completeMove(
      row.ownerId,
      row.fileId,
      row.taken,
      origin,
      (await canMove(from.vectorId, to.vectorId)) ? toLocation(to) : origin,
      (transaction, place, isRolledBack) => put(transaction, row, place, isRolledBack, wording),
    )
    const left = await store.find(row.ownerId, row.id)
    if (left?.taken) await db.transaction().execute((transaction) => store.remove(transaction, row.id)) // its folders are gone
  }

  async function resumeMoves(): Promise<void> {
    let isLeft = false
    for (const row of await store.listInterrupted())
      await lock
        .run(row.fileId, () => resumeMove(row))
        .catch((error: unknown) => {
          isLeft = true
          logger.error(
            { err: error, fileId: row.fileId },
            "A file that was being moved waits for its location",
          )
        })
    if (isLeft) scheduleRetry()
  }

  /** Schedules a retry for filings that failed in both directions. */
  function scheduleRetry(): void {
    if (closed) return
    clearTimeout(timer)
    timer = setTimeout(() => void resumeMoves().catch(() => undefined), retryDelayMs).unref()
  }

  /** Schedules a retry, because the file may be in no folder, and rethrows the error to the caller. */
  function retryLaterAndThrow(error: unknown): never {
    scheduleRetry()
    throw error
  }

  return {
    async describe(ownerId, draft) {
      if (draft.action === "note") {
        const { folder, file, name } = await planNote(ownerId, draft)
        const count = Array.from(draft.content).length
        const note = sentence("filing.note", { ...(await quoteNames(file, folder)), name, count })
        return { summary: addReaders(folder, note), readers: folder.visibility }
      }
      const { folder, was, became, target = folder } = await plan(ownerId, draft)
      const what = await quoteNames(was, folder)
      const described = (summary: Sentence) => ({ summary, readers: target.visibility })
      if (draft.action === "move") {
        const path = sentence("filing.path", { path: quotable(joinPath(target.name, became.folder)) })
        const move = sentence("filing.move", { ...what, target: await disambiguate(target, path) })
        const hasMoreReaders = readers[target.visibility] > readers[folder.visibility]
        return described(hasMoreReaders ? addReaders(target, move) : move)
      }
      if (draft.action === "rename")
        return described(addReaders(folder, sentence("filing.rename", { ...what, name: became.name })))
      if (became.tags.length === 0) return described(sentence("filing.untag", what))
      const tags = quotable(became.tags.join(", "))
      return described(addReaders(folder, sentence("filing.tag", { ...what, tags })))
    },

    file: (ownerId, draft, call) =>
      lock.run(draft.fileId, async () => {
        const before = call && (await store.findByCall(ownerId, call.chatId, call.key))
        if (before) return readResult(ownerId, before)
        const row =
          draft.action === "note"
            ? await writeNote(ownerId, draft, call)
            : await change(ownerId, draft, call).catch(retryLaterAndThrow)
        return readResult(ownerId, row)
      }),

    async undo(ownerId, id) {
      const found = await store.find(ownerId, id)
      if (!found) throw notFound()
      await lock.run(found.fileId, () => undoOne(ownerId, id).catch(retryLaterAndThrow))
      const row = await store.find(ownerId, id)
      if (!row) throw notFound()
      return present(row)
    },

    async list(ownerId, fileId, page) {
      const { total, rows } = await store.list(ownerId, fileId, page)
      return { filings: rows.map(present), pagination: paginate(total, page, rows.length) }
    },

    async history(userId, folderId, fileId) {
      const found = await find(userId, fileId)
      if (found.folderId !== folderId) throw new AppError("not_found", sentence("files.none_such"))
      return readHistory(db, fileId)
    },

    start: resumeMoves,

    [Symbol.dispose]() {
      closed = true
      clearTimeout(timer)
    },
  }
}

const toLocation = ({ vectorId, folder, name }: FiledAs): FilingLocation => ({
  folderId: vectorId,
  subFolder: folder,
  name,
})

const isSameLocation = (one: FiledAs, other: FiledAs): boolean =>
  one.vectorId === other.vectorId && one.folder === other.folder && one.name === other.name

/** Ranks visibility by how many people can read the folder. */
const readers: Record<Visibility, number> = { PRIVATE: 0, TEAM: 1, PUBLIC: 2 }

/** Throws `conflict` if more people can read the folder than was described before the call was allowed. */
function requireReaders({ visibility }: FilingFolder, call: FilingCall | null): void {
  if (call?.readers !== undefined && readers[visibility] > readers[call.readers])
    throw new AppError("conflict", sentence("filing.more_readers"))
}

/** Adds who else can read the content of a folder. */
function addReaders({ visibility }: FilingFolder, what: Sentence): Sentence {
  if (visibility === "PRIVATE") return what
  return sentence(visibility === "TEAM" ? "filing.team_reads" : "filing.everyone_reads", { what })
}

/** "2026-03-01 14:05:09". The Swedish date format can't be misread in any interface language. */
const formatLocalTime = (iso: string): string => new Date(iso).toLocaleString("sv-SE")

/** Returns a name that can be stored, with the ending that keeps the file's type. */
function ensureExtension(given: string, ending: string): string {
  const name = storedName(given)
  return storedName(extname(name).toLowerCase() === ending.toLowerCase() ? name : name + ending)
}

const normaliseTags = (tags: readonly string[]): string[] => [
  ...new Set(tags.map((tag) => tag.normalize("NFC"))),
]

const notFound = () => new AppError("not_found", sentence("filing.none_such"))
const mustStay = ({ name }: { name: string }) =>
  new AppError("forbidden", sentence("filing.stays_here", { folder: name }))
const changedSince = () => new AppError("conflict", sentence("filing.changed_since"))
const nameTaken = (name: string) => new AppError("conflict", sentence("filing.name_taken", { name }))
