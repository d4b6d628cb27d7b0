import { rm, stat } from "node:fs/promises"
import { dirname, relative, sep } from "node:path"
import type { ModelDownload } from "../../../../shared/contract/model-files.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { renameDurably } from "../../../core/files/durable-file.ts"
import { isLocalOnlyRefusal } from "../../../core/outbound/local-only.ts"
import type { Outbound } from "../../../core/outbound/outbound.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { makeDirectoryInside } from "../../../core/files/path-jail.ts"
import { toAppError } from "../../../http/error-response.ts"
import { checkModel, requireExpected } from "./check-model.ts"
import type { DownloadJournal, JournalEntry } from "./download-journal.ts"
import { fetchModel, type FetchLimits } from "./fetch-model.ts"
import { resolveAddress } from "./model-address.ts"
import { modelIdOf } from "../model-id.ts"
import { createSpeedMeter } from "./speed-meter.ts"
import type { RemoteFile } from "./transfer.ts"

export interface DownloadDeps {
  entry: JournalEntry
  /** Of all models. */
  directory: string
  /** Where in it the finished file goes. */
  target: string
  journal: DownloadJournal
  mirror(): string
  outbound: Pick<Outbound, "fetch">
  /** Throws `disk_full` unless so many further bytes fit. */
  requireRoom(bytes: number): Promise<void>
  changed(download: ModelDownload): void
  /** Called once the checked file is in its place and was wanted for use. */
  useNow(path: string): Promise<void>
  /** Aborted when the box stops. */
  closing: AbortSignal
  limits: FetchLimits
  logger: Logger
}

/** One download, which is written down whenever it changes in a way that must outlive the box. */
export interface Download {
  readonly status: ModelDownload["status"]
  readonly target: string
  show(): ModelDownload
  isRunning(): boolean
  /** Bytes that are still to come, as far as that is known. */
  missingBytes(): number
  /** Writes down that it is wanted, and begins or goes on. */
  begin(): Promise<void>
  pause(): Promise<void>
  /** Ends it and deletes what has arrived; a finished file stays. */
  cancel(): Promise<void>
  /** Settles when nothing works on it. */
  ended(): Promise<void>
}

const tellMs = 500
export const nothingKnown: RemoteFile = { etag: null, sizeBytes: null, sha256: null }

export async function openDownload(deps: DownloadDeps): Promise<Download> {
  const { target, journal, limits, logger, closing } = deps
  const { id, name, repo, file, revision } = deps.entry
  const partial = journal.partial(id)
  const meter = createSpeedMeter()
  let entry = deps.entry
  let status: ModelDownload["status"] = entry.status === "downloading" ? "paused" : entry.status
  let received = await sizeOnDisk(partial)
  let checkedBy: ModelDownload["checkedBy"] = null
  let interruption: string | null = null
  let stop = new AbortController()
  let work: Promise<void> = Promise.resolve()

  const sizeBytes = () => entry.expected.sizeBytes ?? entry.remote.sizeBytes
  const missingBytes = () => Math.max(0, (sizeBytes() ?? 0) - received)
  const isRunning = () => status === "downloading" || status === "checking"
  const tell = () => deps.changed(show())

  function show(): ModelDownload {
    const bytesPerSecond = status === "downloading" ? meter.bytesPerSecond() : null
    return {
      id,
      name,
      repo,
      file,
      revision,
      status,
      checkedBy,
      bytesPerSecond,
      sizeBytes: sizeBytes(),
      receivedBytes: received,
      secondsLeft:
        bytesPerSecond === null || bytesPerSecond === 0 ? null : Math.ceil(missingBytes() / bytesPerSecond),
      interruption: status === "downloading" ? interruption : null,
      error: entry.error,
      modelId: status === "done" ? modelIdOf(target) : null,
    }
  }

  async function note(changes: Partial<JournalEntry>): Promise<void> {
    entry = { ...entry, ...changes }
    await journal.write(entry)
  }

  async function fetch(signal: AbortSignal): Promise<void> {
    let told = performance.now()
    meter.reset()
    interruption = null
    await fetchModel({
      outbound: deps.outbound,
      address: resolveAddress(deps.mirror(), entry),
      partial,
      known: () => entry.remote,
      async onRemote(remote) {
        requireExpected(entry.expected, remote)
        await deps.requireRoom((remote.sizeBytes ?? 0) - received)
        await note({ remote })
        meter.reset()
        interruption = null
        tell()
      },
      onBytes(bytes) {
        received = bytes
        meter.add(bytes)
        if (performance.now() - told < tellMs) return
        told = performance.now()
        tell()
      },
      onInterrupted(reason) {
        meter.reset()
        interruption = reason
        tell()
      },
      signal,
      limits,
      logger,
    })
  }

  async function complete(signal: AbortSignal): Promise<void> {
    status = "checking"
    tell()
    const { expected, remote } = entry
    const wanted = {
      sizeBytes: expected.sizeBytes ?? remote.sizeBytes,
      sha256: expected.sha256 ?? remote.sha256,
    }
    checkedBy = await checkModel(partial, wanted, signal)
    await makeItsDirectory()
    await renameDurably(partial, target)
    await journal.remove(id)
    status = "done"
    logger.info({ file, checkedBy }, "A model was downloaded")
    if (entry.use)
      await deps.useNow(target).catch((error: unknown) => {
        logger.error({ err: error, file }, "A downloaded model couldn't be taken into use")
      })
  }

  /** Never by way of a link, which leads to somebody else's. */
  async function makeItsDirectory(): Promise<void> {
    const [root, directory] = [dirname(deps.directory), relative(dirname(deps.directory), dirname(target))]
    await makeDirectoryInside(root, directory.split(sep)).catch((error: unknown) => {
      if (!(error instanceof AppError && error.code === "conflict")) throw error
      throw new AppError("conflict", sentence("models.link_in_the_way", { directory }))
    })
  }

  async function fail(cause: unknown): Promise<void> {
    const error = toAppError(cause, logger)
    logger.warn({ err: error, file }, "A download failed")
    status = "failed"
    const isWrong = error.code === "unprocessable"
    if (isWrong) {
      await rm(partial, { force: true })
      received = 0
    }
    await note({
      status: "failed",
      error: error.message,
      ...(isWrong ? { remote: nothingKnown } : {}),
    }).catch((problem: unknown) => {
      logger.error({ err: problem, file }, "The state of a download couldn't be stored") // a full disk, most likely
    })
  }

  async function run(signal: AbortSignal): Promise<void> {
    try {
      await fetch(signal)
      await complete(signal)
    } catch (error) {
      if (signal.aborted) return // whoever stopped it says what it is now
      // Local-only was switched on: what has arrived stays, and its owner may go on another time.
      if (isLocalOnlyRefusal(error)) await rest()
      else await fail(error)
    }
    tell()
  }

  async function rest(): Promise<void> {
    status = "paused"
    await note({ status })
  }

  async function halt(): Promise<void> {
    stop.abort()
    await work
  }

  return {
    get status() {
      return status
    },
    target,
    show,
    isRunning,
    missingBytes,
    async begin() {
      await note({ status: "downloading", error: null })
      received = await sizeOnDisk(partial)
      status = "downloading"
      stop = new AbortController()
      work = run(AbortSignal.any([stop.signal, closing]))
      tell()
    },
    async pause() {
      if (isRunning()) await halt()
      if (!isRunning()) return // it had ended, or did meanwhile
      await rest()
      tell()
    },
    async cancel() {
      await halt()
      await journal.remove(id)
      deps.changed({ ...show(), status: "cancelled" })
    },
    ended: () => work,
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
