import type { FiledAs, Filing, FilingDraft, HistoryEntry } from "../../../shared/contract/filing.ts"
import type { Visibility } from "../../../shared/contract/folders.ts"
import type { FileEntry, GeneratedBy } from "../../../shared/contract/files.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { paginate, type Page, type Pagination } from "../../../shared/contract/primitives.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { AnyTransaction, DbOf } from "../../core/database/database.ts"
import { newId, timestamp } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { createKeyedLock } from "../../core/waiting/locks.ts"
import { readHistory } from "./history.ts"
import { InterruptedMoves, type InterruptedFiles } from "./interrupted-moves.ts"
import { joinPath } from "./named-files.ts"
import {
  FilingPlanner,
  hasMoreReaders,
  mustStay,
  toFiledAs,
  type ChangeDraft,
  type FilingPlannerDeps,
  type NoteDraft,
  type PlannedFiles,
} from "./planning.ts"
import { FilingRecords, toLocation, type FilingLocation, type RecordArrival } from "./records.ts"
import { createFilingStore, readLocations, present, type FilingRow, type FilingStore } from "./store.ts"

/** File functions that filing needs. Each throws `not_found` or `forbidden` for files that aren't the owner's. */
export interface FiledFiles extends PlannedFiles, InterruptedFiles {
  move(
    ownerId: string,
    fileId: string,
    from: FilingLocation,
    to: FilingLocation,
    steps: { taken(transaction: AnyTransaction, taken: string): Promise<void>; put: RecordArrival },
  ): Promise<FileEntry>
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

export interface FilingsDeps extends FilingPlannerDeps {
  db: DbOf<"filing">
  files: FiledFiles
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

export const createFilings = (deps: FilingsDeps): Filings => new FilingService(deps)

class FilingService implements Filings {
  readonly #deps: FilingsDeps
  readonly #store: FilingStore
  /** Changes to the same file wait for one another. */
  readonly #lock = createKeyedLock()
  readonly #planner: FilingPlanner
  readonly #records: FilingRecords
  readonly #interrupted: InterruptedMoves

  constructor(deps: FilingsDeps) {
    const { db, files, logger } = deps
    this.#deps = deps
    this.#store = createFilingStore(db)
    this.#planner = new FilingPlanner(deps)
    this.#records = new FilingRecords(this.#store, deps)
    this.#interrupted = new InterruptedMoves({
      db,
      files,
      logger,
      store: this.#store,
      lock: this.#lock,
      planner: this.#planner,
      records: this.#records,
    })
  }

  describe(ownerId: string, draft: FilingDraft): Promise<{ summary: Sentence; readers: Visibility }> {
    return this.#planner.describe(ownerId, draft)
  }

  file(ownerId: string, draft: FilingDraft, call: FilingCall | null) {
    return this.#lock.run(draft.fileId, async () => {
      const before = call && (await this.#store.findByCall(ownerId, call.chatId, call.key))
      const done = before ?? (await this.#apply(ownerId, draft, call))
      const row = await this.#store.find(ownerId, done.id)
      if (!row) throw notFound()
      return { filing: present(row), file: (await this.#planner.find(ownerId, done.fileId)).file }
    })
  }

  #apply(ownerId: string, draft: FilingDraft, call: FilingCall | null): Promise<FilingRow> {
    if (draft.action === "note") return this.#writeNote(ownerId, draft, call)
    return this.#change(ownerId, draft, call).catch((error: unknown) =>
      this.#interrupted.retryLaterAndThrow(error),
    )
  }

  async #change(ownerId: string, draft: ChangeDraft, call: FilingCall | null): Promise<FilingRow> {
    const { files } = this.#deps
    const { target, was: stateBefore, became: stateAfter } = await this.#planner.plan(ownerId, draft)
    requireReaders(target.visibility, call)
    const row = newRow(ownerId, call, {
      action: draft.action,
      fileId: draft.fileId,
      besideId: null,
      was: JSON.stringify(stateBefore),
      became: JSON.stringify(stateAfter),
    })
    const description = await this.#records.loadDescription(row, await this.#getAuthor(ownerId, call))
    if (draft.action === "tag") {
      await files.tag(ownerId, stateBefore.vectorId, row.fileId, stateAfter.tags, (transaction) =>
        this.#records.add(transaction, row, description),
      )
      return row
    }
    await files.move(ownerId, row.fileId, toLocation(stateBefore), toLocation(stateAfter), {
      taken: (transaction, taken) => this.#store.insert(transaction, { ...row, status: "moving", taken }),
      put: this.#records.afterMove(row, description),
    })
    return row
  }

  async #writeNote(ownerId: string, draft: NoteDraft, call: FilingCall | null): Promise<FilingRow> {
    const { folder, folderId, file, name } = await this.#planner.planNote(ownerId, draft)
    requireReaders(folder.visibility, call)
    const by = await this.#getAuthor(ownerId, call)
    const path = joinPath(file.folder, name)
    let row: FilingRow | undefined
    const generatedBy = call && { chatId: call.chatId, ...call.author }
    const note = { path, text: draft.content, generatedBy }
    await this.#deps.files.write(ownerId, folderId, note, async (transaction, { id, subFolder, name }) => {
      const stateAfter: FiledAs = { vectorId: folderId, folder: subFolder, name, tags: [] }
      row = newRow(ownerId, call, {
        action: "note",
        fileId: id,
        besideId: draft.fileId,
        was: null,
        became: JSON.stringify(stateAfter),
      })
      await this.#records.add(transaction, row, { by, describeState: ({ name }) => name })
    })
    if (row === undefined) throw new Error("A note wasn't written down")
    return row
  }

  /** Returns the name of the person who files something; null if a model does. */
  async #getAuthor(ownerId: string, call: FilingCall | null): Promise<string | null> {
    return call === null ? this.#deps.getName(ownerId) : null
  }

  async undo(ownerId: string, id: string): Promise<Filing> {
    const found = await this.#store.find(ownerId, id)
    if (!found) throw notFound()
    await this.#lock.run(found.fileId, () =>
      this.#undoLocked(ownerId, id).catch((error: unknown) => this.#interrupted.retryLaterAndThrow(error)),
    )
    const row = await this.#store.find(ownerId, id)
    if (!row) throw notFound()
    return present(row)
  }

  async #undoLocked(ownerId: string, id: string): Promise<void> {
    const { db, files } = this.#deps
    const row = await this.#store.find(ownerId, id)
    if (!row || row.status === "moving") throw notFound()
    if (row.status !== "done") throw new AppError("conflict", sentence("filing.undone"))
    const by = await this.#deps.getName(ownerId)
    const { was: stateBefore, became: stateAfter } = readLocations(row)
    const { file, folder, folderId } = await this.#planner.find(ownerId, row.fileId)
    const current = toFiledAs(folderId, file)
    const markUndone = (transaction: AnyTransaction) => this.#records.markUndone(transaction, row, by)
    if (row.action === "tag" && stateBefore !== null) {
      if (JSON.stringify(current.tags) !== JSON.stringify(stateAfter.tags)) throw changedSince()
      await files.tag(ownerId, folderId, row.fileId, stateBefore.tags, markUndone)
      return
    }
    if (!isSameLocation(current, stateAfter)) throw changedSince()
    if (stateBefore === null) {
      await files.remove(ownerId, folderId, row.fileId)
      await db.transaction().execute(markUndone)
      return
    }
    if (!(await this.#planner.canMove(stateAfter.vectorId, stateBefore.vectorId))) throw mustStay(folder)
    await files.move(ownerId, row.fileId, toLocation(stateAfter), toLocation(stateBefore), {
      taken: (transaction, taken) => this.#store.change(transaction, id, { status: "undoing", taken }),
      put: this.#records.afterUndo(row, by),
    })
  }

  async list(ownerId: string, fileId: string | undefined, page: Page) {
    const { total, rows } = await this.#store.list(ownerId, fileId, page)
    return { filings: rows.map(present), pagination: paginate(total, page, rows.length) }
  }

  async history(userId: string, folderId: string, fileId: string): Promise<HistoryEntry[]> {
    const found = await this.#planner.find(userId, fileId)
    if (found.folderId !== folderId) throw new AppError("not_found", sentence("files.none_such"))
    return readHistory(this.#deps.db, fileId)
  }

  start(): Promise<void> {
    return this.#interrupted.finish()
  }

  [Symbol.dispose](): void {
    this.#interrupted[Symbol.dispose]()
  }
}

const newRow = (
  ownerId: string,
  call: FilingCall | null,
  filing: Pick<FilingRow, "action" | "fileId" | "besideId" | "was" | "became">,
): FilingRow => ({
  id: newId(),
  ownerId,
  ...filing,
  status: "done",
  taken: null,
  chatId: call && call.chatId,
  callKey: call && call.key,
  createdAt: timestamp(),
  undoneAt: null,
})

const isSameLocation = (one: FiledAs, other: FiledAs): boolean =>
  one.vectorId === other.vectorId && one.folder === other.folder && one.name === other.name

/** Throws `conflict` if more people can read the folder than was described before the call was allowed. */
function requireReaders(visibility: Visibility, call: FilingCall | null): void {
  if (call?.readers !== undefined && hasMoreReaders(visibility, call.readers))
    throw new AppError("conflict", sentence("filing.more_readers"))
}

const notFound = () => new AppError("not_found", sentence("filing.none_such"))
const changedSince = () => new AppError("conflict", sentence("filing.changed_since"))
