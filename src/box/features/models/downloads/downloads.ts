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

export function createDownloads(deps: DownloadsDeps): Downloads {
  const { directory, mirror, outbound, logger, limits = usualLimits } = deps
  const journal = createDownloadJournal(join(directory, ".downloads"))
  const downloads = new Map<string, Download>()
  const closing = new AbortController()
  const lock = createKeyedLock()
  const runExclusive = <T>(task: () => Promise<T>) => lock.run("downloads", task)

  const getTarget = ({ repo, file }: ModelSource) =>
    join(directory, ...parseRelativePath(`${repo}/${file}`, "file"))

  async function open(entry: JournalEntry): Promise<Download> {
    const [{ openDownload }, { requireRoomFor }] = await Promise.all([
      import("./download.ts"),
      import("./download.ts"),
    ])
    const download = await openDownload({
      ...deps,
      limits,
      entry,
      target: getTarget(entry),
      journal,
      requireRoom: (bytes) => requireRoomFor(downloads, directory, entry.id, bytes),
      closing: closing.signal,
    })
    downloads.set(entry.id, download)
    return download
  }

  function find(id: string): Download {
    const download = downloads.get(id)
    if (download) return download
    throw new AppError("not_found", sentence("models.no_download"))
  }

  async function requireTurn(): Promise<void> {
    const refusal = outbound.refusal(mirror())
    if (refusal) throw refusal
    const { requireFewRunning } = await import("./download.ts")
    requireFewRunning(downloads)
  }

  return {
    list: () => [...downloads.values()].map((download) => download.show()),

    begin: (source, use = false) =>
      runExclusive(async () => {
        const entry = newEntry(source, use)
        const { requireNew, requireRoomFor } = await import("./download.ts")
        await requireNew(downloads, getTarget(source))
        await requireTurn()
        const { sizeBytes } = entry.expected
        if (sizeBytes !== null) await requireRoomFor(downloads, directory, entry.id, sizeBytes)
        const download = await open(entry)
        try {
          await download.begin()
        } catch (error) {
          downloads.delete(entry.id)
          throw error
        }
        return download.show()
      }),

    pause: (id) =>
      runExclusive(async () => {
        const download = find(id)
        await download.pause()
        return download.show()
      }),

    resume: (id) =>
      runExclusive(async () => {
        const download = find(id)
        if (download.state.isRunning || download.state.status === "done") return download.show()
        await requireTurn()
        await download.begin()
        return download.show()
      }),

    cancel: (id) =>
      runExclusive(async () => {
        await find(id).cancel()
        downloads.delete(id)
      }),

    start: () =>
      runExclusive(async () => {
        try {
          for (const entry of await journal.read()) {
            const download = await open(entry)
            if (entry.status === "downloading" && !outbound.refusal(mirror())) await download.begin()
          }
        } catch (error) {
          // The disk is probably full, which mustn't prevent the server from starting.
          logger.error({ err: error }, "Downloads of an earlier run can't resume")
        }
      }),

    async [Symbol.asyncDispose]() {
      closing.abort()
      await Promise.all([...downloads.values()].map((download) => download.ended()))
    },
  }
}
