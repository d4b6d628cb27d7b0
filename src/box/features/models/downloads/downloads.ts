import { join } from "node:path"
import type { CatalogueModel, ModelDownload, ModelSource } from "../../../../shared/contract/models.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { createKeyedLock } from "../../../core/waiting/locks.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import type { Outbound } from "../../../core/outbound/outbound.ts"
import { parseRelativePath } from "../../../core/files/path-jail.ts"
import type { Download } from "./download.ts"
import { createDownloadJournal, newEntry, type JournalEntry } from "./download-journal.ts"
import type { FetchLimits } from "./fetch-model.ts"

export interface DownloadsDeps {
  /** Directory in which models are kept. */
  directory: string
  /** Base URL of Hugging Face or of a mirror. */
  mirror(): string
  outbound: Pick<Outbound, "fetch" | "refusal">
  /** Called when a download has changed, at most twice a second while bytes arrive. */
  changed(download: ModelDownload): void
  /** Uses a finished file if its role is free. */
  useNow(path: string): Promise<void>
  logger: Logger
  /** Shorter in tests. */
  limits?: FetchLimits
}

/** Model downloads. They resume after a lost connection or a restart, and end with a verified file. */
export interface Downloads extends AsyncDisposable {
  list(): ModelDownload[]
  /** Throws `conflict` if the model exists or is being downloaded, `disk_full` if it can't fit, or the refusal of local-only mode. */
  begin(source: ModelSource | CatalogueModel, use?: boolean): Promise<ModelDownload>
  pause(id: string): Promise<ModelDownload>
  resume(id: string): Promise<ModelDownload>
  /** Deletes the bytes that have arrived; removes a finished download from the list. */
  cancel(id: string): Promise<void>
  /** Resumes downloads that the previous run started. */
  start(): Promise<void>
}

const usualLimits: FetchLimits = { silenceMs: 30_000, retryMs: 1_000 }

export const createDownloads = (deps: DownloadsDeps): Downloads => new ModelDownloads(deps)

class ModelDownloads implements Downloads {
  readonly #deps: DownloadsDeps
  readonly #limits: FetchLimits
  readonly #journal: ReturnType<typeof createDownloadJournal>
  readonly #downloads = new Map<string, Download>()
  readonly #closing = new AbortController()
  readonly #lock = createKeyedLock()

  constructor(deps: DownloadsDeps) {
    this.#deps = deps
    this.#limits = deps.limits ?? usualLimits
    this.#journal = createDownloadJournal(join(deps.directory, ".downloads"))
  }

  list(): ModelDownload[] {
    return [...this.#downloads.values()].map((download) => download.show())
  }

  begin(source: ModelSource | CatalogueModel, use = false): Promise<ModelDownload> {
    return this.#runExclusive(async () => {
      const entry = newEntry(source, use)
      const { requireNew, requireRoomFor } = await import("./download.ts")
      await requireNew(this.#downloads, this.#getTarget(source))
      await this.#requireTurn()
      const { sizeBytes } = entry.expected
      if (sizeBytes !== null) await requireRoomFor(this.#downloads, this.#deps.directory, entry.id, sizeBytes)
      const download = await this.#open(entry)
      try {
        await download.begin()
      } catch (error) {
        this.#downloads.delete(entry.id)
        throw error
      }
      return download.show()
    })
  }

  #runExclusive<T>(task: () => Promise<T>) {
    return this.#lock.run("downloads", task)
  }

  #getTarget({ repo, file }: ModelSource) {
    return join(this.#deps.directory, ...parseRelativePath(`${repo}/${file}`, "file"))
  }

  async #requireTurn(): Promise<void> {
    const refusal = this.#deps.outbound.refusal(this.#deps.mirror())
    if (refusal) throw refusal
    const { requireFewRunning } = await import("./download.ts")
    requireFewRunning(this.#downloads)
  }

  async #open(entry: JournalEntry): Promise<Download> {
    const [{ openDownload }, { requireRoomFor }] = await Promise.all([
      import("./download.ts"),
      import("./download.ts"),
    ])
    const download = await openDownload({
      ...this.#deps,
      limits: this.#limits,
      entry,
      target: this.#getTarget(entry),
      journal: this.#journal,
      requireRoom: (bytes) => requireRoomFor(this.#downloads, this.#deps.directory, entry.id, bytes),
      closing: this.#closing.signal,
    })
    this.#downloads.set(entry.id, download)
    return download
  }

  pause(id: string): Promise<ModelDownload> {
    return this.#runExclusive(async () => {
      const download = this.#find(id)
      await download.pause()
      return download.show()
    })
  }

  #find(id: string): Download {
    const download = this.#downloads.get(id)
    if (download) return download
    throw new AppError("not_found", sentence("models.no_download"))
  }

  resume(id: string): Promise<ModelDownload> {
    return this.#runExclusive(async () => {
      const download = this.#find(id)
      if (download.state.isRunning || download.state.status === "done") return download.show()
      await this.#requireTurn()
      await download.begin()
      return download.show()
    })
  }

  cancel(id: string): Promise<void> {
    return this.#runExclusive(async () => {
      await this.#find(id).cancel()
      this.#downloads.delete(id)
    })
  }

  start(): Promise<void> {
    return this.#runExclusive(async () => {
      try {
        for (const entry of await this.#journal.read()) {
          const download = await this.#open(entry)
          if (entry.status === "downloading" && !this.#deps.outbound.refusal(this.#deps.mirror()))
            await download.begin()
        }
      } catch (error) {
        // The disk is probably full, which mustn't prevent the server from starting.
        this.#deps.logger.error({ err: error }, "Downloads of an earlier run can't resume")
      }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#downloads.values()].map((download) => download.ended()))
  }
}
