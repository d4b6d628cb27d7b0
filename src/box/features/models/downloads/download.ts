import { stat } from "node:fs/promises"
import { AppError } from "../../../../shared/contract/errors.ts"
import type { ModelDownload } from "../../../../shared/contract/models.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { requireRoom } from "../catalogue.ts"
import type { JournalEntry } from "./download-journal.ts"
import { DownloadState } from "./download-state.ts"
import type { RunDeps } from "./run-download.ts"

/** One download. Changes that must survive a restart are written to the journal. */
export interface Download {
  readonly state: Readonly<Pick<DownloadState, "status" | "target" | "isRunning" | "missingBytes">>
  show(): ModelDownload
  /** Records that the download is wanted, and starts or resumes it. */
  begin(): Promise<void>
  pause(): Promise<void>
  /** Stops the download and deletes the bytes that have arrived; a finished file stays. */
  cancel(): Promise<void>
  /** Resolves when nothing works on the download. */
  ended(): Promise<void>
}

export async function openDownload(
  deps: RunDeps & {
    entry: JournalEntry
    /** Path of the finished file in the models directory. */
    target: string
    /** Aborted when the server stops. */
    closing: AbortSignal
  },
): Promise<Download> {
  const { entry, target, journal, changed, closing } = deps
  const state = new DownloadState(entry, target, journal)
  await state.updateReceived()
  let stop = new AbortController()
  let work: Promise<void> = Promise.resolve()

  /** The download code is loaded with the first download. */
  async function run(signal: AbortSignal): Promise<void> {
    const { runDownload } = await import("./run-download.ts")
    await runDownload(state, deps, signal)
  }

  async function halt(): Promise<void> {
    stop.abort()
    await work
  }

  return {
    state,
    show: () => state.show(),
    async begin() {
      await state.note({ status: "downloading", error: null, sentence: undefined })
      await state.updateReceived()
      state.status = "downloading"
      stop = new AbortController()
      work = run(AbortSignal.any([stop.signal, closing]))
      changed(state.show())
    },
    async pause() {
      if (state.isRunning) await halt()
      if (!state.isRunning) return // it had already ended, or ended while stopping
      await state.rest()
      changed(state.show())
    },
    async cancel() {
      await halt()
      await journal.remove(entry.id)
      changed({ ...state.show(), status: "cancelled" })
    },
    ended: () => work,
  }
}

type Downloads = Map<string, Download>

const maxRunning = 3
const maxKept = 30

/** Throws `disk_full` unless this many bytes fit in addition to what the other running downloads still need. */
export async function requireRoomFor(
  downloads: Downloads,
  directory: string,
  id: string,
  bytes: number,
): Promise<void> {
  const others = [...downloads].filter(([other, { state }]) => other !== id && state.isRunning)
  await requireRoom(
    directory,
    others.reduce((sum, [, { state }]) => sum + state.missingBytes, bytes),
  )
}

/** Throws `conflict` if the maximum number of downloads is running. */
export function requireFewRunning(downloads: Downloads): void {
  if ([...downloads.values()].filter(({ state }) => state.isRunning).length < maxRunning) return
  throw new AppError("conflict", sentence("models.too_many_at_once", { count: maxRunning }))
}

/**
 * Throws `conflict` if the model exists or is being downloaded, or too many downloads are listed. Removes finished downloads that are in
 * the way.
 */
export async function requireNew(downloads: Downloads, target: string): Promise<void> {
  for (const [id, { state }] of downloads) {
    if (state.target !== target) continue
    if (state.status !== "done") throw new AppError("conflict", sentence("models.downloading_already"))
    downloads.delete(id)
  }
  if ((await stat(target).catch(() => null)) !== null) {
    throw new AppError("conflict", sentence("models.downloaded_already"))
  }
  const done = [...downloads].find(([, { state }]) => state.status === "done")
  if (downloads.size >= maxKept && done) downloads.delete(done[0])
  if (downloads.size >= maxKept) {
    throw new AppError("conflict", sentence("models.too_many_downloads"))
  }
}
