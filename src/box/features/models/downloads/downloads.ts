import { stat } from "node:fs/promises"
import { basename, join } from "node:path"
import type { CatalogueModel, ModelDownload, ModelSource } from "../../../../shared/contract/model-files.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { newId } from "../../../core/ids.ts"
import { createKeyedLock } from "../../../core/waiting/keyed-lock.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import type { Outbound } from "../../../core/outbound/outbound.ts"
import { parseRelativePath } from "../../../core/files/path-jail.ts"
import { requireRoom } from "./disk-room.ts"
import { type Download, nothingKnown, openDownload } from "./download.ts"
import { createDownloadJournal, type JournalEntry } from "./download-journal.ts"
import type { FetchLimits } from "./fetch-model.ts"

export interface DownloadsDeps {
  /** Where models are kept. */
  directory: string
  /** Base address of Hugging Face or of a mirror. */
  mirror(): string
  outbound: Pick<Outbound, "fetch" | "refusal">
  /** Called when a download changed, at most twice a second while bytes arrive. */
  changed(download: ModelDownload): void
  /** Takes a finished file into use if its role is free. */
  useNow(path: string): Promise<void>
  logger: Logger
  /** Shorter in tests. */
  limits?: FetchLimits
}

/** Downloads of models: they go on after a lost connection and after a restart, and end with a checked file. */
export interface Downloads extends AsyncDisposable {
  list(): ModelDownload[]
  /** Throws `conflict` when the model is there or on its way, `disk_full` when it can't fit, or local-only's refusal. */
  begin(source: ModelSource | CatalogueModel, use?: boolean): Promise<ModelDownload>
  pause(id: string): Promise<ModelDownload>
  resume(id: string): Promise<ModelDownload>
  /** Deletes what has arrived; forgets a download that is done. */
  cancel(id: string): Promise<void>
  /** Goes on with what the last run of the box had begun. */
  start(): Promise<void>
}

const mostRunning = 3
const mostKept = 30
const usualLimits: FetchLimits = { silenceMs: 30_000, retryMs: 1_000 }

export function createDownloads(deps: DownloadsDeps): Downloads {
  const { directory, mirror, outbound, changed, useNow, logger, limits = usualLimits } = deps
  const journal = createDownloadJournal(join(directory, ".downloads"))
  const downloads = new Map<string, Download>()
  const closing = new AbortController()
  const lock = createKeyedLock()
  const inTurn = <T>(task: () => Promise<T>) => lock.run("downloads", task)

  const targetOf = ({ repo, file }: ModelSource) =>
    join(directory, ...parseRelativePath(`${repo}/${file}`, "file"))

  async function open(entry: JournalEntry): Promise<Download> {
    const download = await openDownload({
      entry,
      directory,
      target: targetOf(entry),
      journal,
      mirror,
      outbound,
      requireRoom: (bytes) => requireRoomFor(entry.id, bytes),
      changed,
      useNow,
      closing: closing.signal,
      limits,
      logger,
    })
    downloads.set(entry.id, download)
    return download
  }

  /** The other running downloads need room for what they still miss, too. */
  async function requireRoomFor(id: string, bytes: number): Promise<void> {
    const others = [...downloads].filter(([other, download]) => other !== id && download.isRunning())
    await requireRoom(
      directory,
      others.reduce((sum, [, download]) => sum + download.missingBytes(), bytes),
    )
  }

  function find(id: string): Download {
    const download = downloads.get(id)
    if (download) return download
    throw new AppError("not_found", sentence("models.no_download"))
  }

  function requireTurn(): void {
    const refusal = outbound.refusal(mirror())
    if (refusal) throw refusal
    if ([...downloads.values()].filter((download) => download.isRunning()).length < mostRunning) return
    throw new AppError("conflict", sentence("models.too_many_at_once", { count: mostRunning }))
  }

  async function requireNew(target: string): Promise<void> {
    for (const [id, other] of downloads) {
      if (other.target !== target) continue
      if (other.status !== "done") throw new AppError("conflict", sentence("models.downloading_already"))
      downloads.delete(id)
    }
    if ((await stat(target).catch(() => null)) !== null) {
      throw new AppError("conflict", sentence("models.downloaded_already"))
    }
    const done = [...downloads].find(([, { status }]) => status === "done")
    if (downloads.size >= mostKept && done) downloads.delete(done[0])
    if (downloads.size >= mostKept) {
      throw new AppError("conflict", sentence("models.too_many_downloads"))
    }
  }

  return {
    list: () => [...downloads.values()].map((download) => download.show()),

    begin: (source, use = false) =>
      inTurn(async () => {
        const entry = newEntry(source, use)
        await requireNew(targetOf(source))
        requireTurn()
        if (entry.expected.sizeBytes !== null) await requireRoomFor(entry.id, entry.expected.sizeBytes)
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
      inTurn(async () => {
        const download = find(id)
        await download.pause()
        return download.show()
      }),

    resume: (id) =>
      inTurn(async () => {
        const download = find(id)
        if (download.isRunning() || download.status === "done") return download.show()
        requireTurn()
        await download.begin()
        return download.show()
      }),

    cancel: (id) =>
      inTurn(async () => {
        await find(id).cancel()
        downloads.delete(id)
      }),

    start: () =>
      inTurn(async () => {
        try {
          for (const entry of await journal.read()) {
            const download = await open(entry)
            if (entry.status === "downloading" && !outbound.refusal(mirror())) await download.begin()
          }
        } catch (error) {
          // A full disk, most likely: no reason for the box not to start.
          logger.error({ err: error }, "Downloads of an earlier run can't go on")
        }
      }),

    async [Symbol.asyncDispose]() {
      closing.abort()
      await Promise.all([...downloads.values()].map((download) => download.ended()))
    },
  }
}

function newEntry(source: ModelSource | CatalogueModel, use: boolean): JournalEntry {
  const { repo, file, revision } = source
  const entry = { id: newId(), repo, file, revision, use, status: "downloading" as const, error: null }
  return "sizeBytes" in source
    ? {
        ...entry,
        name: source.name,
        remote: nothingKnown,
        expected: { sizeBytes: source.sizeBytes, sha256: source.sha256 ?? null },
      }
    : {
        ...entry,
        name: basename(file).replace(/\.gguf$/i, ""),
        remote: nothingKnown,
        expected: { sizeBytes: null, sha256: null },
      }
}
