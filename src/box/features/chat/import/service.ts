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
import { createImportStore, underWay } from "./import-store.ts"
import type { ImportJob } from "./run-import.ts"

/** Time that an examined export waits for confirmation. Its file uses disk space until then. */
const heldMs = 3_600_000
/** Time that an import runs before another one continues. */
const sliceMs = 100

export interface ChatImports extends AsyncDisposable {
  /** With `hold`, nothing is imported before confirmation. Throws `conflict` while another import of the same user is running. */
  start(ownerId: string, receive: Receive<unknown>, hold: boolean): Promise<ChatImport>
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

export function createChatImports({ db, dataDir, logger, changed }: ChatImportsDeps): ChatImports {
  const store = createImportStore(db)
  /** Imports that are queued, being examined, held or running, by id. */
  const jobs = new Map<string, ImportJob>()
  const running = new Set<Promise<void>>()
  /** One import works at a time, for `sliceMs`, so that none has to wait for another one to end. */
  const turns = createSemaphore({ places: () => 1, maxWaiting: Infinity })
  const never = new AbortController().signal
  let closed = false

  function enqueue(job: ImportJob, step: "check" | "take"): void {
    const run = runInSlices(job, step)
      .catch((error: unknown) => logger.error({ err: error }, "Ending an import failed"))
      .finally(() => running.delete(run))
    running.add(run)
  }

  async function runInSlices(job: ImportJob, step: "check" | "take"): Promise<void> {
    let turn = await turns.acquire(never, job.ownerId)
    let until = performance.now() + sliceMs
    try {
      await run(job, step, async () => {
        if (performance.now() < until) return
        turn[Symbol.dispose]()
        turn = await turns.acquire(never, job.ownerId)
        until = performance.now() + sliceMs
      })
    } finally {
      turn[Symbol.dispose]()
    }
  }

  async function run(job: ImportJob, step: "check" | "take", pause: () => Promise<void>): Promise<void> {
    let newest: string | null = null
    try {
      if (!closed && !job.isStopped) {
        // Loaded on demand, because its archive readers are rarely needed.
        const { checkExport, runImport } = await import("./run-import.ts")
        const deps = { db, store, logger, isClosed: () => closed, pause, freeBytes: () => freeBytes(dataDir) }
        if (step === "check") await checkExport(deps, job)
        else newest = await runImport(deps, job)
      }
      if (job.progress.status !== "found" || closed) await forget(job)
      else if (job.isStopped) await end(job)
      else hold(job)
    } catch (error) {
      logger.error({ err: error }, "The end of an import couldn't be stored")
      await forget(job)
    }
    if (newest !== null) changed(job.ownerId, newest)
  }

  const hold = (job: ImportJob): void =>
    void setTimeout(() => {
      if (job.progress.status !== "found") return
      void end(job).catch((error: unknown) =>
        logger.error({ err: error }, "Ending an unconfirmed import failed"),
      )
    }, heldMs).unref()

  async function forget({ path, progress }: ImportJob): Promise<void> {
    jobs.delete(progress.id)
    await rm(path, { force: true })
  }

  /** Ends an import that isn't being read now. */
  async function end(job: ImportJob): Promise<void> {
    Object.assign(job.progress, { status: "stopped", endedAt: timestamp() })
    await store.save(job.progress)
    await forget(job)
  }

  function requireIdle(ownerId: string): void {
    for (const job of jobs.values())
      if (job.ownerId === ownerId && underWay.includes(job.progress.status))
        throw new AppError("conflict", sentence("conversations.import_running"))
  }

  async function read(ownerId: string, id: string): Promise<ChatImport> {
    const progress = await store.find(ownerId, id)
    if (!progress) throw new AppError("not_found", sentence("conversations.no_import"))
    return progress
  }

  return {
    async start(ownerId, receive, shouldConfirm) {
      requireIdle(ownerId)
      const directory = uploadsPath(dataDir)
      await makeDirectoryInside(dataDir, [basename(directory)])
      const path = join(directory, newId())
      const progress = begun()
      const job = { ownerId, path, progress, isStopped: false }
      try {
        await receive({ path, headBytes: 0 })
        requireIdle(ownerId)
        jobs.set(progress.id, job)
        for (const held of jobs.values())
          if (held.ownerId === ownerId && held.progress.status === "found") await end(held)
        await store.add(ownerId, progress)
      } catch (error) {
        await forget(job)
        throw error
      }
      const answer = { ...progress }
      enqueue(job, shouldConfirm ? "check" : "take")
      return answer
    },

    read,
    newest: store.newest,

    async confirm(ownerId, id) {
      await read(ownerId, id)
      const job = jobs.get(id)
      if (job?.progress.status !== "found")
        throw new AppError("conflict", sentence("conversations.import_not_held"))
      job.progress.status = "queued"
      await store.save(job.progress).catch((error: unknown) => {
        job.progress.status = "found" // so that it can be confirmed again
        throw error
      })
      const answer = { ...job.progress }
      enqueue(job, "take")
      return answer
    },

    async stop(ownerId, id) {
      await read(ownerId, id)
      const job = jobs.get(id)
      if (job) {
        job.isStopped = true
        if (job.progress.status === "queued" || job.progress.status === "found") await end(job)
      }
      return read(ownerId, id)
    },

    begin: () => store.endCutOff(),

    async [Symbol.asyncDispose]() {
      closed = true
      await Promise.all(running)
      for (const job of jobs.values()) await rm(job.path, { force: true })
    },
  }
}

/** Returns a new import. */
export const begun = (): ChatImport => ({
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
