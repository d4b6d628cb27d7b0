import { mkdir, rm, stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import type { CatalogueModel, ModelDownload, ModelSource } from "../../../shared/contract/model-files.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { renameDurably } from "../../core/durable-file.ts"
import { newId } from "../../core/ids.ts"
import { createKeyedLock } from "../../core/keyed-lock.ts"
import type { Logger } from "../../core/logger.ts"
import { parseRelativePath } from "../../core/path-jail.ts"
import { toAppError } from "../../http/error-response.ts"
import { checkModel, requireExpected } from "./check-model.ts"
import { requireRoom } from "./disk-room.ts"
import { createDownloadJournal, type JournalEntry } from "./download-journal.ts"
import { fetchModel, type FetchLimits } from "./fetch-model.ts"
import { resolveAddress } from "./model-address.ts"
import { modelIdOf } from "./model-id.ts"
import { createSpeedMeter } from "./speed-meter.ts"
import type { RemoteFile } from "./transfer.ts"

export interface DownloadsDeps {
  /** Where models are kept. */
  directory: string
  /** Base address of Hugging Face or of a mirror. */
  mirror(): string
  /** Called when a download changed, at most twice a second while bytes arrive. */
  changed(download: ModelDownload): void
  logger: Logger
  /** Shorter in tests. */
  limits?: FetchLimits
}

/** Downloads of models: they go on after a lost connection and after a restart, and end with a checked file. */
export interface Downloads extends AsyncDisposable {
  list(): ModelDownload[]
  /** Throws `conflict` when the model is there or on its way, `disk_full` when it can't fit. */
  begin(source: ModelSource | CatalogueModel): Promise<ModelDownload>
  pause(id: string): Promise<ModelDownload>
  resume(id: string): Promise<ModelDownload>
  cancel(id: string): Promise<void>
  /** Goes on with what the last run of the box had begun. */
  start(): Promise<void>
}

interface Download {
  entry: JournalEntry
  status: ModelDownload["status"]
  received: number
  checkedBy: ModelDownload["checkedBy"]
  stop: AbortController
  /** Settles when nothing works on it. */
  work: Promise<void>
}

const mostRunning = 3
const mostKept = 30
const tellMs = 500
const nothingKnown: RemoteFile = { etag: null, sizeBytes: null, sha256: null }
const usualLimits = { silenceMs: 30_000, retryMs: 1_000 }

export function createDownloads(deps: DownloadsDeps): Downloads {
  const { directory, logger, limits = usualLimits } = deps
  const journal = createDownloadJournal(join(directory, ".downloads"))
  const downloads = new Map<string, Download>()
  const meters = new Map<string, ReturnType<typeof createSpeedMeter>>()
  const lock = createKeyedLock()
  const inTurn = <T>(task: () => Promise<T>) => lock.run("downloads", task)
  const closing = new AbortController()

  const targetOf = ({ repo, file }: ModelSource) =>
    join(directory, ...parseRelativePath(`${repo}/${file}`, "file"))
  const sizeOf = ({ entry }: Download) => entry.expected.sizeBytes ?? entry.remote.sizeBytes
  const isRunning = ({ status }: Download) => status === "downloading" || status === "checking"

  function show(download: Download): ModelDownload {
    const { entry, status, received, checkedBy } = download
    const { id, name, repo, file, revision, error } = entry
    const sizeBytes = sizeOf(download)
    const bytesPerSecond = status === "downloading" ? (meters.get(id)?.bytesPerSecond() ?? null) : null
    return {
      id,
      name,
      repo,
      file,
      revision,
      status,
      error,
      sizeBytes,
      bytesPerSecond,
      checkedBy,
      receivedBytes: received,
      secondsLeft:
        bytesPerSecond === null || bytesPerSecond === 0 || sizeBytes === null
          ? null
          : Math.ceil((sizeBytes - received) / bytesPerSecond),
      modelId: status === "done" ? modelIdOf(targetOf(entry)) : null,
    }
  }

  const tell = (download: Download) => deps.changed(show(download))

  async function note(download: Download, changes: Partial<JournalEntry>): Promise<void> {
    download.entry = { ...download.entry, ...changes }
    await journal.write(download.entry)
  }

  function find(id: string): Download {
    const download = downloads.get(id)
    if (download) return download
    throw new AppError("not_found", "There is no such download.")
  }

  /** Throws `disk_full` unless what is missing of this and of all running downloads fits. */
  async function requireRoomFor(download: Download, sizeBytes: number): Promise<void> {
    const others = [...downloads.values()].filter((other) => other !== download && isRunning(other))
    const missing = others.map((other) => Math.max(0, (sizeOf(other) ?? 0) - other.received))
    await requireRoom(
      directory,
      missing.reduce((sum, bytes) => sum + bytes, sizeBytes - download.received),
    )
  }

  async function fetchAll(download: Download, signal: AbortSignal): Promise<void> {
    const { id } = download.entry
    const meter = createSpeedMeter()
    meters.set(id, meter)
    let told = performance.now()
    await fetchModel({
      address: resolveAddress(deps.mirror(), download.entry),
      partial: journal.partial(id),
      known: () => download.entry.remote,
      async onRemote(remote) {
        requireExpected(download.entry.expected, remote)
        await requireRoomFor(download, remote.sizeBytes ?? 0)
        await note(download, { remote })
        meter.reset()
        tell(download)
      },
      onBytes(received) {
        download.received = received
        meter.add(received)
        if (performance.now() - told < tellMs) return
        told = performance.now()
        tell(download)
      },
      signal,
      limits,
      logger,
    })
  }

  async function work(download: Download): Promise<void> {
    const signal = AbortSignal.any([download.stop.signal, closing.signal])
    const { entry } = download
    const partial = journal.partial(entry.id)
    try {
      await fetchAll(download, signal)
      download.status = "checking"
      tell(download)
      const { expected, remote } = download.entry
      download.checkedBy = await checkModel(
        partial,
        { sizeBytes: expected.sizeBytes ?? remote.sizeBytes, sha256: expected.sha256 ?? remote.sha256 },
        signal,
      )
      const target = targetOf(entry)
      await mkdir(dirname(target), { recursive: true })
      await renameDurably(partial, target)
      await journal.remove(entry.id)
      download.status = "done"
      logger.info({ file: entry.file, checkedBy: download.checkedBy }, "A model was downloaded")
    } catch (error) {
      if (signal.aborted) return
      await fail(download, error)
    } finally {
      meters.delete(entry.id)
      if (!signal.aborted) tell(download)
    }
  }

  async function fail(download: Download, cause: unknown): Promise<void> {
    const error = toAppError(cause, logger)
    download.status = "failed"
    if (error.code === "unprocessable") {
      await rm(journal.partial(download.entry.id), { force: true })
      download.received = 0
      download.entry.remote = nothingKnown
    }
    logger.warn({ err: error, file: download.entry.file }, "A download failed")
    await note(download, { status: "failed", error: error.message }).catch((problem: unknown) => {
      logger.error({ err: problem }, "The state of a download couldn't be stored") // a full disk, most likely
    })
  }

  function run(download: Download): void {
    download.status = "downloading"
    download.stop = new AbortController()
    download.work = work(download).catch((error: unknown) => {
      logger.error({ err: error }, "A download ended unexpectedly")
    })
  }

  function add(entry: JournalEntry, received: number): Download {
    const { status } = entry
    const download = {
      entry,
      status,
      received,
      checkedBy: null,
      stop: new AbortController(),
      work: Promise.resolve(),
    }
    downloads.set(entry.id, download)
    return download
  }

  function requireTurn(): void {
    if ([...downloads.values()].filter(isRunning).length >= mostRunning) {
      throw new AppError(
        "conflict",
        `At most ${mostRunning} models are downloaded at once. Pause one, or wait.`,
      )
    }
  }

  /** Ends the work on a download, which is then the caller's. */
  async function halt(download: Download): Promise<void> {
    download.stop.abort()
    await download.work
  }

  async function requireNew(source: ModelSource): Promise<void> {
    const target = targetOf(source)
    for (const other of downloads.values()) {
      if (targetOf(other.entry) !== target) continue
      if (other.status !== "done") throw new AppError("conflict", "This model is being downloaded already.")
      downloads.delete(other.entry.id)
    }
    if ((await stat(target).catch(() => null)) !== null) {
      throw new AppError("conflict", "This model is downloaded already.")
    }
    const done = [...downloads.values()].find(({ status }) => status === "done")
    if (downloads.size >= mostKept && done) downloads.delete(done.entry.id)
    if (downloads.size >= mostKept) {
      throw new AppError("conflict", "Too many downloads wait. Cancel some of them first.")
    }
  }

  return {
    list: () => [...downloads.values()].map(show),

    begin: (source) =>
      inTurn(async () => {
        await requireNew(source)
        requireTurn()
        const isCatalogued = "sizeBytes" in source
        const { repo, file, revision } = source
        const entry: JournalEntry = {
          id: newId(),
          repo,
          file,
          revision,
          status: "downloading",
          error: null,
          remote: nothingKnown,
          name: isCatalogued ? source.name : basename(file).replace(/\.gguf$/i, ""),
          expected: {
            sizeBytes: isCatalogued ? source.sizeBytes : null,
            sha256: isCatalogued ? (source.sha256 ?? null) : null,
          },
        }
        const download = add(entry, 0)
        try {
          if (isCatalogued) await requireRoomFor(download, source.sizeBytes)
          await journal.write(entry)
        } catch (error) {
          downloads.delete(entry.id)
          throw error
        }
        run(download)
        tell(download)
        return show(download)
      }),

    pause: (id) =>
      inTurn(async () => {
        const download = find(id)
        if (!isRunning(download)) return show(download)
        await halt(download)
        if (!isRunning(download)) return show(download) // it ended by itself meanwhile
        download.status = "paused"
        await note(download, { status: "paused" })
        tell(download)
        return show(download)
      }),

    resume: (id) =>
      inTurn(async () => {
        const download = find(id)
        if (isRunning(download) || download.status === "done") return show(download)
        requireTurn()
        await note(download, { status: "downloading", error: null })
        download.received = await sizeOnDisk(journal.partial(id))
        run(download)
        tell(download)
        return show(download)
      }),

    cancel: (id) =>
      inTurn(async () => {
        const download = find(id)
        await halt(download)
        downloads.delete(id)
        await journal.remove(id)
        deps.changed({ ...show(download), status: "cancelled" })
      }),

    async start() {
      for (const entry of await journal.read()) {
        const download = add(entry, await sizeOnDisk(journal.partial(entry.id)))
        if (entry.status === "downloading") run(download)
      }
    },

    async [Symbol.asyncDispose]() {
      closing.abort()
      await Promise.all([...downloads.values()].map((download) => download.work))
    },
  }
}

async function sizeOnDisk(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return 0
      throw error
    },
  )
}
