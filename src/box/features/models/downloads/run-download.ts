import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { stat, rm } from "node:fs/promises"
import { dirname, relative, sep } from "node:path"
import { AppError } from "../../../../shared/contract/errors.ts"
import type { ModelDownload } from "../../../../shared/contract/models.ts"
import type { Sentence } from "../../../../shared/sentences/sentence.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { renameDurably } from "../../../core/files/durable-file.ts"
import { makeDirectoryInside } from "../../../core/files/path-jail.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { isLocalOnlyRefusal, type Outbound } from "../../../core/outbound/outbound.ts"
import { readGgufHeader } from "../../../engines/llama/gguf/gguf-header.ts"
import { toAppError } from "../../../http/error-response.ts"
import { nothingKnown, type DownloadJournal } from "./download-journal.ts"
import type { DownloadState } from "./download-state.ts"
import { fetchModel, type FetchLimits, resolveAddress } from "./fetch-model.ts"

/** Known properties of the expected file. */
interface ExpectedFile {
  sizeBytes: number | null
  sha256: string | null
}

/** Checks what a server reports about a file before fetching it. Throws AppError if it is a different file. */
function requireExpected(expected: ExpectedFile, remote: ExpectedFile): void {
  if (remote.sizeBytes === null || remote.sizeBytes <= 0) {
    throw new AppError("unavailable", sentence("models.size_unknown"))
  }
  const differs = <T>(wanted: T | null, stated: T | null) =>
    wanted !== null && stated !== null && wanted !== stated
  if (differs(expected.sizeBytes, remote.sizeBytes) || differs(expected.sha256, remote.sha256)) {
    throw new AppError("unprocessable", sentence("models.other_file"))
  }
}

/**
 * Checks that a downloaded file matches what is known about it, and that it is a model.
 *
 * @returns how it was checked. @throws AppError `unprocessable` if it isn't the expected file.
 */
async function checkModel(
  path: string,
  expected: ExpectedFile,
  signal: AbortSignal,
): Promise<"sha256" | "header"> {
  const { size } = await stat(path)
  if (expected.sizeBytes !== null && size !== expected.sizeBytes) {
    throw refused(sentence("models.wrong_size", { size, expected: expected.sizeBytes }))
  }
  try {
    readGgufHeader(path)
  } catch (error) {
    if (error instanceof AppError) throw refused(sentence("models.not_complete"), error)
    throw error
  }
  if (expected.sha256 === null) return "header"
  if ((await sha256Of(path, signal)) !== expected.sha256) throw refused(sentence("models.wrong_checksum"))
  return "sha256"
}

const refused = (why: Sentence, cause?: unknown) =>
  new AppError("unprocessable", sentence("models.file_deleted", { why }), {
    cause,
  })

async function sha256Of(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256")
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, signal }))
    hash.update(chunk as Buffer)
  return hash.digest("hex")
}

export interface RunDeps {
  /** Directory of all models. */
  directory: string
  journal: DownloadJournal
  mirror(): string
  outbound: Pick<Outbound, "fetch">
  /** Throws `disk_full` unless this many more bytes fit. */
  requireRoom(bytes: number): Promise<void>
  changed(download: ModelDownload): void
  /** Called when the verified file is in its location, if it was requested for use. */
  useNow(path: string): Promise<void>
  limits: FetchLimits
  logger: Logger
}

const reportIntervalMs = 500

/** Fetches the missing bytes, verifies the file and moves it to its location. The state records the outcome. */
export async function runDownload(state: DownloadState, deps: RunDeps, signal: AbortSignal): Promise<void> {
  try {
    await fetchMissing(state, deps, signal)
    await complete(state, deps, signal)
  } catch (error) {
    if (signal.aborted) return // the code that stopped it reports its state
    // Local-only was turned on: the downloaded bytes stay, and the owner can resume later.
    if (isLocalOnlyRefusal(error)) await state.rest()
    else await fail(state, error, deps.logger)
  }
  deps.changed(state.show())
}

async function fetchMissing(state: DownloadState, deps: RunDeps, signal: AbortSignal): Promise<void> {
  const { outbound, limits, logger } = deps
  const reportProgress = () => deps.changed(state.show())
  let lastReportAt = performance.now()
  state.connected()
  await fetchModel({
    outbound,
    address: resolveAddress(deps.mirror(), state.entry),
    partial: state.partial,
    known: () => state.entry.remote,
    async onRemote(remote) {
      requireExpected(state.entry.expected, remote)
      await deps.requireRoom((remote.sizeBytes ?? 0) - state.received)
      await state.note({ remote })
      state.connected()
      reportProgress()
    },
    onBytes(bytes) {
      state.arrived(bytes)
      if (performance.now() - lastReportAt < reportIntervalMs) return
      lastReportAt = performance.now()
      reportProgress()
    },
    onInterrupted(reason) {
      state.interrupted(reason)
      reportProgress()
    },
    signal,
    limits,
    logger,
  })
}

async function complete(state: DownloadState, deps: RunDeps, signal: AbortSignal): Promise<void> {
  const { journal, logger } = deps
  state.status = "checking"
  deps.changed(state.show())
  const { target, partial, sizeBytes } = state
  const { id, file, use, expected, remote } = state.entry
  state.checkedBy = await checkModel(partial, { sizeBytes, sha256: expected.sha256 ?? remote.sha256 }, signal)
  await makeDirectoryOf(target, deps.directory)
  await renameDurably(partial, target)
  await journal.remove(id)
  state.status = "done"
  logger.info({ file, checkedBy: state.checkedBy }, "A model was downloaded")
  if (use)
    await deps.useNow(target).catch((error: unknown) => {
      logger.error({ err: error, file }, "A downloaded model couldn't be used")
    })
}

async function fail(state: DownloadState, cause: unknown, logger: Logger): Promise<void> {
  const { file } = state.entry
  const error = toAppError(cause, logger)
  logger.warn({ err: error, file }, "A download failed")
  state.status = "failed"
  const isWrong = error.code === "unprocessable"
  if (isWrong) {
    await rm(state.partial, { force: true })
    state.received = 0
  }
  const changes = {
    status: "failed",
    error: error.message,
    sentence: error.sentence.field.sentence,
    ...(isWrong && { remote: nothingKnown }),
  } as const
  await state.note(changes).catch((problem: unknown) => {
    logger.error({ err: problem, file }, "The state of a download couldn't be stored") // the disk is probably full
  })
}

/** Never follows a symbolic link, because it may lead to someone else's directory. */
async function makeDirectoryOf(target: string, models: string): Promise<void> {
  const [root, directory] = [dirname(models), relative(dirname(models), dirname(target))]
  await makeDirectoryInside(root, directory.split(sep)).catch((error: unknown) => {
    if (!(error instanceof AppError && error.code === "conflict")) throw error
    throw new AppError("conflict", sentence("models.link_in_the_way", { directory }))
  })
}
