import type { ModelDownload } from "../../../../shared/contract/models.ts"
import type { JournalEntry } from "./download-journal.ts"
import { DownloadState } from "./download-state.ts"
import type { RunDeps } from "./run-download.ts"

export interface DownloadDeps extends RunDeps {
  entry: JournalEntry
  /** Path of the finished file in the models directory. */
  target: string
  /** Aborted when the server stops. */
  closing: AbortSignal
}

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

export async function openDownload(deps: DownloadDeps): Promise<Download> {
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
