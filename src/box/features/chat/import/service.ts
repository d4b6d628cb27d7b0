import { rm } from "node:fs/promises"
import { basename, join } from "node:path"
import type { ChatImport } from "../../../../shared/contract/chat-imports.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { Receive } from "../../../../serve/serve.ts"
import { uploadsPath } from "../../../core/data-layout.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { freeBytes } from "../../../core/disk/disk-space.ts"
import { makeDirectoryInside } from "../../../core/files/path-jail.ts"
import { newId, timestamp } from "../../../core/ids.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { createSemaphore } from "../../../core/waiting/locks.ts"
import { hasFullRights, type Caller, type Rights } from "../../../http/caller.ts"
import { createImportStore, underWay, type ImportStore } from "./import-store.ts"
import type { ImportJob } from "./run-import.ts"

/** Time that an examined export waits for confirmation. Its file uses disk space until then. */
const heldMs = 3_600_000
/** Time that an import runs before another one continues. */
const sliceMs = 100

export interface ChatImports extends AsyncDisposable {
  /** With `hold`, nothing is imported before confirmation. Throws `conflict` while another import of the same user is running. */
  start(
    caller: Pick<Caller, "userId"> & Rights,
    receive: Receive<unknown>,
    hold: boolean,
  ): Promise<ChatImport>
  read(ownerId: string, id: string): Promise<ChatImport>
  newest(ownerId: string): Promise<ChatImport | null>
  /** Throws `conflict` if the import isn't waiting for confirmation. */
  confirm(ownerId: string, id: string): Promise<ChatImport>
  /** Keeps the chats imported so far. An import that has ended stays as it is. */
  stop(ownerId: string, id: string): Promise<ChatImport>
  /** Marks imports that were running when the box stopped as failed. Importing the same file again continues them. */
  begin(): Promise<void>
}

export interface ChatImportsDeps {
  db: DbOf<"chat">
  dataDir: string
  logger: Logger
  /** Notifies the user's apps that chats changed, with the id of the last one. */
  changed(ownerId: string, chatId: string): void
}

export const createChatImports = (deps: ChatImportsDeps): ChatImports => new ChatImportService(deps)

type Step = "check" | "take"

class ChatImportService implements ChatImports {
  readonly #deps: ChatImportsDeps
  readonly #store: ImportStore
  /** Imports that are queued, being examined, held or running, by id. */
  readonly #jobs = new Map<string, ImportJob>()
  readonly #running = new Set<Promise<void>>()
  /** One import works at a time, for `sliceMs`, so that none has to wait for another one to end. */
  readonly #turns = createSemaphore({ slots: () => 1, maxWaiting: Infinity })
  #isClosed = false

  constructor(deps: ChatImportsDeps) {
    this.#deps = deps
    this.#store = createImportStore(deps.db)
  }

  async start(
    caller: Pick<Caller, "userId"> & Rights,
    receive: Receive<unknown>,
    shouldConfirm: boolean,
  ): Promise<ChatImport> {
    const { dataDir } = this.#deps
    const ownerId = caller.userId
    this.#requireIdle(ownerId)
    const directory = uploadsPath(dataDir)
    await makeDirectoryInside(dataDir, [basename(directory)])
    const path = join(directory, newId())
    const progress = started()
    const job = { ownerId, path, progress, isByScopedKey: !hasFullRights(caller), isStopped: false }
    try {
      await receive({ path, headBytes: 0 })
      this.#requireIdle(ownerId)
      this.#jobs.set(progress.id, job)
      for (const held of this.#jobs.values())
        if (held.ownerId === ownerId && held.progress.status === "found") await this.#end(held)
      await this.#store.add(ownerId, progress)
    } catch (error) {
      await this.#forget(job)
      throw error
    }
    const answer = { ...progress }
    this.#enqueue(job, shouldConfirm ? "check" : "take")
    return answer
  }

  #requireIdle(ownerId: string): void {
    for (const job of this.#jobs.values())
      if (job.ownerId === ownerId && underWay.includes(job.progress.status))
        throw new AppError("conflict", sentence("conversations.import_running"))
  }

  async read(ownerId: string, id: string): Promise<ChatImport> {
    const progress = await this.#store.find(ownerId, id)
    if (!progress) throw new AppError("not_found", sentence("conversations.no_import"))
    return progress
  }

  newest(ownerId: string): Promise<ChatImport | null> {
    return this.#store.newest(ownerId)
  }

  async confirm(ownerId: string, id: string): Promise<ChatImport> {
    await this.read(ownerId, id)
    const job = this.#jobs.get(id)
    if (job?.progress.status !== "found")
      throw new AppError("conflict", sentence("conversations.import_not_held"))
    job.progress.status = "queued"
    await this.#store.save(job.progress).catch((error: unknown) => {
      job.progress.status = "found" // so that it can be confirmed again
      throw error
    })
    const answer = { ...job.progress }
    this.#enqueue(job, "take")
    return answer
  }

  async stop(ownerId: string, id: string): Promise<ChatImport> {
    await this.read(ownerId, id)
    const job = this.#jobs.get(id)
    if (job) {
      job.isStopped = true
      if (job.progress.status === "queued" || job.progress.status === "found") await this.#end(job)
    }
    return this.read(ownerId, id)
  }

  begin(): Promise<void> {
    return this.#store.endCutOff()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#running)
    for (const job of this.#jobs.values()) await rm(job.path, { force: true })
  }

  #enqueue(job: ImportJob, step: Step): void {
    const run = this.#runInSlices(job, step)
      .catch((error: unknown) => this.#deps.logger.error({ err: error }, "Ending an import failed"))
      .finally(() => this.#running.delete(run))
    this.#running.add(run)
  }

  async #runInSlices(job: ImportJob, step: Step): Promise<void> {
    let turn = await this.#turns.acquire(never, job.ownerId)
    let until = performance.now() + sliceMs
    try {
      await this.#run(job, step, async () => {
        if (performance.now() < until) return
        turn[Symbol.dispose]()
        turn = await this.#turns.acquire(never, job.ownerId)
        until = performance.now() + sliceMs
      })
    } finally {
      turn[Symbol.dispose]()
    }
  }

  async #run(job: ImportJob, step: Step, pause: () => Promise<void>): Promise<void> {
    let newest: string | null = null
    try {
      if (!this.#isClosed && !job.isStopped) newest = await this.#perform(job, step, pause)
      if (job.progress.status !== "found" || this.#isClosed) await this.#forget(job)
      else if (job.isStopped) await this.#end(job)
      else this.#hold(job)
    } catch (error) {
      this.#deps.logger.error({ err: error }, "The end of an import couldn't be stored")
      await this.#forget(job)
    }
    if (newest !== null) this.#deps.changed(job.ownerId, newest)
  }

  /** Returns the last chat that changed; null if none did. */
  async #perform(job: ImportJob, step: Step, pause: () => Promise<void>): Promise<string | null> {
    const { db, dataDir, logger } = this.#deps
    // Loaded on demand, because its archive readers are rarely needed.
    const { checkExport, runImport } = await import("./run-import.ts")
    const deps = {
      db,
      store: this.#store,
      logger,
      isClosed: () => this.#isClosed,
      pause,
      freeBytes: () => freeBytes(dataDir),
    }
    if (step === "take") return runImport(deps, job)
    await checkExport(deps, job)
    return null
  }

  /** Ends the import if it isn't confirmed in time. */
  #hold(job: ImportJob): void {
    setTimeout(() => {
      if (job.progress.status !== "found") return
      void this.#end(job).catch((error: unknown) =>
        this.#deps.logger.error({ err: error }, "Ending an unconfirmed import failed"),
      )
    }, heldMs).unref()
  }

  /** Ends an import that isn't being read now. */
  async #end(job: ImportJob): Promise<void> {
    Object.assign(job.progress, { status: "stopped", endedAt: timestamp() })
    await this.#store.save(job.progress)
    await this.#forget(job)
  }

  async #forget({ path, progress }: ImportJob): Promise<void> {
    this.#jobs.delete(progress.id)
    await rm(path, { force: true })
  }
}

const never = new AbortController().signal

/** Returns a new import. */
export const started = (): ChatImport => ({
  id: newId(),
  status: "queued",
  found: null,
  done: 0,
  chats: 0,
  messages: 0,
  known: 0,
  skipped: [],
  skippedCount: 0,
  createdAt: timestamp(),
  endedAt: null,
})
