import { AppError, invalidField } from "../../../../shared/contract/errors.ts"
import { maxRefreshHours, type UploadReceipt } from "../../../../shared/contract/files.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { parseTimestamp, timestamp } from "../../../core/ids.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { runInBackground, onBehalfOf } from "../../../core/async-context.ts"
import { eitherSignal } from "../../../core/waiting/abort-and-timeout.ts"
import { bytesAsUpload } from "../disk/uploads.ts"
import type { FileAccess } from "../file-access.ts"
import type { FileChanges } from "../file-changes.ts"
import { type FileRow, pageColumns, getPage, type StoredPage } from "../file-entry.ts"
import type { StoredFolders } from "../folder-places.ts"
import type { FileReceiving } from "../receive-files.ts"
import type { FetchPage } from "./fetch-page.ts"

/** Maximum number of due pages read at once. */
const maxDue = 20

/** Rows of files that are copies of web pages. */
function createDuePages(db: DbOf<"files">) {
  return {
    /** The time at which the next page is due; null if no page is refreshed. */
    async next(): Promise<number | null> {
      const row = await db
        .selectFrom("files")
        .select("refreshAt")
        .where("refreshAt", "is not", null)
        .orderBy("refreshAt")
        .limit(1)
        .executeTakeFirst()
      return row?.refreshAt ? parseTimestamp(row.refreshAt, Infinity) : null
    },

    /** The pages that are due, longest overdue first, and those that a clock which was ahead postponed beyond the maximum. */
    due: (): Promise<FileRow[]> =>
      db
        .selectFrom("files")
        .selectAll()
        .where("refreshAt", "is not", null)
        .where((e) =>
          e.or([
            e("refreshAt", "<=", timestamp()),
            e("refreshAt", ">", timestamp(Date.now() + maxRefreshHours * hourMs)),
          ]),
        )
        .orderBy("refreshAt")
        .limit(maxDue)
        .execute(),

    async put(fileId: string, refreshAt: string | null): Promise<void> {
      await db.updateTable("files").set({ refreshAt }).where("id", "=", fileId).execute()
    },

    /**
     * Updates the stored data of a page; `next` returns when the page is fetched again. Does nothing if the file is gone or isn't a web
     * page.
     */
    change: (
      fileId: string,
      to: Partial<StoredPage>,
      next: (page: StoredPage) => string | null,
    ): Promise<void> =>
      db.transaction().execute(async (transaction) => {
        const row = await transaction
          .selectFrom("files")
          .select("webPage")
          .where("id", "=", fileId)
          .executeTakeFirst()
        const before = row && getPage(row)
        if (!before) return
        const page = { ...before, ...to }
        await transaction
          .updateTable("files")
          .set(pageColumns(page, next(page)))
          .where("id", "=", fileId)
          .execute()
      }),
  }
}

export interface WebPagesDeps {
  db: DbOf<"files">
  folders: Pick<StoredFolders, "find">
  access: Pick<FileAccess, "changeable">
  receiving: FileReceiving
  changes: Pick<FileChanges, "changed">
  fetchPage: FetchPage
  logger: Logger
}

/** Files that are copies of web pages. */
export interface WebPages extends AsyncDisposable {
  /** Fetches a page, stores it as a file and queues it. Throws the same errors as fetching and uploading. */
  addUrl(
    userId: string,
    folderId: string,
    wanted: { url: string; refreshHours?: number | null | undefined },
    signal: AbortSignal,
  ): Promise<UploadReceipt>
  /** Fetches the pages that are due, and later those that become due. */
  start(): Promise<void>
  /** Throws `validation` for a file that isn't a web page. */
  setRefresh(row: FileRow, refreshHours: number | null): Promise<void>
  /** Fetches a page again as soon as possible. */
  refetch(fileId: string): Promise<void>
}

const hourMs = 3_600_000
/** Timers can't run longer than 24 days, and the clock may be changed. */
const maxWaitMs = 12 * hourMs
/** Minimum time between two checks for due pages, even after errors. */
const minWaitMs = 60_000

export const createWebPages = (deps: WebPagesDeps): WebPages => new WebPageFiles(deps)

class WebPageFiles implements WebPages {
  readonly #deps: WebPagesDeps
  readonly #pages: ReturnType<typeof createDuePages>
  readonly #closing = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isRerunRequested = false

  constructor(deps: WebPagesDeps) {
    this.#deps = deps
    this.#pages = createDuePages(deps.db)
  }

  async addUrl(
    userId: string,
    folderId: string,
    { url, refreshHours = null }: { url: string; refreshHours?: number | null | undefined },
    signal: AbortSignal,
  ): Promise<UploadReceipt> {
    await this.#deps.access.changeable(userId, folderId)
    const { fileName, bytes, hash } = await this.#deps.fetchPage(
      userId,
      url,
      eitherSignal(signal, this.#closing.signal),
    )
    const now = timestamp()
    const page: StoredPage = { url, userId, refreshHours, hash, fetchedAt: now, problem: null }
    const receipt = await this.#deps.receiving.upload(
      userId,
      folderId,
      bytesAsUpload(fileName, bytes),
      pageColumns(page, dueIn(page)),
    )
    await this.#wait()
    return receipt
  }

  /** One timer for all pages, or none if no page is refreshed. */
  async #wait(minMs = minWaitMs): Promise<void> {
    const next = await this.#pages.next()
    clearTimeout(this.#timer)
    if (next === null || this.#closing.signal.aborted) return
    const waitMs = Math.min(Math.max(next - Date.now(), minMs), maxWaitMs)
    this.#timer = setTimeout(() => this.#run(), waitMs).unref()
  }

  #run(): void {
    if (this.#running) {
      this.#isRerunRequested = true
      return
    }
    this.#isRerunRequested = false
    this.#running = runInBackground(() => this.#refreshDue())
      .then(() => this.#wait())
      .catch((error: unknown) => {
        this.#deps.logger.error({ err: error }, "Fetching web pages again failed; it is retried later")
        clearTimeout(this.#timer)
        this.#timer = this.#closing.signal.aborted
          ? undefined
          : setTimeout(() => this.#run(), minWaitMs).unref()
      })
      .finally(() => {
        this.#running = undefined
        if (this.#isRerunRequested && !this.#closing.signal.aborted) this.#run()
      })
  }

  async #refreshDue(): Promise<void> {
    for (const row of await this.#pages.due()) {
      if (this.#closing.signal.aborted) return
      const page = getPage(row)
      const folder = await this.#deps.folders.find(row.folderId)
      if (!page) await this.#pages.put(row.id, null)
      // A folder that is paused or deleted isn't processed.
      else if (!folder || folder.paused) await this.#pages.put(row.id, timestamp(Date.now() + hourMs))
      else await onBehalfOf({ userId: page.userId }, () => this.#refresh(row, page))
    }
  }

  async #refresh(row: FileRow, page: StoredPage): Promise<void> {
    const problem = await this.#refetchPage(row, page).then(
      () => null,
      (error: unknown) => this.#getProblem(error),
    )
    if (this.#closing.signal.aborted) return // the next start fetches an interrupted page
    await this.#pages.change(row.id, { problem, ...(!problem && { fetchedAt: timestamp() }) }, dueIn)
    this.#deps.changes.changed([row.id])
  }

  /** Unchanged text isn't indexed again; the file stays as it is. */
  async #refetchPage(row: FileRow, page: StoredPage): Promise<void> {
    const { bytes, hash } = await this.#deps.fetchPage(page.userId, page.url, this.#closing.signal)
    if (hash === page.hash) return
    await this.#deps.receiving.replace(page.userId, row.folderId, row.id, bytesAsUpload(row.name, bytes))
    await this.#pages.change(row.id, { hash }, () => row.refreshAt)
  }

  #getProblem(error: unknown): NonNullable<StoredPage["problem"]> {
    if (!(error instanceof AppError)) this.#deps.logger.warn({ err: error }, "A web page couldn't be stored")
    const said = error instanceof AppError ? error.sentence : sentence("files.page_not_stored")
    return { at: timestamp(), error: said.text, ...said.field }
  }

  start(): Promise<void> {
    return this.#wait(0)
  }

  async setRefresh(row: FileRow, refreshHours: number | null): Promise<void> {
    if (!getPage(row)) throw invalidField("refreshHours", sentence("files.no_web_page"))
    await this.#pages.change(row.id, { refreshHours }, dueIn)
    this.#deps.changes.changed([row.id])
    await this.#wait()
  }

  async refetch(fileId: string): Promise<void> {
    await this.#pages.put(fileId, timestamp())
    this.#run()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer)
    this.#closing.abort(new AppError("unavailable", sentence("core.shutting_down")))
    await this.#running
    clearTimeout(this.#timer)
  }
}

const dueIn = ({ refreshHours }: StoredPage): string | null =>
  refreshHours === null ? null : timestamp(Date.now() + refreshHours * hourMs)
